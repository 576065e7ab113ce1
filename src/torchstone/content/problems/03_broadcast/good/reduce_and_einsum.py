# Style: pairs of shapes folded with reduce; the sum is an einsum over named dimensions.
import functools
import string

import torch


def pair(left, right):
    if len(left) < len(right):
        left, right = right, left
    gap = len(left) - len(right)
    merged = list(left[:gap])
    for a, b in zip(left[gap:], right, strict=True):
        if a != b and a != 1 and b != 1:
            raise RuntimeError(f"{left} and {right} do not broadcast")
        merged.append(b if a == 1 else a)
    return tuple(merged)


def broadcast_shapes(*shapes):
    shapes = [tuple(shape) for shape in shapes]
    if any(size < 0 for shape in shapes for size in shape):
        raise RuntimeError("sizes cannot be negative")
    return functools.reduce(pair, shapes, ())


def broadcast_to(x, shape):
    shape = list(shape)
    extra = len(shape) - x.ndim
    for i in range(max(extra, 0), len(shape)):
        if shape[i] == -1:
            shape[i] = x.shape[i - extra]
    if extra < 0 or broadcast_shapes(x.shape, shape) != tuple(shape):
        raise RuntimeError(f"{tuple(x.shape)} does not broadcast to {tuple(shape)}")
    stride = [0] * extra
    for size, step, wanted in zip(x.shape, x.stride(), shape[extra:], strict=True):
        stride.append(0 if size == 1 and wanted != 1 else step)
    return x.as_strided(shape, stride)


def broadcast_tensors(*tensors):
    shape = broadcast_shapes(*(x.shape for x in tensors))
    return tuple(broadcast_to(x, shape) for x in tensors)


def unbroadcast(grad, shape):
    shape = tuple(shape)
    if broadcast_shapes(shape, grad.shape) != tuple(grad.shape):
        raise RuntimeError(f"{shape} does not broadcast to {tuple(grad.shape)}")
    names = string.ascii_lowercase[: grad.ndim]
    kept = [
        name
        for name, size, target in zip(names[::-1], grad.shape[::-1], shape[::-1], strict=False)
        if size == target
    ]
    wide = grad.float() if grad.dtype in (torch.float16, torch.bfloat16) else grad
    total = torch.einsum(f"{names}->{''.join(reversed(kept))}", wide)
    return total.to(grad.dtype).reshape(shape)
