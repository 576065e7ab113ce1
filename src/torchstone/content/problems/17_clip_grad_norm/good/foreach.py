# style: einsum for squares, one fused product for all gradients; where instead of clamp
from collections.abc import Iterable

import torch
from torch import Tensor

INF = float("inf")


def power_sum(grad: Tensor, p: float) -> Tensor:
    flat = grad.detach().flatten().double()
    return torch.einsum("i,i->", flat, flat) if p == 2 else flat.abs().pow(p).sum()


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    if max_norm < 0:
        raise ValueError("a negative norm")
    if norm_type <= 0:
        raise ValueError("an exponent that is not positive")
    items = [parameters] if isinstance(parameters, Tensor) else [*parameters]
    grads = [p.grad for p in dict.fromkeys(items) if p.grad is not None]
    dtypes = {grad.dtype for grad in grads}
    out = torch.double if torch.double in dtypes else torch.float
    full = [grad for grad in grads if grad.numel() > 0]
    if not full:
        return torch.tensor(0.0, dtype=out)
    if norm_type == INF:
        total = torch.stack([grad.detach().abs().max().double() for grad in full]).max()
    else:
        total = torch.stack([power_sum(grad, norm_type) for grad in full]).sum()
        total = total.sqrt() if norm_type == 2 else total.pow(1.0 / norm_type)
    if error_if_nonfinite and not total.isfinite():
        raise RuntimeError("non-finite gradients")
    coef = max_norm / (total + 1e-6)
    coef = torch.where(coef > 1, 1.0, coef)
    with torch.no_grad():
        torch._foreach_mul_(full, coef)
    return total.to(out)
