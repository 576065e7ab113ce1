# verdict: FORBIDDEN_OP
# en: The operator is called by its dispatcher name instead of its method.
# zh: 不用方法名，改用调度器中的名字调用同一个算子。
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
    return torch.ops.aten.expand.default(x, list(shape))


def broadcast_tensors(*tensors):
    shape = broadcast_shapes(*(x.shape for x in tensors))
    return tuple(broadcast_to(x, shape) for x in tensors)


def unbroadcast(grad, shape):
    return torch.ops.aten.sum_to_size.default(grad, list(shape))
