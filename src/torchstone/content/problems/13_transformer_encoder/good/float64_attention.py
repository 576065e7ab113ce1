"""Attention in float64 over flattened heads, with torch's safe softmax."""

import torch
from torch import nn
from torch.nn.functional import dropout, gelu, linear, relu


class Attention(nn.Module):
    def __init__(self, d, h):
        super().__init__()
        self.h = h
        self.in_proj_weight = nn.Parameter(torch.rand(3 * d, d) - 0.5)
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d))
        self.out_proj = nn.Linear(d, d)


def attention(module, x, mask, p):
    b, n, d = x.shape
    h = module.h
    qkv = linear(x, module.in_proj_weight, module.in_proj_bias).double()
    q, k, v = qkv.reshape(b, n, 3 * h, d // h).transpose(1, 2).reshape(b, 3, h, n, d // h).unbind(1)
    q, k, v = (each.reshape(b * h, n, d // h) for each in (q, k, v))
    scores = torch.baddbmm(mask, q, k.transpose(1, 2), alpha=(d // h) ** -0.5)
    weights = dropout(torch._safe_softmax(scores, -1), p)
    context = torch.bmm(weights, v).to(x.dtype)
    context = context.view(b, h, n, d // h).transpose(1, 2).contiguous().view(b, n, d)
    return linear(context, module.out_proj.weight, module.out_proj.bias)


class TransformerEncoder(nn.Module):
    def __init__(
        self,
        d_model,
        nhead,
        num_layers,
        dim_feedforward=2048,
        dropout=0.1,
        activation="relu",
        norm_first=False,
        layer_norm_eps=1e-5,
        final_norm=False,
    ):
        super().__init__()
        if nhead <= 0 or d_model % nhead > 0:
            raise ValueError(f"nhead {nhead}")
        if activation not in {"relu", "gelu"}:
            raise ValueError(f"activation {activation}")
        if not (dropout >= 0 and dropout <= 1):
            raise ValueError(f"dropout {dropout}")

        def layer():
            return nn.ModuleDict(
                {
                    "self_attn": Attention(d_model, nhead),
                    "linear1": nn.Linear(d_model, dim_feedforward),
                    "linear2": nn.Linear(dim_feedforward, d_model),
                    "norm1": nn.LayerNorm(d_model, layer_norm_eps),
                    "norm2": nn.LayerNorm(d_model, layer_norm_eps),
                }
            )

        self.layers = nn.ModuleList(layer() for _ in range(num_layers))
        if final_norm:
            self.add_module("norm", nn.LayerNorm(d_model, layer_norm_eps))
        self.h, self.p = nhead, dropout
        self.activation = {"relu": relu, "gelu": gelu}[activation]
        self.norm_first = norm_first

    def forward(self, src, mask=None, src_key_padding_mask=None):
        b, n, _ = src.shape
        merged = torch.zeros(b, self.h, n, n, dtype=torch.float64)
        if mask is not None:
            merged = merged + scores_of(mask).reshape(
                (b, self.h, n, n) if mask.dim() == 3 else (1, 1, n, n)
            )
        if src_key_padding_mask is not None:
            merged = merged + scores_of(src_key_padding_mask).reshape(b, 1, 1, n)
        merged = merged.reshape(b * self.h, n, n)
        p = self.p if self.training else 0.0

        def attend(layer, x):
            return dropout(attention(layer["self_attn"], x, merged, p), p)

        def feed(layer, x):
            hidden = dropout(self.activation(layer["linear1"](x)), p)
            return dropout(layer["linear2"](hidden), p)

        x = src
        for layer in self.layers:
            if self.norm_first:
                x = x + attend(layer, layer["norm1"](x))
                x = x + feed(layer, layer["norm2"](x))
            else:
                x = layer["norm1"](x + attend(layer, x))
                x = layer["norm2"](x + feed(layer, x))
        return self.norm(x) if "norm" in dict(self.named_children()) else x


def scores_of(mask):
    if mask.dtype != torch.bool:
        return mask.double()
    return torch.zeros(mask.shape, dtype=torch.float64).masked_fill(mask, float("-inf"))
