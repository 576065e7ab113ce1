# verdict: WA grad
# group: sample
# en: PyTorch takes the subgradient 0 at 0: the mask is x > 0, not x >= 0.
# zh: PyTorch 在 0 处取次梯度 0：掩码是 x > 0，不是 x >= 0。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x < 0, 0, grad_output)
