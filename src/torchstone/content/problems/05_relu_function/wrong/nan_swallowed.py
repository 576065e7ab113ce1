# verdict: WA value
# group: edge
# en: NaN > 0 is False, so the error is hidden; write the condition as x <= 0.
# zh: NaN > 0 为假，NaN 就被藏起来了；条件应写成 x <= 0。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x, 0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output)
