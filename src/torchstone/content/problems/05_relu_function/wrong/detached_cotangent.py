# verdict: WA grad
# group: grad
# en: A detached grad_output cuts the graph of the backward, and the second derivative is lost.
# zh: detach 上游梯度会切断反向的计算图，二阶导数就丢了。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, 0, x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, 0, grad_output.detach())
