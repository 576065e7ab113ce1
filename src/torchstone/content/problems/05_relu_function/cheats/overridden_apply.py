# verdict: FORBIDDEN_OP | WA property
# en: apply is replaced by differentiable operators; backward is never called.
# zh: 用可微算子改写 apply，backward 从未被调用。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def apply(x):
        return torch.where(x <= 0, torch.zeros_like(x), x)

    @staticmethod
    def forward(ctx, x):
        return x.clamp(min=0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output
