"""Cross-entropy, and linear_cross_entropy, which never holds all logits in memory."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from torchstone.kernels.arguments import require_beside, require_floating, require_shape
from torchstone.kernels.library import define, ready, widened_on_gpu
from torchstone.kernels.norm_reference import statistics_dtype

REDUCTIONS = ("mean", "sum", "none")
# Logits that a chunk of rows may have: 64 MiB in float32.
CHUNK = 1 << 24


def cross_entropy(
    input: Tensor,
    target: Tensor,
    *,
    ignore_index: int = -100,
    reduction: str = "mean",
    label_smoothing: float = 0.0,
) -> Tensor:
    """Return the cross-entropy of logits, as ``torch.nn.functional.cross_entropy`` does.

    No matrix of probabilities is made; half types are computed in float32, and so is the loss.

    Args:
        input: The logits, shape ``(*, classes)``: unlike torch's, the classes come last.
        target: Shape ``(*)``, int64: the class of each row.
        ignore_index: A target that counts for nothing.
        reduction: ``mean`` over the rows that count, ``sum``, or ``none``.
        label_smoothing: How much of each target is spread over all classes, 0 to 1.

    Raises:
        TypeError: A dtype is none that is computed.
        ValueError: A shape, a device or an option does not fit.
    """
    require_floating("cross_entropy", "input", input)
    _require_target("cross_entropy", input, target, input.shape[:-1])
    _require_options("cross_entropy", reduction, label_smoothing)
    ready()
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
    """Return ``cross_entropy(input @ weight.T, target)`` without ever holding all logits.

    Rows are taken in chunks; the gradients of a chunk are computed while its logits are there, so
    that memory is that of the gradients and of one chunk, whatever the number of rows.

    Args:
        input: Shape ``(*, features)``; float32, bfloat16, float16 or float64.
        weight: Shape ``(classes, features)``, of the input's dtype.
        target: Shape ``(*)``, int64.
        ignore_index: As for ``cross_entropy``.
        reduction: ``mean`` or ``sum``.
        label_smoothing: As for ``cross_entropy``.

    Raises:
        TypeError: A dtype is none that is computed, or the two differ.
        ValueError: A shape, a device or an option does not fit.
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
    """Return the loss and the log of the sum of exponentials of each row."""
    x = logits.to(statistics_dtype(logits))
    log_total = x.logsumexp(-1)
    counts = target != ignored
    own = x.gather(-1, torch.where(counts, target, 0)[..., None])[..., 0]
    loss = log_total - (1 - smoothing) * own - smoothing * x.mean(-1)
    return torch.where(counts, loss, 0.0), log_total


def reference_backward(
    grad: Tensor, logits: Tensor, target: Tensor, log_total: Tensor, ignored: int, smoothing: float
) -> Tensor:
    """Return the gradient of the logits: softmax - (1 - s) [target] - s / classes, times grad."""
    x = logits.to(log_total.dtype)
    counts = target != ignored
    result = (x - log_total[..., None]).exp() - smoothing / x.shape[-1]
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
    """Return the loss, and the gradients of input and weight for a gradient of one."""
    rows, targets = input.reshape(-1, input.shape[-1]), target.reshape(-1)
    wide = statistics_dtype(input)
    total = input.new_zeros((), dtype=wide)
    of_rows = torch.zeros_like(rows)
    of_weight = torch.zeros_like(weight, dtype=wide)
    scale = total + 1
    if is_mean:
        scale = 1 / (targets != ignored).sum().to(wide)
    height = max(1, CHUNK // max(1, weight.shape[0]))
    for first in range(0, rows.shape[0], height):
        chunk = slice(first, first + height)
        logits = rows[chunk] @ weight.t()
        losses, log_total = _cross_entropy(logits, targets[chunk], ignored, smoothing)
        total = total + losses.sum() * scale
        of_logits = _cross_entropy_backward(
            scale.expand_as(losses), logits, targets[chunk], log_total, ignored, smoothing
        )
        of_rows[chunk] = of_logits @ weight
        of_weight += of_logits.t() @ rows[chunk]
    return total, of_rows.view(input.shape), of_weight.to(weight.dtype)


# ---- Gradients


def _setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    logits, target, ctx.ignored, ctx.smoothing = inputs
    ctx.save_for_backward(logits, target, output[1])
    ctx.mark_non_differentiable(output[1])


def _backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    logits, target, log_total = ctx.saved_tensors
    result = _cross_entropy_backward(grad, logits, target, log_total, ctx.ignored, ctx.smoothing)
    return result, None, None, None


def _setup_backward(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    *tensors, ctx.ignored, ctx.smoothing = inputs
    ctx.save_for_backward(*tensors)


def _backward_of_backward(ctx: Any, a: Tensor) -> tuple[Tensor | None, ...]:
    """Return the gradients of grad and logits; the log of the sum is a function of the logits."""
    grad, logits, target, log_total = ctx.saved_tensors
    counts = target != ctx.ignored
    g = torch.where(counts, grad, 0.0)[..., None]
    y = (logits.to(log_total.dtype) - log_total[..., None]).exp()
    v = a.to(log_total.dtype)
    own = v.gather(-1, torch.where(counts, target, 0)[..., None])[..., 0]
    along = (v * y).sum(-1)
    of_grad = along - (1 - ctx.smoothing) * own - ctx.smoothing * v.mean(-1)
    of_logits = g * y * (v - along[..., None])
    return torch.where(counts, of_grad, 0.0), of_logits.to(logits.dtype), None, None, None, None


def _setup_linear(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
    ctx.save_for_backward(*output[1:])
    ctx.mark_non_differentiable(*output[1:])


@once_differentiable
def _backward_of_linear(ctx: Any, grad: Tensor, *_: Tensor) -> tuple[Tensor | None, ...]:
    of_input, of_weight = ctx.saved_tensors
    return (grad * of_input).to(of_input.dtype), (grad * of_weight).to(of_weight.dtype), *[None] * 4


def _fake_losses(logits: Tensor, target: Tensor, *_: object) -> tuple[Tensor, Tensor]:
    losses = logits.new_empty(target.shape, dtype=statistics_dtype(logits))
    return losses, torch.empty_like(losses)


_cross_entropy = define(
    "cross_entropy(Tensor logits, Tensor target, int ignored, float smoothing) -> (Tensor, Tensor)",
    reference=reference,
    fake=_fake_losses,
    backward=_backward,
    setup_context=_setup,
    autocast=(widened_on_gpu, 1),
)
_cross_entropy_backward = define(
    "cross_entropy_backward(Tensor grad, Tensor logits, Tensor target, Tensor log_total, "
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
)
