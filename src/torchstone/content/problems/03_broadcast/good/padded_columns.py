# Style: shapes padded to one length and read by columns; sizes and strides as comprehensions.
import torch


def broadcast_shapes(*shapes):
    ndim = max(map(len, shapes), default=0)
    padded = [(1,) * (ndim - len(shape)) + tuple(shape) for shape in shapes]
    return tuple(common_size(column) for column in zip(*padded, strict=True))


def common_size(column):
    result = 1
    for size in column:
        if size < 0 or (size != 1 and result not in (1, size)):
            raise ValueError(f"sizes {column} do not broadcast")
        result = size if result == 1 else result
    return result


def broadcast_to(x: torch.Tensor, shape):
    num_new = len(shape) - x.ndim
    if num_new < 0:
        raise ValueError("dimensions cannot be dropped")
    sizes = [n if n != -1 or i < num_new else x.shape[i - num_new] for i, n in enumerate(shape)]
    old_sizes = [1] * num_new + list(x.shape)
    if any(n < 0 or old not in (1, n) for n, old in zip(sizes, old_sizes, strict=True)):
        raise ValueError(f"{tuple(x.shape)} does not broadcast to {tuple(shape)}")
    old_strides = [0] * num_new + list(x.stride())
    strides = [
        step if old == n else 0 for n, old, step in zip(sizes, old_sizes, old_strides, strict=True)
    ]
    return x.as_strided(sizes, strides, x.storage_offset())


def broadcast_tensors(*tensors):
    shape = broadcast_shapes(*(x.shape for x in tensors))
    return tuple(broadcast_to(x, shape) for x in tensors)


def unbroadcast(grad: torch.Tensor, shape):
    shape = tuple(shape)
    if broadcast_shapes(shape, grad.shape) != tuple(grad.shape):
        raise ValueError(f"{shape} does not broadcast to {tuple(grad.shape)}")
    num_new = grad.ndim - len(shape)
    stretched = [
        i + num_new for i, n in enumerate(shape) if n == 1 and grad.shape[i + num_new] != 1
    ]
    dims = list(range(num_new)) + stretched
    if dims:
        grad = grad.sum(dims, keepdim=True)
    return grad.reshape(shape)
