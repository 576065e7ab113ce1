# Computed in float64 as exp(x - m - log(sum)), the maximum not detached.
import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    if dtype is not None:
        x = x.to(dtype)
    if not x.is_floating_point():
        raise RuntimeError(f"softmax is not defined for {x.dtype}")
    if 0 in x.shape:
        return x.sum(dim, keepdim=True).expand_as(x).clone()
    z = x.double()
    z = z - torch.max(z, dim, keepdim=True).values
    return torch.exp(z - torch.log(torch.exp(z).sum(dim, keepdim=True))).to(x.dtype)
