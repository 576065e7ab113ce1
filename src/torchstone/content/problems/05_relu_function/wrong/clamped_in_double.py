# verdict: WA value
# group: edge
# en: Integers above 2**53 do not fit into float64: compute in the dtype of x.
# zh: 大于 2**53 的整数放不进 float64：应按 `x` 自己的 dtype 计算。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if x.dtype.is_floating_point:
            y = torch.where(x <= 0, 0, x)
        else:
            y = x.double().clamp(min=0).to(x.dtype)
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output):
        (y,) = ctx.saved_tensors
        return torch.where(y <= 0, 0, grad_output)
