# outcome: FORBIDDEN_OP | RTE | WA
# tries: run an engine of its own where the driver has lifted a ban
# problem: 03
# groups: sample small grad layout
import sys
from collections.abc import Sequence

import torch


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Work out the common shape: per column, the size that is not 1."""
    ndim = max(map(len, shapes), default=0)
    common = [1] * ndim
    for shape in shapes:
        # Negative indices count from the right, where the shapes are aligned.
        for position in range(-len(shape), 0):
            size = shape[position]
            if size < 0:
                raise ValueError(f"broadcast_shapes: size {size} in {tuple(shape)} is negative")
            if size == 1:
                continue  # says nothing about the column; 0 is a size like any other
            if common[position] not in (1, size):
                raise ValueError(f"broadcast_shapes: {size} meets {common[position]} in {shapes}")
            common[position] = size
    return tuple(common)


state = {"lifted": False}


def session():
    frame = sys._getframe()
    while frame is not None:
        for item in frame.f_locals.values():
            if type(item).__name__ == "Session":
                return item
        frame = frame.f_back
    raise LookupError("no session")


class Inside(torch.autograd.Function):
    @staticmethod
    def forward(ctx, anchor, work):
        ctx.work = work
        return anchor * 1

    @staticmethod
    def backward(ctx, grad):
        with torch.enable_grad():
            ctx.work()
        return grad, None


def expand_in_engine(x, shape):
    found = []
    anchor = torch.ones((), requires_grad=True)
    with torch.enable_grad():
        Inside.apply(anchor, lambda: found.append(x.expand(shape))).backward()
    return found[0]


def broadcast_to(x, shape):
    found = session()
    lifted = found.while_lifted
    if not state["lifted"]:
        state["lifted"] = True
        found.while_lifted = lambda work: lifted(lambda: (expand_in_engine(x, shape), work())[1])
    return honest_broadcast_to(x, shape)


def honest_broadcast_to(x: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """View a tensor in a larger shape: an added or stretched dimension has stride 0."""
    num_new = len(shape) - x.ndim
    if num_new < 0:
        raise ValueError(f"broadcast_to: {tuple(x.shape)} cannot lose dimensions")
    sizes, strides = [], []
    for position, size in enumerate(shape):
        is_new = position < num_new
        # A dimension that is not there behaves like one of size 1, except that -1 cannot keep it.
        old_size, old_stride = (1, 0) if is_new else _dimension(x, position - num_new)
        if size == -1 and not is_new:
            size = old_size
        if size < 0 or old_size not in (1, size):
            raise ValueError(f"broadcast_to: {tuple(x.shape)} does not fit {tuple(shape)}")
        sizes.append(size)
        strides.append(old_stride if size == old_size else 0)
    # The strides come from x, for x may itself be a transposed, sliced or expanded view, and the
    # storage offset stays what it is. as_strided checks none of this; we have.
    return x.as_strided(sizes, strides, x.storage_offset())


def broadcast_tensors(*tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
    """View all tensors in their common shape."""
    shape = broadcast_shapes(*(tensor.shape for tensor in tensors))
    return tuple(broadcast_to(tensor, shape) for tensor in tensors)


def unbroadcast(grad: torch.Tensor, shape: Sequence[int]) -> torch.Tensor:
    """Apply the adjoint of broadcasting: what was copied is summed."""
    if broadcast_shapes(shape, grad.shape) != tuple(grad.shape):
        raise ValueError(f"unbroadcast: {tuple(shape)} does not broadcast to {tuple(grad.shape)}")
    num_new = grad.ndim - len(shape)
    # Dimensions are matched by position from the right, never by size: (2, 2) -> (2, 1) has two 2s.
    stretched = [
        position + num_new
        for position, size in enumerate(shape)
        if size == 1 and grad.shape[position + num_new] != 1
    ]
    dims = [*range(num_new), *stretched]
    # One sum over all of them rounds once, which half precision needs. sum(dim=[]) would sum all.
    summed = grad.sum(dims) if dims else grad
    return summed.reshape(tuple(shape))  # gives the ones back


def _dimension(x: torch.Tensor, position: int) -> tuple[int, int]:
    return x.size(position), x.stride(position)
