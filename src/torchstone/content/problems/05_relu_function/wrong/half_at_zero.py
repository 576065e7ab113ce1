# verdict: WA grad
# group: sample
# en: Any value in [0, 1] is a subgradient at 0; the convention is 0.
# zh: 在 0 处，[0, 1] 中的任何数都是次梯度；约定取 0。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        slope = torch.where(x < 0, 0.0, torch.where(x == 0, 0.5, 1.0)).to(x.dtype)
        return torch.where(x < 0, 0, slope * grad_output)
