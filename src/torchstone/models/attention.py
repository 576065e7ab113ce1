"""Multi-head attention built from matrix products and reshapes, with a KV cache."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor, nn

from torchstone.models.backends import Backend, find
from torchstone.models.masks import ALL_SEEN, Mask
from torchstone.models.positions import Alibi, Rotary


class Memory(NamedTuple):
    """Keys and values of positions: shape ``(batch, key_heads, positions, head_dim)``."""

    key: Tensor
    value: Tensor


class Cache:
    """KV cache: keys and values of all previous positions."""

    def __init__(self) -> None:
        self._held: Memory | None = None

    def __len__(self) -> int:
        """Return the number of positions."""
        return 0 if self._held is None else self._held.key.shape[2]

    def extend(self, new: Memory) -> Memory:
        """Append positions, and return all of them."""
        if self._held is not None:
            new = Memory(*(torch.cat(both, 2) for both in zip(self._held, new, strict=True)))
        self._held = new
        return new


class Attention(nn.Module):
    """Multi-head attention, as self-attention or cross-attention.

    Args:
        width: Number of features per position; divisible by ``num_heads``.
        num_heads: Number of query heads.
        num_key_heads: Number of key and value heads, each shared by equally many query heads:
            ``num_heads`` as in the paper (the default), 1 for multi-query, between for grouped.
        memory_width: Number of features per position of the memory; by default ``width``.
        bias: Whether projections have a bias.
        dropout: Dropout probability of the attention weights in training.
        position: ``Rotary``, ``Alibi``, or None.
        backend: ``math``, ``flash``, ``triton``, ``sdpa``, or a function; see ``Backend``.

    Raises:
        ValueError: The numbers of heads do not divide the width, or each other.

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

    def forward(
        self,
        x: Tensor,
        memory: Tensor | Memory | None = None,
        *,
        mask: Mask = ALL_SEEN,
        cache: Cache | None = None,
    ) -> Tensor:
        """Attend from x to the memory, or to x itself.

        Args:
            x: Shape ``(batch, queries, width)``.
            memory: Shape ``(batch, keys, memory_width)``, or a result of ``remember``; default: x.
            mask: Which keys a query sees.
            cache: For self-attention: the previous positions. Keys are those of the cache, then
                those of x, which are appended to the cache.

        Returns:
            Shape ``(batch, queries, width)``.
        """
        first = 0 if cache is None else len(cache)
        if memory is None:
            memory = self.remember(x, first)
            memory = memory if cache is None else cache.extend(memory)
        elif isinstance(memory, Tensor):
            memory = self.remember(memory)
        query = self._split(self.query(x), self.num_heads)
        if isinstance(self.position, Rotary):
            query = self.position(query, first)
        mask.check(x.shape[0], self.num_heads, query.shape[2], memory.key.shape[2])
        slopes = self.position.slopes if isinstance(self.position, Alibi) else None
        dropout = self.dropout if self.training else 0.0
        heads = self.backend(query, *memory, mask, slopes, dropout)
        # Merge the heads of each position.
        out: Tensor = self.out(heads.transpose(1, 2).flatten(2))
        return out

    def remember(self, memory: Tensor, first: int = 0) -> Memory:
        """Project positions to keys and values; ``first`` is the index of the first position."""
        key = self._split(self.key(memory), self.num_key_heads)
        if isinstance(self.position, Rotary):
            key = self.position(key, first)
        return Memory(key, self._split(self.value(memory), self.num_key_heads))

    def _split(self, x: Tensor, num_heads: int) -> Tensor:
        heads: Tensor = x.unflatten(-1, (num_heads, self.head_dim)).transpose(1, 2)
        return heads
