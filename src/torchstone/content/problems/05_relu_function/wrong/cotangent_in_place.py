# verdict: INPUT_MUTATED
# group: sample
# en: grad_output belongs to the engine, and others may read it; make a tensor of your own.
# zh: 上游梯度属于引擎，别处还可能读它；应当另建一个张量。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        grad_output[x <= 0] = 0
        return grad_output
