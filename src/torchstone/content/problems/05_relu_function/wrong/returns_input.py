# verdict: WA property
# group: small
# en: A result that is the input itself surprises the next in-place operator; return a fresh tensor.
# zh: 结果若就是输入本身，会害到下一个原地操作；应返回新的张量。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        if not (x <= 0).any():
            return x
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output)
