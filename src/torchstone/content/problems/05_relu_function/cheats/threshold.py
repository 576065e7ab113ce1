# verdict: FORBIDDEN_OP
# en: ReLU by its older name.
# zh: ReLU 的旧名字。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.threshold(x, 0, 0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output)
