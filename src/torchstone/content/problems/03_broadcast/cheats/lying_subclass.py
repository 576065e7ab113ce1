# verdict: WA property
# en: The data is copied; a subclass tells the strides and the pointer that are wanted.
# zh: 数据是复制来的，子类却谎报了想要的步长和指针。
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


class View(torch.Tensor):
    def stride(self, *args):
        return self.told[0]

    def data_ptr(self):
        return self.told[1]

    def untyped_storage(self):
        return self.told[2]


def broadcast_to(x, shape):
    num_new = len(shape) - x.ndim
    sizes = [x.shape[i - num_new] if n == -1 and i >= num_new else n for i, n in enumerate(shape)]
    if broadcast_shapes(x.shape, sizes) != tuple(sizes):
        raise ValueError("the shapes do not fit")
    result = torch.where(torch.ones(sizes, dtype=torch.bool), x, x).as_subclass(View)
    old = [None] * num_new + list(x.shape)
    steps = [0] * num_new + list(x.stride())
    stride = tuple(s if o == n else 0 for o, n, s in zip(old, sizes, steps, strict=True))
    result.told = stride, x.data_ptr(), x.untyped_storage()
    return result


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
