# verdict: WA grad
# group: edge
# en: inf times 0 is NaN: select the gradient, do not multiply it by a mask.
# zh: inf 乘 0 得 NaN：应当选择梯度，而不是乘以掩码。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output * ~(x <= 0)
