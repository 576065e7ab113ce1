"""Every part by hand, one head after the other."""

import math

import torch
from torch import Tensor, nn


class Linear(nn.Module):
    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        limit = 1 / math.sqrt(in_features)
        self.weight = nn.Parameter(torch.empty(out_features, in_features).uniform_(-limit, limit))
        self.bias = nn.Parameter(torch.zeros(out_features))

    def forward(self, x: Tensor) -> Tensor:
        return x @ self.weight.T + self.bias


class Norm(nn.Module):
    def __init__(self, features: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        wide = x if x.dtype == torch.float64 else x.float()
        centred = wide - wide.mean(-1, keepdim=True)
        scale = torch.rsqrt(centred.square().mean(-1, keepdim=True) + self.eps)
        return (centred * scale * self.weight + self.bias).to(x.dtype)


class Dropout(nn.Module):
    def __init__(self, p: float) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        if not self.training or self.p == 0:
            return x
        if self.p == 1:
            return torch.zeros_like(x)
        kept = torch.rand(x.shape) >= self.p
        return torch.where(kept, x / (1 - self.p), 0.0)


class Attention(nn.Module):
    def __init__(self, d_model: int, nhead: int, p: float) -> None:
        super().__init__()
        self.nhead = nhead
        self.in_proj_weight = nn.Parameter(torch.empty(3 * d_model, d_model))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        nn.init.normal_(self.in_proj_weight, std=d_model**-0.5)
        self.out_proj = Linear(d_model, d_model)
        self.drop = Dropout(p)

    def forward(self, x: Tensor, masks: list[Tensor]) -> Tensor:
        width = x.shape[-1]
        size = width // self.nhead
        contexts = []
        for head in range(self.nhead):
            q, k, v = (
                self.project(x, start + head * size, size) for start in (0, width, 2 * width)
            )
            scores = torch.matmul(q / math.sqrt(size), k.mT)
            for mask in masks:
                scores = scores + (mask[:, head] if mask.shape[1] > 1 else mask[:, 0])
            nothing = (scores == float("-inf")).all(-1)[..., None]
            # Another row instead of one of -inf alone, so that no NaN arises in either direction.
            weights = torch.where(nothing, torch.zeros_like(scores), scores).softmax(dim=2)
            weights = weights * nothing.logical_not()
            contexts.append(self.drop(weights) @ v)
        return self.out_proj(torch.cat(contexts, dim=-1))

    def project(self, x: Tensor, start: int, size: int) -> Tensor:
        rows = slice(start, start + size)
        return x @ self.in_proj_weight[rows].T + self.in_proj_bias[rows]


class Layer(nn.Module):
    def __init__(self, d_model: int, nhead: int, hidden: int, p: float, eps: float) -> None:
        super().__init__()
        self.self_attn = Attention(d_model, nhead, p)
        self.linear1, self.linear2 = Linear(d_model, hidden), Linear(hidden, d_model)
        self.norm1, self.norm2 = Norm(d_model, eps), Norm(d_model, eps)
        self.drop = Dropout(p)


def relu(x: Tensor) -> Tensor:
    return x.clamp(min=0)


def gelu(x: Tensor) -> Tensor:
    return 0.5 * x * (1 + torch.erf(x / math.sqrt(2)))


class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model: int,
        nhead: int,
        num_layers: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str = "relu",
        norm_first: bool = False,
        layer_norm_eps: float = 1e-5,
        final_norm: bool = False,
    ) -> None:
        super().__init__()
        if nhead < 1 or d_model % nhead != 0:
            raise ValueError(f"{nhead} heads do not divide {d_model} features")
        if activation not in ("relu", "gelu") or not 0.0 <= dropout <= 1.0:
            raise ValueError(f"activation {activation!r} or dropout {dropout} is unknown")
        self.nhead, self.norm_first = nhead, norm_first
        self.activation = relu if activation == "relu" else gelu
        self.layers = nn.Sequential()
        for index in range(num_layers):
            layer = Layer(d_model, nhead, dim_feedforward, dropout, layer_norm_eps)
            self.layers.add_module(str(index), layer)
        self.norm = Norm(d_model, layer_norm_eps) if final_norm else nn.Identity()

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        masks = []
        if mask is not None:
            shape = (1, 1) if mask.dim() == 2 else (src.shape[0], self.nhead)
            masks.append(self.additive(mask, src).reshape(*shape, *mask.shape[-2:]))
        if src_key_padding_mask is not None:
            masks.append(self.additive(src_key_padding_mask, src)[:, None, None])
        x = src
        for layer in self.layers:
            entering = layer.norm1(x) if self.norm_first else x
            x = x + layer.drop(layer.self_attn(entering, masks))
            x = x if self.norm_first else layer.norm1(x)
            entering = layer.norm2(x) if self.norm_first else x
            hidden = layer.drop(self.activation(layer.linear1(entering)))
            x = x + layer.drop(layer.linear2(hidden))
            x = x if self.norm_first else layer.norm2(x)
        return self.norm(x)

    def additive(self, mask: Tensor, like: Tensor) -> Tensor:
        if mask.dtype is torch.bool:
            return torch.where(mask, float("-inf"), 0.0).to(like.dtype)
        return mask
