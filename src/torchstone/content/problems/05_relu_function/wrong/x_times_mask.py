# verdict: WA value
# group: edge
# en: -inf times 0 is NaN as well: select the value, do not multiply it by a mask.
# zh: −inf 乘 0 也是 NaN：应当选择数值，而不是乘以掩码。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * ~(x <= 0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output)
