import torch
from torch import nn


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(x, weight, bias):
        y = torch.matmul(x, weight.t())
        if bias is not None:
            y = y + bias
        return y

    @staticmethod
    def setup_context(ctx, inputs, output):
        x, weight, _ = inputs
        ctx.save_for_backward(x, weight)

    @staticmethod
    def backward(ctx, g):
        x, weight = ctx.saved_tensors
        g2 = g.flatten(0, -2) if g.dim() > 1 else g.unsqueeze(0)
        x2 = x.flatten(0, -2) if x.dim() > 1 else x.unsqueeze(0)
        bias = g2.sum(dim=0) if ctx.needs_input_grad[2] else None
        return torch.matmul(g, weight), torch.mm(g2.t(), x2), bias


class Linear(nn.Module):
    def __init__(self, in_features, out_features, bias=True):
        super().__init__()
        bound = in_features ** (-0.5)
        self.weight = nn.Parameter((2 * torch.rand(out_features, in_features) - 1) * bound)
        values = nn.Parameter((2 * torch.rand(out_features) - 1) * bound) if bias else None
        self.register_parameter("bias", values)

    def forward(self, x):
        return LinearFunction.apply(x, self.weight, self.bias)
