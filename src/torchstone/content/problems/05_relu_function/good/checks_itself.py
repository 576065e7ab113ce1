# The file checks itself while it is loaded, with operators that record a graph, and keeps it.
import torch


class ReLU(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x <= 0, torch.zeros_like(x), x)

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return torch.where(x <= 0, torch.zeros_like(grad_output), grad_output)


x = torch.tensor([-1.0, 0.0, 2.0], requires_grad=True)
loss = (ReLU.apply(x) * torch.tensor([1.0, 2.0, 3.0])).sum()
loss.backward(retain_graph=True)
assert x.grad is not None
assert x.grad.tolist() == [0.0, 0.0, 3.0]
