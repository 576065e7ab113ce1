# verdict: FORBIDDEN_OP
# en: A graph recorded while the file was loaded is run again inside backward.
# zh: 在加载文件时录好一张计算图，反向时再拿出来重放。
import torch

SIZE = 4_000_000


def record(dtype):
    x = torch.zeros(SIZE, dtype=dtype, requires_grad=True)
    return x, torch.where(x <= 0, 0, x * 1)


GRAPHS = {dtype: record(dtype) for dtype in (torch.float32, torch.float64)}


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, torch.zeros_like(x), x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        leaf, result = GRAPHS.get(x.dtype, GRAPHS[torch.float32])
        cotangent = torch.zeros_like(leaf).detach()
        cotangent[: x.numel()] = grad_output.reshape(-1)
        (gradient,) = torch.autograd.grad(result, leaf, cotangent, retain_graph=True)
        replayed = gradient[: x.numel()].reshape(x.shape)
        return torch.where(x <= 0, torch.zeros_like(replayed), replayed)
