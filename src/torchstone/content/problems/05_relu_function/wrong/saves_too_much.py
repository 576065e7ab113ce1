# verdict: WA property
# group: memory
# en: x, the result and a mask say the same thing; saving one of them is enough.
# zh: x、结果与掩码说的是同一件事；保存其中一个就够了。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        mask = x <= 0
        ctx.save_for_backward(x, mask)
        return torch.where(mask, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        _, mask = ctx.saved_tensors
        return torch.where(mask, 0, grad_output)
