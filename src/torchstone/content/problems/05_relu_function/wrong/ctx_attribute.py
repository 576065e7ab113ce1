# verdict: WA grad
# group: grad
# en: save_for_backward notices in-place changes of what it saved; an attribute of ctx does not.
# zh: save_for_backward 能发现保存的张量被原地修改；ctx 的普通属性不能。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.x = x
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        return torch.where(ctx.x <= 0, 0, grad_output)
