"""Autoregressive language model: predicts the next token."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from torchstone.models.layers import Layer, LayerCache, Stack
from torchstone.models.masks import Mask
from torchstone.models.positions import Learned, Sinusoidal


class LanguageModel(nn.Module):
    """Language model: token embedding, layers, and logits of the next token.

    Args:
        num_tokens: The vocabulary size.
        layers: The layers, of one width, without cross-attention.
        norm: Applied after the last layer; or None.
        position: Added to the token embeddings; None if the layers encode positions themselves.
        is_tied: Whether the output projection shares the weight of the token embedding.
        dropout: Dropout probability of the input of the layers in training.

    Source:
        Radford et al., "Language Models are Unsupervised Multitask Learners", 2019; Press, Wolf,
        "Using the Output Embedding to Improve Language Models", 2017 (weight tying).
    """

    def __init__(
        self,
        num_tokens: int,
        layers: Sequence[Layer],
        *,
        norm: nn.Module | None = None,
        position: Sinusoidal | Learned | None = None,
        is_tied: bool = True,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        if not layers:
            raise ValueError("LanguageModel: there are no layers; expected at least one")
        width = layers[0].attention.query.in_features
        self.tokens = nn.Embedding(num_tokens, width)
        nn.init.normal_(self.tokens.weight, std=0.02)
        self.position = position
        self.dropout = nn.Dropout(dropout)
        self.stack = Stack(layers, norm)
        self.scores = nn.Linear(width, num_tokens, bias=False)
        if is_tied:
            self.scores.weight = self.tokens.weight

    def forward(self, tokens: Tensor, caches: Sequence[LayerCache] | None = None) -> Tensor:
        """Return logits of the next token at each position: ``(batch, positions, num_tokens)``.

        Args:
            tokens: Shape ``(batch, positions)``, int64.
            caches: The previous positions, at first ``self.stack.caches()``; tokens are appended.
        """
        if tokens.dim() != 2 or tokens.dtype != torch.int64:
            raise ValueError(
                f"LanguageModel: tokens is {tokens.dtype} of shape {tuple(tokens.shape)}; expected "
                f"torch.int64 of shape (batch, places)"
            )
        x = self.tokens(tokens)
        if self.position is not None:
            x = self.position(x, 0 if caches is None else len(caches[0].own))
        x = self.stack(self.dropout(x), mask=Mask(is_causal=True), caches=caches)
        scores: Tensor = self.scores(x)
        return scores

    @torch.no_grad()
    def generate(
        self,
        tokens: Tensor,
        count: int,
        *,
        temperature: float = 1.0,
        top_k: int | None = None,
        limit: int | None = None,
        generator: torch.Generator | None = None,
    ) -> Tensor:
        """Continue a text, one token at a time, with a KV cache.

        Args:
            tokens: Shape ``(batch, positions)``, int64, with at least one position.
            count: The number of tokens to generate.
            temperature: Divisor of the logits; 0 is greedy decoding.
            top_k: The number of most probable tokens to sample from; all by default.
            limit: The maximum context length, at least two; no limit by default. At the limit, the
                caches are rebuilt from the last half of the positions.
            generator: The random generator.

        Returns:
            Shape ``(batch, positions + count)``.

        Raises:
            ValueError: The text is empty, or a number is out of range.
        """
        if tokens.shape[-1] == 0:
            raise ValueError("generate: the text is empty; expected at least one token")
        if temperature < 0 or (top_k is not None and top_k < 1):
            raise ValueError(
                f"generate: temperature is {temperature}, top_k is {top_k}; expected 0 or more, "
                f"and 1 or more"
            )
        if limit is not None and limit < 2:
            raise ValueError(f"generate: limit is {limit}; expected 2 or more")
        caches, last = self.stack.caches(), tokens if limit is None else tokens[:, -limit:]
        for _ in range(count):
            if limit is not None and len(caches[0].own) + last.shape[-1] > limit:
                caches, last = self.stack.caches(), tokens[:, -(limit // 2) :]
            last = _draw(self(last, caches)[:, -1], temperature, top_k, generator)
            tokens = torch.cat([tokens, last], 1)
        return tokens


def _draw(
    scores: Tensor, temperature: float, top_k: int | None, generator: torch.Generator | None
) -> Tensor:
    if temperature == 0:
        return scores.argmax(-1, keepdim=True)
    if top_k is not None:
        least = scores.topk(min(top_k, scores.shape[-1])).values[:, -1:]
        scores = scores.masked_fill(scores < least, -torch.inf)
    return torch.multinomial((scores / temperature).softmax(-1), 1, generator=generator)
