# verdict: WA grad
# group: sample
# en: backward returns a product with grad_output, not the derivative alone.
# zh: backward 返回的是与上游梯度的乘积，而不只是导数本身。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, torch.ones_like(grad_output))
