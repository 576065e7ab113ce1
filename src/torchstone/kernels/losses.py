"""Cross-entropy, and linear_cross_entropy, which never materializes all logits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from torchstone.kernels.arguments import require_beside, require_floating, require_shape
from torchstone.kernels.library import define, ready, widened_on_gpu
from torchstone.kernels.norm_reference import statistics_dtype

REDUCTIONS = ("mean", "sum", "none")
# Maximum number of logits per chunk of rows: 64 MiB in float32.
CHUNK = 1 << 24


def cross_entropy(
    input: Tensor,
    target: Tensor,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Compute the cross-entropy of logits, like ``torch.nn.functional.cross_entropy``.

    The matrix of probabilities is not materialized; half-precision inputs are computed in float32,
    and the loss is float32.

    Args:
        input: The logits, shape ``(*, classes)``: unlike in PyTorch, the classes come last.
        target: Shape ``(*)``, int64: the class of each row.
        ignore_index: A target that is ignored.
        reduction: ``mean`` over the rows that count, ``sum``, or ``none``.
        label_smoothing: The share of each target that is spread over all classes, 0 to 1.

    Raises:
        TypeError: A dtype is not supported.
        ValueError: A shape, a device or an option is invalid.
    """
    require_floating("cross_entropy", "input", input)
    _require_target("cross_entropy", input, target, input.shape[:-1])
    _require_options("cross_entropy", reduction, label_smoothing)
    ready()
    _require_classes(target, input.shape[-1], ignore_index)
    losses: Tensor = _cross_entropy(input, target, ignore_index, label_smoothing)[0]
    return _reduce(losses, target, ignore_index, reduction)


def linear_cross_entropy(
    input: Tensor,
    weight: Tensor,
    target: Tensor,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Compute ``cross_entropy(input @ weight.T, target)`` without materializing all logits.

    Rows are processed in chunks. The gradients of a chunk are computed while its logits are in
    memory, so the memory is that of the gradients and of one chunk, whatever the number of rows.

    Args:
        input: Shape ``(*, features)``; float32, bfloat16, float16 or float64.
        weight: Shape ``(classes, features)``, of the input's dtype.
        target: Shape ``(*)``, int64.
        ignore_index: As for ``cross_entropy``.
        reduction: ``mean`` or ``sum``.
        label_smoothing: As for ``cross_entropy``.

    Raises:
        TypeError: A dtype is not supported, or the two differ.
        ValueError: A shape, a device or an option is invalid.
    """
    function = "linear_cross_entropy"
    require_floating(function, "input", input)
    require_floating(function, "weight", weight)
    require_shape(function, "weight", weight, (*weight.shape[:1], *input.shape[-1:]))
    require_beside(function, "weight", weight, "input", input)
    if weight.dtype != input.dtype:
        raise TypeError(f"{function}: weight is {weight.dtype}, but input {input.dtype}")
    _require_target(function, input, target, input.shape[:-1])
    _require_options(function, reduction, label_smoothing)
    if reduction == "none":
        raise ValueError(f"{function}: reduction is 'none'; expected mean or sum")
    ready()
    _require_classes(target, weight.shape[0], ignore_index)
    total: Tensor = _linear_cross_entropy(
        input, weight, target, ignore_index, label_smoothing, reduction == "mean"
    )[0]
    return total


def _require_target(function: str, input: Tensor, target: Tensor, shape: tuple[int, ...]) -> None:
    if input.dim() == 0:
        raise ValueError(f"{function}: input has no dimensions; expected at least one")
    if not isinstance(target, Tensor) or target.dtype != torch.int64:
        given = target.dtype if isinstance(target, Tensor) else type(target).__name__
        raise TypeError(f"{function}: target is {given}; expected a Tensor of torch.int64")
    require_shape(function, "target", target, shape)
    require_beside(function, "target", target, "input", input)


def _require_classes(target: Tensor, classes: int, ignored: int) -> None:
    """Raise PyTorch's error for a target out of range, if values can be read without cost.

    Reading them would synchronize a GPU, and traced or mapped tensors have no values.
    """
    is_readable = target.device.type == "cpu" and not torch.compiler.is_compiling()
    if not is_readable or torch._C._are_functorch_transforms_active() or type(target) is not Tensor:
        return
    outside = ((target < 0) | (target >= classes)) & (target != ignored)
    if outside.any():
        raise IndexError(f"Target {target[outside][0].item()} is out of bounds.")


def _require_options(function: str, reduction: str, label_smoothing: float) -> None:
    if reduction not in REDUCTIONS:
        wanted = ", ".join(REDUCTIONS)
        raise ValueError(f"{function}: reduction is {reduction!r}; expected {wanted}")
    if not 0 <= label_smoothing <= 1:
        raise ValueError(f"{function}: label_smoothing is {label_smoothing}; expected 0 to 1")


def _reduce(losses: Tensor, target: Tensor, ignored: int, reduction: str) -> Tensor:
    if reduction == "none":
        return losses
    return losses.sum() / (target != ignored).sum() if reduction == "mean" else losses.sum()


# ---- Definitions


def reference(
    logits: Tensor, target: Tensor, ignored: int, smoothing: float
) -> tuple[Tensor, Tensor]:
    """Return the loss of each row, and its statistics: the maximum and log(sum(exp(x - maximum))).

    Subtracting the maximum first makes the result independent of a shift of the logits. The two
    statistics are kept separate, because their sum would lose digits for a large shift.
    """
    x, largest = _shifted(logits)
    log_sum = x.exp().sum(-1).log()
    counts = target != ignored
    own = x.gather(-1, torch.where(counts, target, 0)[..., None])[..., 0]
    loss = log_sum - (1 - smoothing) * own
    if smoothing:
        loss = loss - smoothing * x.mean(-1)
    return torch.where(counts, loss, 0.0), torch.stack((largest, log_sum), -1)


def _shifted(logits: Tensor) -> tuple[Tensor, Tensor]:
    """Return the logits minus the maximum of each row, and the maximum."""
    x = logits.to(statistics_dtype(logits))
    # Detached, because the loss does not depend on the maximum.
    largest = x.detach().amax(-1) if x.shape[-1] else x.new_zeros(x.shape[:-1])
    return x - largest[..., None], largest


def _softmax(logits: Tensor, statistics: Tensor) -> Tensor:
    largest, log_sum = statistics.unbind(-1)
    x = logits.to(statistics.dtype)
    return (x - largest[..., None] - log_sum[..., None]).exp()


def reference_backward(
    grad: Tensor, logits: Tensor, target: Tensor, statistics: Tensor, ignored: int, smoothing: float
) -> Tensor:
    """Return the gradient of the logits: (softmax - (1 - s) one_hot(target) - s / classes) grad."""
    counts = target != ignored
    result = _softmax(logits, statistics) - smoothing / logits.shape[-1]
    own = torch.where(counts, target, 0)[..., None]
    result = result.scatter_add(-1, own, torch.full_like(result[..., :1], smoothing - 1))
    return (result * torch.where(counts, grad, 0.0)[..., None]).to(logits.dtype)


def reference_linear(
    input: Tensor,
    weight: Tensor,
    target: Tensor,
    ignored: int,
    smoothing: float,
    is_mean: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss, and the gradients of input and weight for an output gradient of 1."""
    rows, targets = input.reshape(-1, input.shape[-1]), target.reshape(-1)
    wide = statistics_dtype(input)
    of_rows = torch.zeros_like(rows)
    of_weight = torch.zeros_like(weight, dtype=wide)
    scale = _scale_of(targets, ignored, wide, is_mean)
    # NaN for a mean over no rows.
    total = scale * 0
    height = max(1, CHUNK // max(1, weight.shape[0]))
    for first in range(0, rows.shape[0], height):
        chunk = slice(first, first + height)
        logits = rows[chunk] @ weight.t()
        losses, statistics = _cross_entropy(logits, targets[chunk], ignored, smoothing)
        total = total + losses.sum() * scale
        of_logits = _cross_entropy_backward(
            scale.expand_as(losses), logits, targets[chunk], statistics, ignored, smoothing
        )
        of_rows[chunk] = of_logits @ weight
        of_weight += of_logits.t() @ rows[chunk]
    return total, of_rows.view(input.shape), of_weight.to(weight.dtype)


def _scale_of(targets: Tensor, ignored: int, dtype: torch.dtype, is_mean: bool) -> Tensor:
    counts = (targets != ignored).sum().to(dtype)
    return 1 / counts if is_mean else torch.ones_like(counts)


def definition_of_linear(
    input: Tensor,
    weight: Tensor,
    target: Tensor,
    ignored: int,
    smoothing: float,
    is_mean: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute the same with all logits in memory, so that every transform can differentiate it."""
    rows, targets = input.reshape(-1, input.shape[-1]), target.reshape(-1)
    scale = _scale_of(targets, ignored, statistics_dtype(input), is_mean)
    logits = rows @ weight.t()
    losses, statistics = reference(logits, targets, ignored, smoothing)
    of_logits = reference_backward(
        scale.expand_as(losses), logits, targets, statistics, ignored, smoothing
    ).detach()
    of_weight = of_logits.t() @ rows.detach()
    return losses.sum() * scale, (of_logits @ weight.detach()).reshape(input.shape), of_weight


# ---- Gradients


def _setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    logits, target, ctx.ignored, ctx.smoothing = inputs
    ctx.save_for_backward(logits, target, output[1])
    ctx.mark_non_differentiable(output[1])


def _backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    logits, target, statistics = ctx.saved_tensors
    result = _cross_entropy_backward(grad, logits, target, statistics, ctx.ignored, ctx.smoothing)
    return result, None, None, None


def _setup_backward(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    *tensors, ctx.ignored, ctx.smoothing = inputs
    ctx.save_for_backward(*tensors)


def _backward_of_backward(ctx: Any, a: Tensor) -> tuple[Tensor | None, ...]:
    """Return the gradients of grad and logits; the statistics depend on the logits."""
    grad, logits, target, statistics = ctx.saved_tensors
    counts = target != ctx.ignored
    g = torch.where(counts, grad, 0.0)[..., None]
    y = _softmax(logits, statistics)
    v = a.to(statistics.dtype)
    own = v.gather(-1, torch.where(counts, target, 0)[..., None])[..., 0]
    along = (v * y).sum(-1)
    of_grad = along - (1 - ctx.smoothing) * own - ctx.smoothing * v.mean(-1)
    of_logits = g * y * (v - along[..., None])
    return torch.where(counts, of_grad, 0.0), of_logits.to(logits.dtype), None, None, None, None


def _setup_linear(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    ctx.save_for_backward(*output[1:], *inputs[:3])
    ctx.options = inputs[3:]
    ctx.mark_non_differentiable(*output[1:])


def _backward_of_linear(ctx: Any, grad: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    of_input, of_weight, *inputs = ctx.saved_tensors
    if torch.is_grad_enabled():
        # For double backward the saved gradients are useless, because they carry no history.
        loss = definition_of_linear(*inputs, *ctx.options)[0]
        wanted = [each for each, needs in zip(inputs, ctx.needs_input_grad, strict=False) if needs]
        found = iter(torch.autograd.grad(loss, wanted, grad, create_graph=True))
        both = [next(found) if needs else None for needs in ctx.needs_input_grad[:2]]
        return *both, *[None] * 4
    return (grad * of_input).to(of_input.dtype), (grad * of_weight).to(of_weight.dtype), *[None] * 4


def _fake_losses(logits: Tensor, target: Tensor, *_: object) -> tuple[Tensor, Tensor]:
    losses = logits.new_empty(target.shape, dtype=statistics_dtype(logits))
    return losses, losses.new_empty((*target.shape, 2))


_cross_entropy = define(
    "cross_entropy(Tensor logits, Tensor target, int ignored, float smoothing) -> (Tensor, Tensor)",
    reference=reference,
    fake=_fake_losses,
    backward=_backward,
    setup_context=_setup,
    autocast=(widened_on_gpu, 1),
)
_cross_entropy_backward = define(
    "cross_entropy_backward(Tensor grad, Tensor logits, Tensor target, Tensor statistics, "
    "int ignored, float smoothing) -> Tensor",
    reference=reference_backward,
    fake=lambda g, x, *_: x.new_empty(x.shape),
    backward=_backward_of_backward,
    setup_context=_setup_backward,
)
_linear_cross_entropy = define(
    "linear_cross_entropy(Tensor input, Tensor weight, Tensor target, int ignored, "
    "float smoothing, bool is_mean) -> (Tensor, Tensor, Tensor)",
    reference=reference_linear,
    fake=lambda x, w, *_: (
        x.new_empty((), dtype=statistics_dtype(x)),
        x.new_empty(x.shape),
        w.new_empty(w.shape),
    ),
    backward=_backward_of_linear,
    setup_context=_setup_linear,
    definition=definition_of_linear,
)
