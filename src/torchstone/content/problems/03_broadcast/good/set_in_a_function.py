# Style: the view is made by set_ inside a Function, whose backward is unbroadcast.
from itertools import zip_longest

import torch


class View(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, sizes, strides):
        ctx.shape = x.shape
        storage, offset = x.untyped_storage(), x.storage_offset()
        return torch.empty(0, dtype=x.dtype).set_(storage, offset, sizes, strides)

    @staticmethod
    def backward(ctx, grad_output):
        return unbroadcast(grad_output, ctx.shape), None, None


def broadcast_shapes(*shapes):
    columns = zip_longest(*(reversed(shape) for shape in shapes), fillvalue=1)
    result = []
    for column in columns:
        sizes = set(column) - {1}
        if len(sizes) > 1 or any(size < 0 for size in sizes):
            raise ValueError(f"shapes {shapes} do not broadcast: {sizes} in one column")
        result.append(sizes.pop() if sizes else 1)
    return tuple(reversed(result))


def broadcast_to(x, shape):
    missing = len(shape) - x.dim()
    if missing < 0:
        raise ValueError("dimensions cannot be dropped")
    old = [None] * missing + list(x.shape)
    sizes = [o if n == -1 and o is not None else n for o, n in zip(old, shape, strict=True)]
    if any(n < 0 or (o not in (None, 1, n)) for o, n in zip(old, sizes, strict=True)):
        raise ValueError(f"{tuple(x.shape)} does not broadcast to {tuple(shape)}")
    strides = [0] * missing + list(x.stride())
    strides = [s if o == n else 0 for s, o, n in zip(strides, old, sizes, strict=True)]
    return View.apply(x, sizes, strides)


def broadcast_tensors(*tensors):
    shape = broadcast_shapes(*[t.shape for t in tensors])
    return tuple([t if t.shape == shape else broadcast_to(t, shape) for t in tensors])


def unbroadcast(grad, shape):
    shape = tuple(shape)
    if min(shape, default=0) < 0 or broadcast_shapes(shape, grad.shape) != tuple(grad.shape):
        raise ValueError(f"{shape} does not broadcast to {tuple(grad.shape)}")
    padded = (1,) * (grad.dim() - len(shape)) + shape
    dims = tuple(i for i, (p, g) in enumerate(zip(padded, grad.shape, strict=True)) if p != g)
    if dims:
        grad = grad.sum(dims, keepdim=True)
    return grad.reshape(shape)
