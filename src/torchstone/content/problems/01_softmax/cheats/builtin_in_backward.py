# verdict: FORBIDDEN_OP
# en: An honest forward, and the builtin's kernel inside Function.backward.
# zh: 前向自己写，反向却在 Function.backward 里调用内置核函数。
import torch


class Softmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        e = (x - x.amax(dim, keepdim=True)).exp()
        y = e / e.sum(dim, keepdim=True)
        ctx.save_for_backward(y)
        ctx.dim = dim
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return torch.ops.aten._softmax_backward_data(grad_output, y, ctx.dim, y.dtype), None


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    return Softmax.apply(x if dtype is None else x.to(dtype), dim)
