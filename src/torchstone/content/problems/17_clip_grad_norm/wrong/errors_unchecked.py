# verdict: WA property
# group: errors
# en: A negative max_norm would turn the gradient round; say so with a ValueError before anything
#   is scaled.
# zh: max_norm 为负会使梯度反向；应在缩放之前抛 ValueError。
import math
from collections.abc import Iterable

import torch
from torch import Tensor


@torch.no_grad()
def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    # By identity: a parameter that occurs twice has one gradient.
    grads = list({id(p): p.grad for p in given if p.grad is not None}.values())
    total = _total_norm(grads, float(norm_type))
    wide = any(grad.dtype == torch.float64 for grad in grads)
    # Asking for a number waits for the device, so nobody asks without need.
    if error_if_nonfinite and not bool(total.isfinite()):
        raise RuntimeError(f"clip_grad_norm: the total norm is {float(total)}.")
    coef = (max_norm / (total + 1e-6)).clamp(max=1.0)
    for grad in grads:
        grad.mul_(coef)
    return total if wide else total.float()


def _total_norm(grads: list[Tensor], p: float) -> Tensor:
    # Squaring doubles the exponent: float32 would overflow from 1e19 on, float64 does not.
    sizes = [grad.abs().double() for grad in grads if grad.numel()]
    if not sizes:
        return torch.zeros((), dtype=torch.float64)
    if p == math.inf:
        return torch.stack([size.amax() for size in sizes]).amax()
    return torch.stack([size.pow(p).sum() for size in sizes]).sum() ** (1 / p)
