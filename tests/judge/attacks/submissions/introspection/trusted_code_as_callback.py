# outcome: FORBIDDEN_OP
# tries: have the driver itself lift the ban, and keep it so
# groups: sample small
import sys

import torch


def session():
    frame = sys._getframe()
    while frame is not None:
        for item in frame.f_locals.values():
            if type(item).__name__ == "Session":
                return item
        frame = frame.f_back
    raise LookupError("no session")


class Late(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, dim):
        ctx.save_for_backward(x)
        ctx.dim = dim
        return x * 1

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        y = torch.softmax(x, ctx.dim)
        return y * (grad - (grad * y).sum(ctx.dim, keepdim=True)), None


def softmax(x, dim=-1, dtype=None):
    found = session()
    found.while_lifted(found.while_lifted)
    x = x.detach().requires_grad_()
    torch.autograd.grad(Late.apply(x, dim).sum(), x)
    return x
