"""Attention over blocks of keys, as flash attention runs it: no (L, L) weights are kept."""

import torch
import torch.nn as nn
import torch.nn.functional as F

BLOCK = 3


class SelfAttention(nn.Module):
    def __init__(self, width, heads, p):
        super().__init__()
        self.heads = heads
        self.p = p
        self.in_proj_weight = nn.Parameter(torch.empty(3 * width, width))
        self.in_proj_bias = nn.Parameter(torch.empty(3 * width))
        nn.init.xavier_normal_(self.in_proj_weight)
        nn.init.zeros_(self.in_proj_bias)
        self.out_proj = nn.Linear(width, width)

    def split(self, x):
        return x.unflatten(-1, (self.heads, -1)).movedim(2, 1)

    def forward(self, x, bias):
        packed = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        q, k, v = (self.split(part) for part in packed.tensor_split(3, dim=2))
        q = q * q.shape[-1] ** -0.5
        top = q.new_full((*q.shape[:-1], 1), -torch.inf)
        total, context = torch.zeros_like(top), torch.zeros_like(q)
        for start in range(0, k.shape[2], BLOCK):
            keys, values = k[:, :, start : start + BLOCK], v[:, :, start : start + BLOCK]
            scores = q @ keys.mT
            if bias is not None:
                scores = scores + bias[..., start : start + BLOCK]
            highest = torch.maximum(top, scores.detach().amax(-1, keepdim=True))
            # Until the first visible key the maximum is -inf, and -inf - -inf would be NaN.
            base = highest.masked_fill(highest == -torch.inf, 0.0)
            shrink = torch.exp(top - base)
            powers = torch.exp(scores - base)
            total = total * shrink + powers.sum(-1, keepdim=True)
            # What is dropped is missing in the sum over values, not in the total.
            context = context * shrink + F.dropout(powers, self.p, self.training) @ values
            top = highest
        context = context / total.masked_fill(total == 0, 1.0)
        return self.out_proj(context.movedim(1, 2).flatten(2))


class Layer(nn.Module):
    def __init__(self, width, heads, hidden, p, act, first, eps):
        super().__init__()
        self.self_attn = SelfAttention(width, heads, p)
        self.linear1 = nn.Linear(width, hidden)
        self.linear2 = nn.Linear(hidden, width)
        self.norm1 = nn.LayerNorm(width, eps)
        self.norm2 = nn.LayerNorm(width, eps)
        self.act = act
        self.p = p
        self.first = first

    def drop(self, x):
        return F.dropout(x, self.p, self.training)

    def forward(self, x, bias):
        def attend(y):
            return self.drop(self.self_attn(y, bias))

        def feed(y):
            return self.drop(self.linear2(self.drop(self.act(self.linear1(y)))))

        for branch, norm in ((attend, self.norm1), (feed, self.norm2)):
            x = x + branch(norm(x)) if self.first else norm(x + branch(x))
        return x


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
        known = {"relu": torch.relu, "gelu": F.gelu}
        if nhead < 1 or d_model % nhead or activation not in known or not 0 <= dropout <= 1:
            raise ValueError("these arguments make no encoder")
        self.heads = nhead
        act = known[activation]
        self.layers = nn.ModuleList()
        for _ in range(num_layers):
            self.layers.append(
                Layer(d_model, nhead, dim_feedforward, dropout, act, norm_first, layer_norm_eps)
            )
        self.register_module("norm", nn.LayerNorm(d_model, layer_norm_eps) if final_norm else None)

    def forward(self, src, mask=None, src_key_padding_mask=None):
        rows, length, _ = src.shape
        bias = None
        if mask is not None or src_key_padding_mask is not None:
            bias = src.new_zeros(rows, self.heads, length, length)
        if mask is not None:
            bias = self.add(bias, mask if mask.ndim == 2 else mask.reshape(bias.shape))
        if src_key_padding_mask is not None:
            bias = self.add(bias, src_key_padding_mask[:, None, None, :])
        for layer in self.layers:
            src = layer(src, bias)
        if self.norm is not None:
            src = self.norm(src)
        return src

    @staticmethod
    def add(bias, mask):
        return bias.masked_fill(mask, -torch.inf) if mask.dtype == torch.bool else bias + mask
