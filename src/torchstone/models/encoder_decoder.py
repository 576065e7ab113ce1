"""Encoder-decoder Transformer, whose decoder attends to the encoder's output."""

from __future__ import annotations

from torch import Tensor, nn

from torchstone.models.layers import Stack
from torchstone.models.masks import ALL_SEEN, Mask


class EncoderDecoder(nn.Module):
    """Read one sequence, and go on with another one.

    To go on place by place, call ``decoder`` with its caches, and with what ``encoder`` gives the
    first time.

    Args:
        encoder: Layers without a memory.
        decoder: Layers whose memory is of the encoder's width.

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
            source: Shape ``(batch, places, width)``.
            target: Shape ``(batch, other_places, width)``.
            source_mask: Which places of the source its places see.
            target_mask: Which places of the target its places see.
            memory_mask: Which places of the source the target's see.
        """
        memory = self.encoder(source, mask=source_mask)
        out: Tensor = self.decoder(target, memory, mask=target_mask, memory_mask=memory_mask)
        return out
