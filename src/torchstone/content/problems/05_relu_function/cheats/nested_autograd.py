# verdict: FORBIDDEN_OP
# en: The backward is left to autograd: a graph is recorded inside forward.
# zh: 把反向交给 autograd：在 forward 里偷偷记录计算图。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        with torch.enable_grad():
            ctx.leaf = x.detach().requires_grad_()
            ctx.y = ctx.leaf.clamp(min=0)
        return ctx.y.detach().clone()

    @staticmethod
    def backward(ctx, grad_output):
        return torch.autograd.grad(ctx.y, ctx.leaf, grad_output, retain_graph=True)[0]
