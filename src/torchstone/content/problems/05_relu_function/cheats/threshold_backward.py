# verdict: FORBIDDEN_OP
# en: An honest forward, and PyTorch's kernel for the backward.
# zh: 前向自己写，反向调用 PyTorch 的核函数。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.ops.aten.threshold_backward(grad_output, x, 0)
