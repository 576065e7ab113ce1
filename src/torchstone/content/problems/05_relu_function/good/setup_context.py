# forward without ctx, and setup_context; clamp keeps NaN.
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x.clamp(min=0)

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(torch.le(x, 0), torch.zeros_like(grad_output), grad_output)
