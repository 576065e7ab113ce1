# Style: one dimension at a time, both ways; halves are summed in float32.
import torch


def broadcast_shapes(*shapes):
    longest = max([len(shape) for shape in shapes] + [0])
    result = []
    for column in range(-longest, 0):
        size = 1
        for shape in shapes:
            if len(shape) < -column:
                continue
            here = shape[column]
            if here < 0:
                raise ValueError("negative size")
            if size == 1:
                size = here
            elif here != 1 and here != size:
                raise ValueError(f"{here} against {size}")
        result.append(size)
    return torch.Size(result)


def broadcast_to(x, shape):
    if len(shape) < x.dim():
        raise ValueError("too few dimensions")
    for position in range(x.dim()):
        wanted = shape[len(shape) - x.dim() + position]
        if wanted not in (-1, x.size(position)) and x.size(position) != 1:
            raise ValueError("sizes do not fit")
        if wanted < -1:
            raise ValueError("negative size")
    if min(shape[: len(shape) - x.dim()], default=0) < 0:
        raise ValueError("a new dimension needs a size")
    result = x
    while result.dim() < len(shape):
        result = result.unsqueeze(0)
    for position, wanted in enumerate(shape):
        if wanted != -1 and wanted != result.size(position):
            result = stretch(result, position, wanted)
    return result


def stretch(x, dim, size):
    sizes, strides = list(x.size()), list(x.stride())
    sizes[dim], strides[dim] = size, 0
    return torch.as_strided(x, sizes, strides, x.storage_offset())


def broadcast_tensors(*tensors):
    common = broadcast_shapes(*(t.size() for t in tensors))
    return tuple(map(lambda t: broadcast_to(t, common), tensors))


def unbroadcast(grad, shape):
    if len(shape) > grad.dim():
        raise ValueError("too many dimensions")
    for theirs, ours in zip(reversed(grad.shape), reversed(shape), strict=False):
        if ours != theirs and ours != 1:
            raise ValueError("shape does not broadcast to the gradient's")
    dtype = grad.dtype
    total = grad.float() if dtype in (torch.half, torch.bfloat16) else grad
    while total.dim() > len(shape):
        total = total.sum(0)
    for dim, size in enumerate(shape):
        if size != total.size(dim):
            total = total.sum(dim, keepdim=True)
    return total.to(dtype)
