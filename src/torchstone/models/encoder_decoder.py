"""Encoder-decoder Transformer, whose decoder attends to the encoder's output."""

from __future__ import annotations

from torch import Tensor, nn

from torchstone.models.layers import Stack
from torchstone.models.masks import ALL_SEEN, Mask


class EncoderDecoder(nn.Module):
    """Encoder-decoder Transformer.

    For incremental decoding, call ``decoder`` with its caches, and with the output of ``encoder``
    the first time.

    Args:
        encoder: Layers without cross-attention.
        decoder: Layers with cross-attention to a memory of the encoder's width.

    Source:
        Vaswani et al., "Attention Is All You Need", 2017, figure 1.
    """

    def __init__(self, encoder: Stack, decoder: Stack) -> None:
        super().__init__()
        self.encoder, self.decoder = encoder, decoder

    def forward(
        self,
        source: Tensor,
        target: Tensor,
        *,
        source_mask: Mask = ALL_SEEN,
        target_mask: Mask = ALL_SEEN,
        memory_mask: Mask = ALL_SEEN,
    ) -> Tensor:
        """Return the decoder's output for the target.

        Args:
            source: Shape ``(batch, source_len, width)``.
            target: Shape ``(batch, target_len, width)``.
            source_mask: The mask of the encoder's self-attention.
            target_mask: The mask of the decoder's self-attention.
            memory_mask: The mask of the cross-attention.
        """
        memory = self.encoder(source, mask=source_mask)
        out: Tensor = self.decoder(target, memory, mask=target_mask, memory_mask=memory_mask)
        return out
