# outcome: WA | RTE
# tries: give a gradient that is not a number
# groups: sample small
import torch


class Odd(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        return torch.quantize_per_tensor(grad, 0.1, 0, torch.quint8)


def softmax(x, dim=-1, dtype=None):
    y = (Odd.apply(x) - x.amax(dim, keepdim=True)).exp()
    return y / y.sum(dim, keepdim=True)
