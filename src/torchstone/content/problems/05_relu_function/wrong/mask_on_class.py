# verdict: WA grad
# group: grad
# en: One Function class serves many calls at once; state goes through ctx, not onto the class.
# zh: 同一个 Function 类同时服务多次调用；状态要放在 ctx 上，不能放在类上。
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ReLU.mask = x <= 0
        return x.masked_fill(ReLU.mask, 0)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.masked_fill(ReLU.mask, 0)
