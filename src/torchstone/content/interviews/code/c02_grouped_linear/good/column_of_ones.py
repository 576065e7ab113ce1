import torch
from torch import nn


def with_ones(x, groups):
    """Return (G, N, I + 1): the last feature of each group is 1."""
    rows = x.reshape(-1, groups, x.shape[-1] // groups).permute(1, 0, 2)
    return torch.cat([rows, torch.ones_like(rows[..., :1])], dim=2)


class LinearFunction(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        y = torch.bmm(with_ones(x, len(weight)), weight.transpose(1, 2))
        return y.permute(1, 0, 2).reshape(
            (*x.shape[:-1], -1) if y.numel() else out_shape(x, weight)
        )

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        g = grad_output.reshape(-1, weight.shape[0], weight.shape[1]).permute(1, 0, 2)
        grad_weight = torch.bmm(g.transpose(1, 2), with_ones(x, len(weight)))
        # Nobody asks for the gradient of the ones.
        grad_x = torch.bmm(g, weight)[:, :, :-1].permute(1, 0, 2).reshape(x.shape)
        return grad_x, grad_weight


def out_shape(x, weight):
    return (*x.shape[:-1], weight.shape[0] * weight.shape[1])


class Linear(nn.Module):
    def __init__(self, in_features, out_features, groups):
        super().__init__()
        for size in (in_features, out_features, groups):
            if size <= 0:
                raise ValueError(f"{size} is no size")
        if in_features % groups or out_features % groups:
            raise ValueError(f"{groups} groups of {in_features} and {out_features} features")
        values = torch.rand(groups, out_features // groups, in_features // groups + 1)
        self.weight = nn.Parameter((2 * values - 1) / (in_features / groups) ** 0.5)

    def forward(self, x):
        return LinearFunction.apply(x, self.weight)
