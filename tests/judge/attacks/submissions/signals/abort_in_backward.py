# outcome: RTE
# tries: crash while it is differentiated
# groups: sample small
import os

import torch


class Crash(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, grad):
        os.abort()


def softmax(x, dim=-1, dtype=None):
    y = (x - x.amax(dim, keepdim=True)).exp()
    return Crash.apply(y / y.sum(dim, keepdim=True))
