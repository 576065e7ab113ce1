# verdict: WA value
# group: mask
# en: Row b · nhead + h of a 3-D mask belongs to sample b and head h; here the order is the other
#   one.
# zh: 三维掩码的第 b·nhead+h 行属于样本 b 的第 h 个头；这里把次序弄反了。
import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F

ACTIVATIONS = {"relu": F.relu, "gelu": F.gelu}


class SelfAttention(nn.Module):
    """Attention of a sequence to itself, with one projection for queries, keys and values."""

    def __init__(self, d_model: int, nhead: int, dropout: float) -> None:
        super().__init__()
        self.nhead, self.head_dim = nhead, d_model // nhead
        self.in_proj_weight = nn.Parameter(torch.empty(3 * d_model, d_model))
        self.in_proj_bias = nn.Parameter(torch.zeros(3 * d_model))
        self.out_proj = nn.Linear(d_model, d_model)
        self.dropout = nn.Dropout(dropout)
        nn.init.xavier_uniform_(self.in_proj_weight)

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        batch, length, d_model = x.shape
        qkv = F.linear(x, self.in_proj_weight, self.in_proj_bias)
        # (B, L, 3 D) -> (3, B, H, L, head_dim)
        heads = qkv.view(batch, length, 3, self.nhead, self.head_dim).permute(2, 0, 3, 1, 4)
        q, k, v = heads.unbind(0)
        # Scaled before the product: in float16 the product alone could overflow.
        scores = (q / math.sqrt(self.head_dim)) @ k.transpose(-2, -1)
        weights = self.dropout(masked_softmax(scores, mask))
        context = (weights @ v).transpose(1, 2).reshape(batch, length, d_model)
        return self.out_proj(context)


class EncoderLayer(nn.Module):
    """Self-attention and a feed-forward network, each with residual, dropout and norm."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int,
        dropout: float,
        activation: str,
        norm_first: bool,
        eps: float,
    ) -> None:
        super().__init__()
        self.self_attn = SelfAttention(d_model, nhead, dropout)
        self.linear1 = nn.Linear(d_model, dim_feedforward)
        self.linear2 = nn.Linear(dim_feedforward, d_model)
        self.norm1 = nn.LayerNorm(d_model, eps)
        self.norm2 = nn.LayerNorm(d_model, eps)
        self.dropout = nn.Dropout(dropout)
        self.activation, self.norm_first = ACTIVATIONS[activation], norm_first

    def forward(self, x: Tensor, mask: Tensor | None) -> Tensor:
        if self.norm_first:
            x = x + self.attend(self.norm1(x), mask)
            return x + self.feed_forward(self.norm2(x))
        x = self.norm1(x + self.attend(x, mask))
        return self.norm2(x + self.feed_forward(x))

    def attend(self, x: Tensor, mask: Tensor | None) -> Tensor:
        return self.dropout(self.self_attn(x, mask))

    def feed_forward(self, x: Tensor) -> Tensor:
        hidden = self.dropout(self.activation(self.linear1(x)))
        return self.dropout(self.linear2(hidden))


class TransformerEncoder(nn.Module):
    """Apply ``num_layers`` layers of self-attention and feed-forward network."""

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
        if nhead < 1 or d_model % nhead:
            raise ValueError(f"TransformerEncoder: nhead {nhead} must divide d_model {d_model}.")
        if activation not in ACTIVATIONS:
            raise ValueError(
                f"TransformerEncoder: activation {activation!r}; use 'relu' or 'gelu'."
            )
        if not 0 <= dropout <= 1:
            raise ValueError(f"TransformerEncoder: dropout {dropout} is outside [0, 1].")
        self.nhead = nhead
        options = (dim_feedforward, dropout, activation, norm_first, layer_norm_eps)
        self.layers = nn.ModuleList(
            EncoderLayer(d_model, nhead, *options) for _ in range(num_layers)
        )
        self.norm = nn.LayerNorm(d_model, layer_norm_eps) if final_norm else None

    def forward(
        self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None
    ) -> Tensor:
        merged = self.merge_masks(src, mask, src_key_padding_mask)
        x = src
        for layer in self.layers:
            x = layer(x, merged)
        return x if self.norm is None else self.norm(x)

    def merge_masks(
        self, src: Tensor, mask: Tensor | None, padding: Tensor | None
    ) -> Tensor | None:
        """Return what is added to the scores (B, H, L, L), broadcastable to them."""
        merged = None
        if mask is not None:
            merged = as_scores(mask, src.dtype)
            if mask.dim() == 3:
                shape = self.nhead, src.shape[0], *mask.shape[1:]
                merged = merged.reshape(shape).transpose(0, 1)
        if padding is not None:
            of_keys = as_scores(padding, src.dtype)[:, None, None, :]
            merged = of_keys if merged is None else merged + of_keys
        return merged


def as_scores(mask: Tensor, dtype: torch.dtype) -> Tensor:
    """Turn a boolean mask into scores to add: -inf where it blocks."""
    if mask.dtype != torch.bool:
        return mask
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -math.inf)


def masked_softmax(scores: Tensor, mask: Tensor | None) -> Tensor:
    """Return the weights over the keys; a query that may look at nothing gets zeros."""
    if mask is None:
        return scores.softmax(-1)
    scores = scores + mask
    # A softmax of -inf alone is 0 / 0, and its backward NaN. Such a row is replaced before.
    blind = (scores == -math.inf).all(-1, keepdim=True)
    return scores.masked_fill(blind, 0.0).softmax(-1).masked_fill(blind, 0.0)
