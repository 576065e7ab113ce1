# verdict: INPUT_MUTATED
# group: sample
# en: forward may not touch its argument; mark_dirty is for operators that promise to.
# zh: forward 不得修改输入；mark_dirty 只用于约定好的原地算子。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x.masked_fill_(x <= 0, 0)
        y = x.clone()
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output)
