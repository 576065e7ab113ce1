# verdict: FORBIDDEN_OP
# en: A hard tanh between 0 and infinity.
# zh: 上下限取 0 与无穷的 hardtanh。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.hardtanh(x, 0.0, float("inf"))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output)
