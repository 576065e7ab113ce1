# The backward is a Function of its own, whose backward is itself.
import torch


class Gate(torch.autograd.Function):
    @staticmethod
    def forward(ctx, gradient, y):
        ctx.save_for_backward(y)
        out = gradient.clone()
        out[y <= 0] = 0
        return out

    @staticmethod
    def backward(ctx, gradient):
        (y,) = ctx.saved_tensors
        return Gate.apply(gradient, y), None


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        y = torch.maximum(x, x.new_zeros(()))
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return Gate.apply(grad_output, y.detach())
