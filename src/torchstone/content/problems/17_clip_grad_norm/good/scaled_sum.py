# style: powers of entries divided by the largest one, as BLAS does it; the factor is a number
import math
from collections.abc import Iterable

import torch
from torch import Tensor


def peak_of(grad: Tensor) -> float:
    return float(grad.detach().abs().amax())


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    if max_norm < 0:
        raise ValueError(f"max_norm is negative: {max_norm}")
    if not norm_type > 0:
        raise ValueError(f"norm_type is not positive: {norm_type}")
    unique: dict[int, Tensor] = {}
    for parameter in [parameters] if torch.is_tensor(parameters) else parameters:
        if parameter.grad is not None:
            unique[id(parameter)] = parameter.grad
    grads = list(unique.values())
    peaks = [peak_of(grad) for grad in grads if grad.numel()]
    peak = math.nan if any(map(math.isnan, peaks)) else max(peaks, default=0.0)
    total = peak
    if math.isfinite(peak) and peak > 0 and norm_type != math.inf:
        shares = ((grad.detach().double() / peak).abs() ** norm_type for grad in grads)
        total = peak * math.fsum(share.sum().item() for share in shares) ** (1 / norm_type)
    if error_if_nonfinite and not math.isfinite(total):
        raise RuntimeError("the norm of the gradients is not finite")
    quotient = max_norm / (total + 1e-6)
    coef = quotient if math.isnan(quotient) else min(1.0, quotient)
    with torch.no_grad():
        for grad in grads:
            grad.mul_(coef)
    kept = torch.float64 if torch.float64 in {grad.dtype for grad in grads} else torch.float32
    return torch.tensor(total, dtype=kept)
