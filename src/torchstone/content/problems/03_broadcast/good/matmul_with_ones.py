# Style: views by unsqueeze and as_strided; the sum is a matrix product with a vector of ones.
from collections.abc import Sequence

import torch


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    if not shapes:
        return ()
    rank = max(len(shape) for shape in shapes)
    rows = [[1] * (rank - len(shape)) + list(shape) for shape in shapes]
    result = []
    for column in zip(*rows, strict=True):
        sizes = sorted({size for size in column if size != 1})
        if len(sizes) > 1 or min(sizes, default=0) < 0:
            raise ValueError(f"cannot broadcast sizes {column}")
        result.append(sizes[0] if sizes else 1)
    return tuple(result)


def broadcast_to(x: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    missing = len(shape) - x.ndim
    if missing < 0:
        raise ValueError("the shape is too short")
    wished = list(shape)
    for i, size in enumerate(x.shape):
        if wished[missing + i] == -1:
            wished[missing + i] = size
        elif size != 1 and wished[missing + i] != size:
            raise ValueError(f"size {size} cannot become {wished[missing + i]}")
    if any(size < 0 for size in wished):
        raise ValueError("a size is negative")
    y = x[(None,) * missing + (...,)]
    stride = [0 if n != w else s for n, w, s in zip(y.shape, wished, y.stride(), strict=True)]
    return y.as_strided(wished, stride, y.storage_offset())


def broadcast_tensors(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    shape = broadcast_shapes(*(t.shape for t in tensors))
    return tuple(broadcast_to(t, shape) for t in tensors)


def unbroadcast(grad: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    shape = tuple(shape)
    if broadcast_shapes(shape, tuple(grad.shape)) != tuple(grad.shape):
        raise ValueError("the shape does not broadcast to that of the gradient")
    padded = (1,) * (grad.ndim - len(shape)) + shape
    summed = [i for i in range(grad.ndim) if padded[i] != grad.shape[i]]
    if not summed:
        return grad.reshape(shape)
    kept = [i for i in range(grad.ndim) if i not in summed]
    num_kept = [grad.shape[i] for i in kept]
    num_summed = 1
    for i in summed:
        num_summed *= grad.shape[i]
    rows = 1
    for size in num_kept:
        rows *= size
    matrix = grad.permute(kept + summed).reshape(rows, num_summed)
    if grad.dtype in (torch.float16, torch.bfloat16):
        matrix = matrix.float()
    total = matrix @ torch.ones(num_summed, dtype=matrix.dtype)
    return total.to(grad.dtype).reshape(shape)
