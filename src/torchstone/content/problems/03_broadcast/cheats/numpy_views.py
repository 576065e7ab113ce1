# verdict: FORBIDDEN_OP
# en: NumPy makes the view, and from_numpy wraps its memory.
# zh: 由 NumPy 产生视图，再用 from_numpy 包装同一块内存。
import numpy
import torch


def broadcast_shapes(*shapes):
    return numpy.broadcast_shapes(*shapes)


def broadcast_to(x, shape):
    return torch.from_numpy(numpy.broadcast_to(x.detach().numpy(), tuple(shape)))


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
