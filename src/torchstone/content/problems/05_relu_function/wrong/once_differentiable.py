# verdict: RTE
# group: grad
# en: Here the backward must be differentiable, too: build it from differentiable operators.
# zh: 本题要求反向也可求导：用可微的算子来写它。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, 0, x)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output)
