"""Every operator under the transforms of torch.func and in forward mode, beside plain torch."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import forward_ad

from torchstone import kernels

pytestmark = [
    pytest.mark.torch,
    # Torch's own forward mode is compiled by it.
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning"),
]

torch.manual_seed(0)
X, W, V = (torch.randn(*size, dtype=torch.float64) for size in ((4, 6), (6,), (7, 6)))
TARGET = torch.tensor([0, 5, -100, 2])
C, S = torch.randn(4, 3, dtype=torch.float64), torch.randn(4, 3, dtype=torch.float64)
Q = torch.randn(1, 2, 3, 4, dtype=torch.float64)
Function = Callable[[Tensor], Tensor]


def _attend(q: Tensor) -> Tensor:
    hidden = torch.ones(3, 3).triu(1).bool()
    return torch.softmax((q @ (q * 2).mT / 2).masked_fill(hidden, -torch.inf), -1) @ (q + 1)


def _rotated(x: Tensor) -> Tensor:
    a, b = x.chunk(2, -1)
    return torch.cat((a * C - b * S, a * S + b * C), -1)


# The kernel, the same in plain torch, and at what it is differentiated.
OPERATORS: dict[str, tuple[Function, Function, Tensor]] = {
    "softmax": (kernels.softmax, lambda x: x.softmax(-1), X),
    "cross_entropy": (
        lambda x: kernels.cross_entropy(x, TARGET, label_smoothing=0.1),
        lambda x: F.cross_entropy(x, TARGET, label_smoothing=0.1),
        X,
    ),
    "linear_cross_entropy": (
        lambda x: kernels.linear_cross_entropy(x, V, TARGET),
        lambda x: F.cross_entropy(x @ V.t(), TARGET),
        X,
    ),
    "linear_cross_entropy, weight": (
        lambda v: kernels.linear_cross_entropy(X, v, TARGET),
        lambda v: F.cross_entropy(X @ v.t(), TARGET),
        V,
    ),
    "layer_norm": (
        lambda x: kernels.layer_norm(x, (6,), W, W),
        lambda x: F.layer_norm(x, (6,), W, W),
        X,
    ),
    "layer_norm, parameters": (
        lambda w: kernels.layer_norm(X, (6,), w, w),
        lambda w: F.layer_norm(X, (6,), w, w),
        W,
    ),
    "rms_norm": (
        lambda x: kernels.rms_norm(x, (6,), W),
        lambda x: F.rms_norm(x, (6,), W),
        X,
    ),
    "add_layer_norm": (
        lambda x: sum(kernels.add_layer_norm(x, 2 * x, (6,), W, W)),
        lambda x: F.layer_norm(3 * x, (6,), W, W) + 3 * x,
        X,
    ),
    "add_rms_norm": (
        lambda x: sum(kernels.add_rms_norm(x, 2 * x, (6,), W)),
        lambda x: F.rms_norm(3 * x, (6,), W) + 3 * x,
        X,
    ),
    "bias_gelu": (
        lambda w: kernels.bias_gelu(X, w),
        lambda w: F.gelu(X + w, approximate="tanh"),
        W,
    ),
    "swiglu": (lambda x: kernels.swiglu(x, 2 * x), lambda x: F.silu(x) * 2 * x, X),
    "rotary_embedding": (lambda x: kernels.rotary_embedding(x, C, S), _rotated, X),
    "flash_attention": (
        lambda q: kernels.flash_attention(q, q * 2, q + 1, is_causal=True),
        _attend,
        Q,
    ),
}


def _of_squares(f: Function) -> Function:
    return lambda x: f(x).square().sum()


def _tangent(f: Function, x: Tensor, requires_grad: bool) -> Tensor:
    with forward_ad.dual_level():
        dual = forward_ad.make_dual(x.clone().requires_grad_(requires_grad), torch.ones_like(x))
        tangent: Tensor = forward_ad.unpack_dual(f(dual)).tangent.detach()
        return tangent


TRANSFORMS: dict[str, Callable[[Function, Tensor], Any]] = {
    "jacfwd": lambda f, x: torch.func.jacfwd(f)(x),
    "jacrev": lambda f, x: torch.func.jacrev(f)(x),
    "jvp": lambda f, x: torch.func.jvp(f, (x,), (x + 1,))[1],
    "grad": lambda f, x: torch.func.grad(_of_squares(f))(x),
    "hessian": lambda f, x: torch.func.hessian(_of_squares(f))(x),
    "vmap": lambda f, x: torch.func.vmap(f)(torch.stack((x, 2 * x))),
    "vmap of grad": lambda f, x: torch.func.vmap(torch.func.grad(_of_squares(f)))(
        torch.stack((x, 2 * x))
    ),
    "a dual number": lambda f, x: _tangent(f, x, False),
    "a dual number with a gradient": lambda f, x: _tangent(f, x, True),
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("operator", OPERATORS)
def test_a_transform_of_a_kernel_is_that_of_its_definition(operator: str, transform: str) -> None:
    ours, plain, x = OPERATORS[operator]
    wanted = TRANSFORMS[transform](plain, x)
    torch.testing.assert_close(TRANSFORMS[transform](ours, x), wanted)


@pytest.mark.parametrize("operator", [name for name in OPERATORS if name != "flash_attention"])
def test_second_derivatives_are_right_without_transforms_too(operator: str) -> None:
    ours, plain, x = OPERATORS[operator]
    wanted = torch.autograd.functional.hessian(_of_squares(plain), x)
    torch.testing.assert_close(torch.autograd.functional.hessian(_of_squares(ours), x), wanted)


def test_what_has_no_derivative_is_refused_by_name() -> None:
    operators = torch.ops.torchstone
    p, m, s, g = (torch.ones(3) for _ in range(4))

    def step(g: Tensor) -> Tensor:
        operators.adamw_(p, m, s, g, 0.1, 0.9, 0.99, 1e-8, 0.0, 1)
        return g

    with pytest.raises(RuntimeError, match="torchstone::adamw_ changes its arguments"):
        torch.func.vmap(step)(torch.ones(2, 3))
    with pytest.raises(RuntimeError, match="torchstone::adamw_ changes its arguments"):
        _tangent(step, g, False)
    assert p.tolist() == [1.0, 1.0, 1.0]
    lse = torch.zeros(Q.shape[:3], dtype=Q.dtype)
    mask = (None, None, None, None, None, 3, 3, -1, -1, 0.5, 0.0)
    with pytest.raises(RuntimeError, match="torchstone::flash_attention_backward has no deriv"):
        torch.func.grad(lambda q: operators.flash_attention_backward(q, q, q, q, q, lse, *mask)[0])(
            Q
        )
