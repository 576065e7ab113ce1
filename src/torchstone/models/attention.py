"""Multi-head attention from products and reshapes."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from torchstone.models.backends import Backend, find
from torchstone.models.masks import ALL_SEEN, Mask
from torchstone.models.positions import Alibi, Rotary


class Cache(NamedTuple):
    """Keys and values of the places so far: shape ``(batch, key_heads, places, head_dim)``."""

    key: Tensor
    value: Tensor


class Attention(nn.Module):
    """Attend to a sequence, to oneself or to another one.

    Args:
        width: The numbers of a place; ``num_heads`` divides it.
        num_heads: The heads of queries.
        num_key_heads: The heads of keys and values, each shared by as many heads of queries:
            ``num_heads`` as in the paper (the default), 1 for multi-query, between for grouped.
        memory_width: The numbers of a place of what is attended to; by default ``width``.
        bias: Whether projections add a bias.
        dropout: The probability with which a weight becomes 0 in training.
        position: ``Rotary``, ``Alibi``, or none.
        backend: ``math``, ``flash``, ``triton``, ``sdpa``, or a function as ``Backend`` says.

    Raises:
        ValueError: The heads do not divide the width, or each other.

    Source:
        Vaswani et al., "Attention Is All You Need", 2017, section 3.2; Ainslie et al., "GQA", 2023.
    """

    def __init__(
        self,
        width: int,
        num_heads: int,
        *,
        num_key_heads: int | None = None,
        memory_width: int | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        position: Rotary | Alibi | None = None,
        backend: str | Backend = "flash",
    ) -> None:
        super().__init__()
        num_key_heads = num_heads if num_key_heads is None else num_key_heads
        if num_heads < 1 or width % num_heads:
            raise ValueError(f"Attention: num_heads is {num_heads}, which does not divide {width}")
        if num_key_heads < 1 or num_heads % num_key_heads:
            raise ValueError(
                f"Attention: num_key_heads is {num_key_heads}, which does not divide {num_heads}"
            )
        self.num_heads, self.num_key_heads = num_heads, num_key_heads
        self.head_dim, self.dropout = width // num_heads, dropout
        memory_width = width if memory_width is None else memory_width
        self.query = nn.Linear(width, width, bias=bias)
        self.key = nn.Linear(memory_width, num_key_heads * self.head_dim, bias=bias)
        self.value = nn.Linear(memory_width, num_key_heads * self.head_dim, bias=bias)
        self.out = nn.Linear(width, width, bias=bias)
        self.position = position
        self.backend = find(backend)

    def forward(self, x: Tensor, memory: Tensor | None = None, *, mask: Mask = ALL_SEEN) -> Tensor:
        """Attend from x to the memory, or to x itself.

        Args:
            x: Shape ``(batch, queries, width)``.
            memory: Shape ``(batch, keys, memory_width)``; x without it.
            mask: Which keys a query sees.

        Returns:
            Shape ``(batch, queries, width)``.
        """
        if memory is not None:
            return self.recall(x, self.remember(memory), mask=mask)
        return self.extend(x, mask=mask)[0]

    def extend(
        self, x: Tensor, *, mask: Mask = ALL_SEEN, cache: Cache | None = None
    ) -> tuple[Tensor, Cache]:
        """Attend from x to what came before it and to itself; return that, and the cache with x.

        Args:
            x: Shape ``(batch, queries, width)``.
            mask: Which keys a query sees; keys are those of the cache, and then those of x.
            cache: The keys and values of what came before, as this gave it.
        """
        first = 0 if cache is None else cache.key.shape[2]
        key, value = self.remember(x, first)
        if cache is not None:
            key = torch.cat([cache.key, key], 2)
            value = torch.cat([cache.value, value], 2)
        both = Cache(key, value)
        return self.recall(x, both, mask=mask, first=first), both

    def remember(self, memory: Tensor, first: int = 0) -> Cache:
        """Return the keys and values of places, of which the first one is ``first``."""
        key = self._split(self.key(memory), self.num_key_heads)
        if isinstance(self.position, Rotary):
            key = self.position(key, first)
        return Cache(key, self._split(self.value(memory), self.num_key_heads))

    def recall(self, x: Tensor, cache: Cache, *, mask: Mask = ALL_SEEN, first: int = 0) -> Tensor:
        """Attend from x, whose first place is ``first``, to keys and values that are there."""
        query = self._split(self.query(x), self.num_heads)
        if isinstance(self.position, Rotary):
            query = self.position(query, first)
        mask.check(x.shape[0], self.num_heads, query.shape[2], cache.key.shape[2])
        slopes = self.position.slopes if isinstance(self.position, Alibi) else None
        dropout = self.dropout if self.training else 0.0
        heads = self.backend(query, *cache, mask, slopes, dropout)
        # The heads of a place lie side by side again.
        out: Tensor = self.out(heads.transpose(1, 2).flatten(2))
        return out

    def _split(self, x: Tensor, num_heads: int) -> Tensor:
        heads: Tensor = x.unflatten(-1, (num_heads, self.head_dim)).transpose(1, 2)
        return heads
