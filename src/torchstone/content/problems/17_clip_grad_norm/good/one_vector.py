# style: one flat vector of everything, clipped, split and copied back
from collections.abc import Iterable

import torch
from torch import Tensor


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    if max_norm < 0 or norm_type <= 0:
        raise ValueError("max_norm >= 0 and norm_type > 0 are required")
    if isinstance(parameters, Tensor):
        parameters = (parameters,)
    grads = []
    for parameter in parameters:
        grad = parameter.grad
        if grad is not None and not any(grad is other for other in grads):
            grads.append(grad)
    dtype = torch.float64 if any(g.dtype == torch.float64 for g in grads) else torch.float32
    if sum(grad.numel() for grad in grads) == 0:
        return torch.zeros((), dtype=dtype)
    vector = torch.cat([grad.detach().reshape(-1).to(torch.float64) for grad in grads])
    if norm_type == float("inf"):
        total = vector.abs().max()
    elif norm_type == 2:
        total = vector.dot(vector).sqrt()
    else:
        total = vector.abs().pow(norm_type).sum().pow(1 / norm_type)
    if error_if_nonfinite and (total.isnan() or total.isinf()):
        raise RuntimeError(f"the total norm is {total.item()}")
    vector *= torch.clamp(max_norm / (total + 1e-6), max=1)
    parts = vector.split([grad.numel() for grad in grads])
    for grad, part in zip(grads, parts, strict=True):
        grad.detach().copy_(part.view(grad.shape))
    return total.to(dtype)
