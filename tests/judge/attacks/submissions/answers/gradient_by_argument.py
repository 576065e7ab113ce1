# outcome: WA
# tries: a backward that ignores what it is given
# groups: sample small
import torch


class Fake(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        y = (x - x.amax(dim, keepdim=True)).exp()
        y = y / y.sum(dim, keepdim=True)

        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad):
        (y,) = ctx.saved_tensors
        return y * (1 - y), None


def softmax(x, dim=-1, dtype=None):
    return Fake.apply(x, dim)
