"""What ``kernels.py`` measures: of each operator ours, PyTorch's own, and a limit."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

OURS, ATEN = torch.ops.torchstone, torch.ops.aten
SHAPES = ((4096, 768), (4096, 4096), (16384, 768))
# Batch, heads, places, head_dim; causal.
ATTENTION_SHAPES = ((4, 8, 1024, 64), (4, 8, 4096, 64))

Call = Callable[..., Any]


@dataclass(frozen=True)
class Task:
    """What is measured for an operator, a dtype and a shape.

    Attributes:
        ours: The kernel.
        eager: PyTorch's own.
        compiled: The same under ``torch.compile``.
        limit: What moves the same bytes and computes nothing.
        errors: The largest relative errors of a result of ours and of PyTorch's, against float64.
    """

    ours: Callable[[], object]
    eager: Callable[[], object]
    compiled: Callable[[], object]
    limit: Callable[[], object]
    errors: Callable[[], tuple[float, float]]


class LayerNorm:
    """Tensors of a shape and a dtype, and what is done with them."""

    def __init__(self, shape: tuple[int, int], dtype: Any) -> None:
        width = shape[1]
        self.shape = [width]
        self.x, self.grad = torch.randn(shape).to(dtype), torch.randn(shape).to(dtype)
        self.weight, self.bias = torch.randn(width).to(dtype), torch.randn(width).to(dtype)
        _, mean, rstd = OURS.layer_norm(self.x, self.weight, self.bias, 1, 1e-5)
        self.arguments = (self.grad, None, self.x, mean, rstd, self.weight, 1, True)
        _, mean, rstd = ATEN.native_layer_norm(self.x, self.shape, self.weight, self.bias, 1e-5)
        self.theirs = (
            self.grad,
            self.x,
            self.shape,
            mean,
            rstd,
            self.weight,
            self.bias,
            [True] * 3,
        )
        self.compiled_forward = torch.compile(self.forward)
        self.compiled_backward = torch.compile(ATEN.native_layer_norm_backward)

    def forward(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Call PyTorch's own."""
        return functional.layer_norm(x, self.shape, weight, bias)

    def errors_forward(self) -> tuple[float, float]:
        """Return our relative error and PyTorch's."""
        leaves = (self.x, self.weight, self.bias)
        truth = self.forward(*(each.double() for each in leaves))
        ours = OURS.layer_norm(*leaves, 1, 1e-5)[0]
        return _relative(ours, truth), _relative(self.forward(*leaves), truth)

    def errors_backward(self) -> tuple[float, float]:
        """Return those of the gradients of the parameters; those of the input are smaller."""
        leaves = [each.double().requires_grad_() for each in (self.x, self.weight, self.bias)]
        truths = torch.autograd.grad(self.forward(*leaves), leaves, self.grad.double())[1:]
        ours = OURS.layer_norm_backward(*self.arguments)[1:]
        theirs = ATEN.native_layer_norm_backward(*self.theirs)[1:]
        return max(map(_relative, ours, truths)), max(map(_relative, theirs, truths))

    def tasks(self) -> dict[str, Task]:
        """Return what is measured, by the name of the operator."""
        leaves = (self.x, self.weight, self.bias)
        return {
            "layer_norm_forward": Task(
                ours=lambda: OURS.layer_norm(*leaves, 1, 1e-5),
                eager=lambda: self.forward(*leaves),
                compiled=lambda: self.compiled_forward(*leaves),
                limit=self.x.clone,
                errors=self.errors_forward,
            ),
            "layer_norm_backward": Task(
                ours=lambda: OURS.layer_norm_backward(*self.arguments),
                eager=lambda: ATEN.native_layer_norm_backward(*self.theirs),
                compiled=lambda: self.compiled_backward(*self.theirs),
                limit=lambda: torch.add(self.grad, self.x),
                errors=self.errors_backward,
            ),
        }


def _forwards(shape: tuple[int, int], dtype: Any) -> dict[str, Task]:
    """Make the tasks of the other operators, forward."""
    rows, width = shape
    x, y = torch.randn(shape).to(dtype), torch.randn(shape).to(dtype)
    weight, bias = torch.randn(width).to(dtype), torch.randn(width).to(dtype)
    target = torch.randint(width, (rows,))
    pairs: dict[str, tuple[Call, Call, tuple[Tensor, ...]]] = {
        "rms_norm_forward": (
            lambda x, w: OURS.rms_norm(x, w, 1, 1e-5)[0],
            lambda x, w: functional.rms_norm(x, (width,), w, 1e-5),
            (x, weight),
        ),
        "add_rms_norm_forward": (
            lambda x, y, w: OURS.add_rms_norm(x, y, w, 1, 1e-5)[:2],
            _add_rms_norm,
            (x, y, weight),
        ),
        "softmax_forward": (OURS.softmax, lambda x: functional.softmax(x, -1), (x,)),
        "bias_gelu_forward": (
            OURS.bias_gelu,
            lambda x, b: functional.gelu(x + b, approximate="tanh"),
            (x, bias),
        ),
        "swiglu_forward": (OURS.swiglu, lambda x, y: functional.silu(x) * y, (x, y)),
        "cross_entropy_forward": (
            lambda x: OURS.cross_entropy(x, target, -100, 0.0)[0],
            lambda x: functional.cross_entropy(x, target, reduction="none"),
            (x,),
        ),
    }
    return {name: _forward(*pair) for name, pair in pairs.items()}


def _add_rms_norm(x: Tensor, y: Tensor, weight: Tensor) -> tuple[Tensor, Tensor]:
    total = x + y
    return functional.rms_norm(total, weight.shape, weight, 1e-5), total


def _forward(ours: Call, theirs: Call, tensors: tuple[Tensor, ...]) -> Task:
    compiled = torch.compile(theirs)

    def errors() -> tuple[float, float]:
        truth = _first(theirs(*(each.double() for each in tensors)))
        return _relative(_first(ours(*tensors)), truth), _relative(_first(theirs(*tensors)), truth)

    return Task(
        ours=lambda: ours(*tensors),
        eager=lambda: theirs(*tensors),
        compiled=lambda: compiled(*tensors),
        limit=tensors[0].clone,
        errors=errors,
    )


def _first(results: Any) -> Tensor:
    first: Tensor = results[0] if isinstance(results, tuple) else results
    return first


def _relative(result: Any, truth: Any) -> float:
    """Return the error in the norm: one number for all of a tensor."""
    return float((result.double() - truth).norm() / truth.norm())


class Attention:
    """Causal attention of queries, keys and values of one shape."""

    def __init__(self, shape: tuple[int, ...], dtype: Any) -> None:
        batch, heads, places, head_dim = shape
        self.leaves = [torch.randn(shape).to(dtype) for _ in range(3)]
        self.grad = torch.randn(shape).to(dtype)
        self.mask = (*[None] * 5, places, places, -1, 0, 1 / math.sqrt(head_dim), 0.0)
        self.ours = (self.grad, *self.leaves, *OURS.flash_attention(*self.leaves, *self.mask))
        out, lse = ATEN._scaled_dot_product_flash_attention_for_cpu(*self.leaves, 0.0, True)
        self.theirs = (self.grad, *self.leaves, out, lse, 0.0, True)
        self.compiled_forward = torch.compile(self.forward)
        self.compiled_backward = torch.compile(self.backward)
        # A product of matrices with as many multiplications, which MKL and oneDNN do best.
        rows = batch * heads * places * places * head_dim // 1024**2
        self.left, self.right = torch.randn(rows, 1024).to(dtype), torch.randn(1024, 1024).to(dtype)

    def forward(self, query: Tensor, key: Tensor, value: Tensor) -> Tensor:
        """Call PyTorch's own."""
        return functional.scaled_dot_product_attention(query, key, value, is_causal=True)

    def backward(self, *arguments: Any) -> Any:
        """Call the backward of PyTorch's own."""
        return ATEN._scaled_dot_product_flash_attention_for_cpu_backward(*arguments)

    def limit(self, times: float) -> None:
        """Multiply matrices with so many times the multiplications of the forward."""
        for _ in range(int(times * 2)):
            torch.mm(self.left[: len(self.left) // 2], self.right)

    def errors(self, is_forward: bool) -> tuple[float, float]:
        """Return our relative error and PyTorch's, for one head of one batch."""
        part = [each[:1, :1] for each in (*self.leaves, self.grad)]
        truths, ours, theirs = (
            _with_gradients(function, [each.to(dtype) if dtype else each for each in part])
            for function, dtype in (
                (self.forward, torch.float64),
                (lambda *leaves: OURS.flash_attention(*leaves, *self.mask)[0], None),
                (self.forward, None),
            )
        )
        chosen = slice(0, 1) if is_forward else slice(1, 4)
        return (
            max(map(_relative, ours[chosen], truths[chosen])),
            max(map(_relative, theirs[chosen], truths[chosen])),
        )

    def tasks(self) -> dict[str, Task]:
        """Return what is measured, by the name of the operator."""
        return {
            "flash_attention_forward": Task(
                ours=lambda: OURS.flash_attention(*self.leaves, *self.mask),
                eager=lambda: self.forward(*self.leaves),
                compiled=lambda: self.compiled_forward(*self.leaves),
                limit=lambda: self.limit(1.0),
                errors=lambda: self.errors(True),
            ),
            "flash_attention_backward": Task(
                ours=lambda: OURS.flash_attention_backward(*self.ours, *self.mask),
                eager=lambda: self.backward(*self.theirs),
                compiled=lambda: self.compiled_backward(*self.theirs),
                limit=lambda: self.limit(2.5),
                errors=lambda: self.errors(False),
            ),
        }


def _with_gradients(function: Call, tensors: list[Tensor]) -> list[Tensor]:
    leaves = [each.clone().requires_grad_() for each in tensors[:3]]
    out = function(*leaves)
    return [out.detach(), *torch.autograd.grad(out, leaves, tensors[3])]


def tasks_of(dtype: Any, names: list[str]) -> Iterator[tuple[tuple[int, ...], str, Task]]:
    """Yield shape, operator and task: of the operators named, or of all."""
    groups: list[tuple[tuple[str, ...], Any, tuple[Any, ...]]] = [
        (("layer_norm",), lambda shape: LayerNorm(shape, dtype).tasks(), SHAPES),
        ((), lambda shape: _forwards(shape, dtype), SHAPES),
        (
            ("flash_attention",),
            lambda shape: Attention(shape, dtype).tasks(),
            ATTENTION_SHAPES,
        ),
    ]
    for known, make, shapes in groups:
        if names and known and not any(name.startswith(known) for name in names):
            continue
        for shape in shapes:
            for name, task in make(shape).items():
                if not names or name in names:
                    yield shape, name, task
