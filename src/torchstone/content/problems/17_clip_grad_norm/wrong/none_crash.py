# verdict: RTE
# group: edge
# en: A parameter that was not used has no gradient: skip it.
# zh: 没有参与计算的参数没有梯度：跳过它。
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
    if max_norm < 0 or norm_type <= 0:
        raise ValueError("clip_grad_norm: max_norm must not be negative, norm_type be positive.")
    given = [parameters] if isinstance(parameters, Tensor) else parameters
    # By identity: a parameter that occurs twice has one gradient.
    grads = list({id(p): p.grad for p in given}.values())
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
