"""Transformer layers: LayerNorm, RMSNorm, feed-forward network, and a stack of layers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from torchstone.kernels import bias_gelu, layer_norm, rms_norm, swiglu
from torchstone.models.attention import Attention, Cache, Memory
from torchstone.models.masks import ALL_SEEN, Mask

ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {
    "relu": F.relu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
}


class LayerNorm(nn.LayerNorm):
    """``torch.nn.LayerNorm``, computed by ``torchstone.kernels``."""

    def forward(self, x: Tensor) -> Tensor:
        """Normalize the last dimension."""
        return layer_norm(x, self.normalized_shape, self.weight, self.bias, self.eps)


class RMSNorm(nn.RMSNorm):
    """``torch.nn.RMSNorm``, computed by ``torchstone.kernels``."""

    def forward(self, x: Tensor) -> Tensor:
        """Normalize the last dimension."""
        return rms_norm(x, self.normalized_shape, self.weight, self.eps)


NORMS: dict[str, type[LayerNorm | RMSNorm]] = {"layer": LayerNorm, "rms": RMSNorm}


class FeedForward(nn.Module):
    """Feed-forward network: two linear maps with an activation in between, at each position.

    Args:
        width: Number of features per position.
        hidden_width: Number of hidden features.
        activation: ``relu``, ``gelu``, ``gelu_tanh``, or ``swiglu``, which has a third linear map.
        bias: Whether the linear maps have a bias.
        dropout: Dropout probability of the hidden features in training.

    Source:
        Vaswani et al., 2017, section 3.3; Shazeer, "GLU Variants Improve Transformer", 2020.
    """

    def __init__(
        self,
        width: int,
        hidden_width: int,
        *,
        activation: str = "gelu",
        bias: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if activation not in (*ACTIVATIONS, "swiglu"):
            wanted = ", ".join((*ACTIVATIONS, "swiglu"))
            raise ValueError(f"FeedForward: activation is {activation!r}; expected {wanted}")
        self.activation = activation
        self.up = nn.Linear(width, hidden_width, bias=bias)
        self.gate = nn.Linear(width, hidden_width, bias=bias) if activation == "swiglu" else None
        self.down = nn.Linear(hidden_width, width, bias=bias)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the network to x, shape ``(*, width)``."""
        if self.gate is not None:
            hidden = swiglu(self.gate(x), self.up(x))
        elif self.activation == "gelu_tanh":
            hidden = bias_gelu(F.linear(x, self.up.weight), self.up.bias)
        else:
            hidden = ACTIVATIONS[self.activation](self.up(x))
        out: Tensor = self.down(self.dropout(hidden))
        return out


class LayerCache:
    """Cache of a layer for the previous positions.

    Attributes:
        own: Keys and values of the self-attention.
        memory: Keys and values of the cross-attention, once they are computed.
    """

    def __init__(self) -> None:
        self.own = Cache()
        self.memory: Memory | None = None


class Layer(nn.Module):
    """Transformer layer: attention and a feed-forward network with residual connections.

    Without a memory it is a layer of an encoder or a language model; with a memory it is a decoder
    layer, with cross-attention between the two parts.

    Args:
        width: Number of features per position.
        num_heads: Number of attention heads.
        hidden_width: Number of hidden features of the feed-forward network; by default four times
            the width.
        memory_width: Number of features per position of the memory; None without a memory.
        is_pre_norm: Normalize the input of each part (pre-norm) instead of the sum (post-norm).
        norm: ``layer`` or ``rms``.
        activation: As for ``FeedForward``.
        bias: Whether linear maps have a bias.
        dropout: Dropout probability of the output of each part in training.
        eps: The eps of the norms.
        attention: Further arguments of ``Attention``; ``position`` applies to self-attention only.

    Source:
        Vaswani et al., 2017, section 3.1; Xiong et al., "On Layer Normalization in the Transformer
        Architecture", 2020, figure 1.
    """

    def __init__(
        self,
        width: int,
        num_heads: int,
        hidden_width: int | None = None,
        *,
        memory_width: int | None = None,
        is_pre_norm: bool = True,
        norm: str = "layer",
        activation: str = "gelu",
        bias: bool = True,
        dropout: float = 0.0,
        eps: float = 1e-5,
        **attention: Any,
    ) -> None:
        super().__init__()
        if norm not in NORMS:
            raise ValueError(f"Layer: norm is {norm!r}; expected {', '.join(NORMS)}")
        self.is_pre_norm = is_pre_norm
        attention = {"bias": bias, "dropout": dropout} | attention
        self.attention = Attention(width, num_heads, **attention)
        self.attention_norm = NORMS[norm](width, eps=eps)
        self.memory_attention: Attention | None = None
        if memory_width is not None:
            attention |= {"position": None, "memory_width": memory_width}
            self.memory_attention = Attention(width, num_heads, **attention)
            self.memory_norm = NORMS[norm](width, eps=eps)
        self.feed_forward = FeedForward(
            width,
            4 * width if hidden_width is None else hidden_width,
            activation=activation,
            bias=bias,
            dropout=dropout,
        )
        self.feed_forward_norm = NORMS[norm](width, eps=eps)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Mask = ALL_SEEN,
        memory_mask: Mask = ALL_SEEN,
        cache: LayerCache | None = None,
    ) -> Tensor:
        """Apply the layer to x, shape ``(batch, positions, width)``.

        Args:
            x: The input.
            memory: Shape ``(batch, keys, memory_width)``: the memory of cross-attention. It may be
                omitted if it is in the cache.
            mask: The mask of self-attention.
            memory_mask: The mask of cross-attention.
            cache: The previous positions; x is appended.
        """
        held = None if cache is None else cache.memory
        if (self.memory_attention is None) != (memory is None and held is None):
            has = "has no memory" if self.memory_attention is None else "wants a memory"
            raise ValueError(f"Layer: this layer {has}")
        own = None if cache is None else cache.own
        x = self._add(x, lambda x: self.attention(x, mask=mask, cache=own), self.attention_norm)
        if (cross := self.memory_attention) is not None:
            if memory is not None:
                held = cross.remember(memory)
                if cache is not None:
                    cache.memory = held
            x = self._add(x, lambda x: cross(x, held, mask=memory_mask), self.memory_norm)
        return self._add(x, self.feed_forward, self.feed_forward_norm)

    def _add(self, x: Tensor, part: Callable[[Tensor], Tensor], norm: nn.Module) -> Tensor:
        out: Tensor
        if self.is_pre_norm:
            out = x + self.dropout(part(norm(x)))
        else:
            out = norm(x + self.dropout(part(x)))
        return out


class Stack(nn.Module):
    """Sequence of layers.

    Args:
        layers: The layers, which may differ.
        norm: Applied after the last layer, as pre-norm layers require; or None.
    """

    def __init__(self, layers: Sequence[Layer], norm: nn.Module | None = None) -> None:
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.norm = norm

    def caches(self) -> list[LayerCache]:
        """Return an empty cache for each layer."""
        return [LayerCache() for _ in self.layers]

    def forward(
        self,
        x: Tensor,
        memory: Tensor | None = None,
        *,
        mask: Mask = ALL_SEEN,
        memory_mask: Mask = ALL_SEEN,
        caches: Sequence[LayerCache] | None = None,
    ) -> Tensor:
        """Apply all layers; see ``Layer``."""
        for place, layer in enumerate(self.layers):
            cache = None if caches is None else caches[place]
            x = layer(x, memory, mask=mask, memory_mask=memory_mask, cache=cache)
        return x if self.norm is None else self.norm(x)
