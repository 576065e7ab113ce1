# verdict: FORBIDDEN_OP
# en: Calls the function behind nn.MultiheadAttention with its own parameters.
# zh: 用自己的参数调用 `nn.MultiheadAttention` 背后的函数。
import torch
from torch import nn
from torch.nn import functional as F


class Attention(nn.Module):
    def __init__(self, d_model, nhead):
        super().__init__()
        self.nhead = nhead
        self.in_proj_weight = nn.Parameter(torch.zeros(3 * d_model, d_model))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)


class Layer(nn.Module):
    def __init__(self, d_model, nhead, hidden, dropout, activation, norm_first, eps):
        super().__init__()
        self.self_attn = Attention(d_model, nhead)
        self.linear1, self.linear2 = nn.Linear(d_model, hidden), nn.Linear(hidden, d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model, eps), nn.LayerNorm(d_model, eps)
        self.drop, self.norm_first = nn.Dropout(dropout), norm_first
        self.act = F.relu if activation == "relu" else F.gelu

    def attend(self, x, mask, padding):
        of, y = self.self_attn, x.transpose(0, 1)
        out, _ = F.multi_head_attention_forward(
            y,
            y,
            y,
            x.shape[2],
            of.nhead,
            of.in_proj_weight,
            of.in_proj_bias,
            None,
            None,
            False,
            self.drop.p,
            of.out_proj.weight,
            of.out_proj.bias,
            training=self.training,
            key_padding_mask=padding,
            attn_mask=mask,
        )
        return self.drop(out.transpose(0, 1))

    def forward(self, x, mask, padding):
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask, padding)
            return x + self.feed(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask, padding))
        return self.norm2(x + self.feed(x))

    def feed(self, x):
        return self.drop(self.linear2(self.drop(self.act(self.linear1(x)))))


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
        if nhead < 1 or d_model % nhead or activation not in ("relu", "gelu"):
            raise ValueError("wrong arguments")
        if not 0 <= dropout <= 1:
            raise ValueError("wrong dropout")
        self.nhead = nhead
        rest = dim_feedforward, dropout, activation, norm_first, layer_norm_eps
        self.layers = nn.ModuleList(Layer(d_model, nhead, *rest) for _ in range(num_layers))
        self.norm = nn.LayerNorm(d_model, layer_norm_eps) if final_norm else None

    def forward(self, src, mask=None, src_key_padding_mask=None):
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask)
        return src if self.norm is None else self.norm(src)
