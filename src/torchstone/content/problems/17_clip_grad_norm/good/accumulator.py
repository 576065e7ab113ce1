# style: an accumulator takes one gradient after the other; the context of autograd is left by hand
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Norm:
    p: float
    value: Tensor | None = None
    dtype: torch.dtype = torch.float32

    def add(self, grad: Tensor) -> None:
        self.dtype = torch.promote_types(self.dtype, grad.dtype)
        if grad.numel() == 0:
            return
        sizes = grad.to(torch.float64).abs()
        new = sizes.max() if math.isinf(self.p) else (sizes**self.p).sum()
        if self.value is None:
            self.value = new
        else:
            self.value = torch.maximum(self.value, new) if math.isinf(self.p) else self.value + new

    def total(self) -> Tensor:
        if self.value is None:
            return torch.zeros((), dtype=torch.float64)
        return self.value.clone() if math.isinf(self.p) else self.value ** (1.0 / self.p)


def gradients(parameters: Tensor | Iterable[Tensor]) -> Iterator[Tensor]:
    seen = set()
    for parameter in [parameters] if isinstance(parameters, Tensor) else parameters:
        if parameter.grad is not None and parameter not in seen:
            seen.add(parameter)
            yield parameter.grad.detach()


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    if not (max_norm >= 0 and norm_type > 0):
        raise ValueError(f"max_norm {max_norm}, norm_type {norm_type}")
    # Detached: the same memory without the graph.
    views = list(gradients(parameters))
    norm = Norm(float(norm_type))
    for view in views:
        norm.add(view)
    total = norm.total()
    if error_if_nonfinite and not math.isfinite(total.item()):
        raise RuntimeError(f"the norm is {total.item()}")
    coef = torch.minimum(max_norm / (total + 1e-6), torch.ones_like(total))
    for view in views:
        view *= coef
    return total.to(norm.dtype)
