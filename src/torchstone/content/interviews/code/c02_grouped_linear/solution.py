import torch
from torch import Tensor, nn


class LinearFunction(torch.autograd.Function):
    """Multiply each group of features by its matrix; the last column of a matrix is its bias."""

    # G groups, N rows, O and I features of one group

    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        y = _grouped(x, weight[..., :-1]) @ weight[..., :-1].transpose(1, 2)
        return _joined(y + weight[:, None, :, -1], x.shape)

    @staticmethod
    def backward(ctx, grad_output):
        x, weight = ctx.saved_tensors
        x_GNI = _grouped(x, weight[..., :-1])
        g_GNO = _grouped(grad_output, weight[..., :-1].transpose(1, 2))
        grad_x = _joined(g_GNO @ weight[..., :-1], x.shape)
        # The column of the bias is multiplied by ones: its gradient is a sum over the rows.
        columns = (g_GNO.transpose(1, 2) @ x_GNI, g_GNO.sum(1)[..., None])
        return grad_x, torch.cat(columns, -1)


def _grouped(x: Tensor, weight: Tensor) -> Tensor:
    """Bring the groups of features to the front: (*, G I) -> (G, N, I)."""
    groups, _, features = weight.shape
    return x.reshape(-1, groups, features).transpose(0, 1)


def _joined(y: Tensor, shape: torch.Size) -> Tensor:
    """Put the groups of features beside each other again: (G, N, O) -> (*, G O)."""
    return y.transpose(0, 1).reshape(*shape[:-1], y.shape[0] * y.shape[2])


class Linear(nn.Module):
    """Own the weight, (groups, out / groups, in / groups + 1), and apply LinearFunction."""

    def __init__(self, in_features: int, out_features: int, groups: int) -> None:
        super().__init__()
        if min(in_features, out_features, groups) < 1:
            raise ValueError("Linear: sizes and groups must be at least 1.")
        if in_features % groups or out_features % groups:
            sizes = f"{in_features} and {out_features}"
            raise ValueError(f"Linear: {groups} groups do not divide {sizes} features.")
        columns = in_features // groups
        limit = columns**-0.5
        shape = (groups, out_features // groups, columns + 1)
        self.weight = nn.Parameter(torch.empty(shape).uniform_(-limit, limit))

    def forward(self, x: Tensor) -> Tensor:
        return LinearFunction.apply(x, self.weight)
