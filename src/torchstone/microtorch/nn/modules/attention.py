"""Multi-head attention: MultiheadAttention.

Source:
    Vaswani et al., Attention is all you need (2017), section 3.2.
"""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import constant_, unset, xavier_normal_, xavier_uniform_
from torchstone.microtorch.nn.modules.linear import Linear
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.tensor import Tensor


class NonDynamicallyQuantizableLinear(Linear):
    """Linear layer under the name that PyTorch shows for the output projection."""


class MultiheadAttention(Module):
    """Multi-head attention of queries over keys and values."""

    bias_k: Any
    bias_v: Any

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(
                "embed_dim and num_heads must be greater than 0, got "
                f"embed_dim={embed_dim} and num_heads={num_heads} instead"
            )
        if embed_dim % num_heads:
            raise AssertionError("embed_dim must be divisible by num_heads")
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self.batch_first, self.add_zero_attn = batch_first, add_zero_attn
        self.head_dim = embed_dim // num_heads
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        same = self._qkv_same_embed_dim
        shapes = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        if same:
            self.in_proj_weight = unset(3 * embed_dim, embed_dim, dtype=dtype)
        for name, size in shapes.items():
            weight = None if same else unset(embed_dim, size, dtype=dtype)
            self.register_parameter(f"{name}_proj_weight", weight)
        if not same:
            self.register_parameter("in_proj_weight", None)
        self.register_parameter("in_proj_bias", unset(3 * embed_dim, dtype=dtype) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias, dtype=dtype)
        self.bias_k = unset(1, 1, embed_dim, dtype=dtype) if add_bias_kv else None
        self.bias_v = unset(1, 1, embed_dim, dtype=dtype) if add_bias_kv else None
        self._reset_parameters()

    def _reset_parameters(self) -> None:
        for name in ("in", "q", "k", "v"):
            weight = self._parameters[f"{name}_proj_weight"]
            if weight is not None:
                xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            constant_(self.in_proj_bias, 0.0)
            constant_(self.out_proj.bias, 0.0)
        if self.bias_k is not None:
            xavier_normal_(self.bias_k)
            xavier_normal_(self.bias_v)

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the attention output of each query, and the weights if requested.

        Shapes:
            query: (target_len, batch, embed_dim); batch is first with ``batch_first``, or absent.
            key: (source_len, batch, kdim).
            value: (source_len, batch, vdim).
            key_padding_mask: (batch, source_len), True where a key is masked.
            attn_mask: (target_len, source_len), or one per head; True masks, floats are added.
        """
        turned = self.batch_first and query.array.ndim == 3
        if turned:
            query, key, value = (each.transpose(0, 1) for each in (query, key, value))
        output, weights = F.multi_head_attention_forward(
            query,
            key,
            value,
            self.embed_dim,
            self.num_heads,
            self.in_proj_weight,
            self.in_proj_bias,
            self.bias_k,
            self.bias_v,
            self.add_zero_attn,
            self.dropout,
            self.out_proj.weight,
            self.out_proj.bias,
            training=self.training,
            key_padding_mask=key_padding_mask,
            need_weights=need_weights,
            attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights,
            is_causal=is_causal,
        )
        return (output.transpose(0, 1) if turned else output), weights
