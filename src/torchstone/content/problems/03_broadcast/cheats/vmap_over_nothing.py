# verdict: FORBIDDEN_OP
# en: vmap over an index that is never used makes the added dimension; its unwrapping expands.
# zh: 对从未使用的下标做 vmap 来产生新维度；vmap 拆包时会调用 expand。
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


def broadcast_to(x, shape):
    num_new = len(shape) - x.ndim
    sizes = [x.shape[i - num_new] if n == -1 and i >= num_new else n for i, n in enumerate(shape)]
    if broadcast_shapes(x.shape, sizes) != tuple(sizes):
        raise ValueError("the shapes do not fit")
    for position, size in enumerate(sizes):
        if position < num_new:
            x = added(x, position, size)
        elif x.shape[position] != size:
            x = added(x.select(position, 0), position, size)
    return x


def added(x, dim, size):
    return torch.vmap(lambda _: x)(torch.empty(size, device="meta")).movedim(0, dim)


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
