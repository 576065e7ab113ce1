# Reshaped to (outer, n, inner); the sum over the classes is a product with ones.
import math

import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    rank = x.dim() or 1
    if dim >= rank or dim < -rank:
        raise IndexError(f"Dimension out of range: {dim}")
    y = x if dtype is None else x.to(dtype)
    if y.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        raise TypeError(f"not a floating dtype: {y.dtype}")
    if y.numel() == 0:
        return y.clone()
    shape = y.shape or torch.Size([1])
    dim %= rank
    outer, n, inner = math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1 :])
    z = y.reshape(outer, n, inner)
    if z.dtype.itemsize == 2:
        z = z.float()
    z = torch.exp2((z - z.detach().max(1, keepdim=True)[0]) * math.log2(math.e))
    return (z / (z.new_ones(n) @ z).unsqueeze(1)).reshape(y.shape).to(y.dtype)
