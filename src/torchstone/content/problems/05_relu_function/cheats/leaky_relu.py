# verdict: FORBIDDEN_OP
# en: A leaky ReLU that does not leak.
# zh: 斜率为 0 的 leaky ReLU。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.nn.functional.leaky_relu(x, 0.0)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output)
