# outcome: WA
# tries: right gradients that cannot be differentiated
# groups: sample grad
import torch


class Once(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        y = (x - x.amax(dim, keepdim=True)).exp()
        y = y / y.sum(dim, keepdim=True)

        ctx.save_for_backward(y)
        ctx.dim = dim
        return y

    @staticmethod
    def backward(ctx, grad):
        y = ctx.saved_tensors[0].detach()
        grad = grad.detach()
        return y * (grad - (grad * y).sum(ctx.dim, keepdim=True)), None


def softmax(x, dim=-1, dtype=None):
    return Once.apply(x, dim)
