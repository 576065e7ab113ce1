"""Transformer modules: TransformerEncoder, TransformerDecoder, Transformer.

Source:
    Vaswani et al., Attention is all you need (2017); pre-norm variant: Xiong et al. (2020).
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import xavier_uniform_
from torchstone.microtorch.nn.modules.attention import MultiheadAttention
from torchstone.microtorch.nn.modules.containers import ModuleList
from torchstone.microtorch.nn.modules.dropout import Dropout
from torchstone.microtorch.nn.modules.linear import Linear
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.modules.normalization import LayerNorm
from torchstone.microtorch.ops.creation import numpy_dtype
from torchstone.microtorch.tensor import Tensor, wrap


def _causal_mask(size: int, dtype: Any = None) -> Tensor:
    return wrap(np.triu(np.full((size, size), -np.inf, numpy_dtype(dtype)), 1))


def _is_causal(mask: Tensor | None, said: bool | None, size: int) -> bool:
    """Return whether a mask is causal, unless the caller specifies it."""
    if said is not None or mask is None:
        return bool(said)
    if mask.array.shape != (size, size):
        return False
    is_bool = mask.array.dtype.kind == "b"
    causal = _causal_mask(size).array
    return bool((mask.array == (np.isinf(causal) if is_bool else causal)).all())


class _Layer(Module):
    """Base class of the encoder and decoder layers."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        attentions = self._attentions()
        for name in attentions:
            attention = MultiheadAttention(
                d_model, nhead, dropout, bias, batch_first=batch_first, dtype=dtype
            )
            setattr(self, name, attention)
        self.linear1 = Linear(d_model, dim_feedforward, bias, dtype=dtype)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, bias, dtype=dtype)
        self.norm_first = norm_first
        blocks = range(1, len(attentions) + 2)
        for number in blocks:
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            setattr(self, f"norm{number}", norm)
        for number in blocks:
            setattr(self, f"dropout{number}", Dropout(dropout))
        if isinstance(activation, str) and activation not in ("relu", "gelu"):
            raise RuntimeError(f"activation should be relu/gelu, not {activation}")
        is_name = isinstance(activation, str)
        self.activation: Any = getattr(F, str(activation)) if is_name else activation

    def _attentions(self) -> tuple[str, ...]:
        return ("self_attn",)

    def _block(self, number: int, x: Tensor, compute: Callable[[Tensor], Tensor]) -> Tensor:
        """Apply a residual block, with the norm before the block or after the sum."""
        norm, dropout = getattr(self, f"norm{number}"), getattr(self, f"dropout{number}")
        if self.norm_first:
            return x + dropout(compute(norm(x)))
        return norm(x + dropout(compute(x)))

    def _look_around(
        self, x: Tensor, mask: Tensor | None, padding: Tensor | None, is_causal: bool
    ) -> Tensor:
        """Apply the first block: self-attention."""

        def attend(x: Tensor) -> Tensor:
            return self.self_attn(x, x, x, padding, False, mask, is_causal=is_causal)[0]

        return self._block(1, x, attend)

    def _feed_forward(self, x: Tensor) -> Tensor:
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class TransformerEncoderLayer(_Layer):
    """Encoder layer: self-attention and a feed-forward network."""

    def forward(
        self,
        src: Tensor,
        src_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool = False,
    ) -> Tensor:
        """Apply the layer."""
        x = self._look_around(src, src_mask, src_key_padding_mask, is_causal)
        return self._block(2, x, self._feed_forward)


class TransformerDecoderLayer(_Layer):
    """Decoder layer: self-attention, cross-attention and a feed-forward network."""

    def _attentions(self) -> tuple[str, ...]:
        return ("self_attn", "multihead_attn")

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Apply the layer."""

        def recall(x: Tensor) -> Tensor:
            return self.multihead_attn(
                x, memory, memory, memory_key_padding_mask, False, memory_mask,
                is_causal=memory_is_causal,
            )[0]  # fmt: skip

        x = self._look_around(tgt, tgt_mask, tgt_key_padding_mask, tgt_is_causal)
        return self._block(3, self._block(2, x, recall), self._feed_forward)


class _Stack(Module):
    def __init__(self, layer: Module, num_layers: int, norm: Module | None) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.num_layers, self.norm = num_layers, norm

    def _length(self, sequence: Tensor) -> int:
        is_behind = sequence.array.ndim == 3 and self.layers[0].self_attn.batch_first
        return sequence.array.shape[1 if is_behind else 0]

    def _compute(self, x: Tensor, *args: Any, **kwargs: Any) -> Tensor:
        """Apply the layers in order, then the final norm."""
        for layer in self.layers:
            x = layer(x, *args, **kwargs)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """Stack of encoder layers, initialized as copies of one layer."""

    def __init__(
        self,
        encoder_layer: Module,
        num_layers: int,
        norm: Module | None = None,
        enable_nested_tensor: bool = True,
        mask_check: bool = True,
    ) -> None:
        super().__init__(encoder_layer, num_layers, norm)
        self.enable_nested_tensor, self.mask_check = enable_nested_tensor, mask_check

    def forward(
        self,
        src: Tensor,
        mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        is_causal: bool | None = None,
    ) -> Tensor:
        """Apply the encoder."""
        causal = _is_causal(mask, is_causal, self._length(src))
        return self._compute(src, mask, src_key_padding_mask, is_causal=causal)


class TransformerDecoder(_Stack):
    """Stack of decoder layers, initialized as copies of one layer."""

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__(decoder_layer, num_layers, norm)

    def forward(
        self,
        tgt: Tensor,
        memory: Tensor,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Apply the decoder."""
        causal = _is_causal(tgt_mask, tgt_is_causal, self._length(tgt))
        return self._compute(
            tgt,
            memory,
            tgt_mask,
            memory_mask,
            tgt_key_padding_mask,
            memory_key_padding_mask,
            causal,
            memory_is_causal,
        )


class Transformer(Module):
    """Transformer: an encoder of the source sequence and a decoder of the target sequence."""

    def __init__(
        self,
        d_model: int = 512,
        nhead: int = 8,
        num_encoder_layers: int = 6,
        num_decoder_layers: int = 6,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        activation: str | Callable[[Tensor], Tensor] = F.relu,
        custom_encoder: Any = None,
        custom_decoder: Any = None,
        layer_norm_eps: float = 1e-5,
        batch_first: bool = False,
        norm_first: bool = False,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        options = (
            d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first,
            norm_first, bias, device, dtype,
        )  # fmt: skip
        if custom_encoder is None:
            layer: Module = TransformerEncoderLayer(*options)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            custom_encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        self.encoder = custom_encoder
        if custom_decoder is None:
            layer = TransformerDecoderLayer(*options)
            norm = LayerNorm(d_model, layer_norm_eps, bias=bias, dtype=dtype)
            custom_decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self.decoder = custom_decoder
        self._reset_parameters()
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def _reset_parameters(self) -> None:
        for parameter in self.parameters():
            if parameter.array.ndim > 1:
                xavier_uniform_(parameter)

    def forward(
        self,
        src: Tensor,
        tgt: Tensor,
        src_mask: Tensor | None = None,
        tgt_mask: Tensor | None = None,
        memory_mask: Tensor | None = None,
        src_key_padding_mask: Tensor | None = None,
        tgt_key_padding_mask: Tensor | None = None,
        memory_key_padding_mask: Tensor | None = None,
        src_is_causal: bool | None = None,
        tgt_is_causal: bool | None = None,
        memory_is_causal: bool = False,
    ) -> Tensor:
        """Encode ``src`` and decode ``tgt`` with the encoding."""
        batch_dim = 0 if self.batch_first else 1
        if src.array.ndim == 3 and src.array.shape[batch_dim] != tgt.array.shape[batch_dim]:
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.array.shape[-1] != self.d_model or tgt.array.shape[-1] != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(
            src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal
        )
        return self.decoder(
            tgt,
            memory,
            tgt_mask=tgt_mask,
            memory_mask=memory_mask,
            tgt_key_padding_mask=tgt_key_padding_mask,
            memory_key_padding_mask=memory_key_padding_mask,
            tgt_is_causal=tgt_is_causal,
            memory_is_causal=memory_is_causal,
        )

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Any = None, dtype: Any = None) -> Tensor:
        """Return the causal mask, which hides later elements from each element."""
        return _causal_mask(sz, dtype)
