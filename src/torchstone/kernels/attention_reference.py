"""Reference attention in plain PyTorch, with all scores in memory.

Source:
    Vaswani et al., "Attention Is All You Need", 2017, equation 1; Dao et al., "FlashAttention",
    2022, appendix B.2 (backward); Press et al., "Train Short, Test Long", 2021 (ALiBi).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor

from torchstone.kernels.norm_reference import statistics_dtype

_WORD = 0xFFFFFFFF


class Mask(NamedTuple):
    """Masking, scaling and dropout of the scores.

    Attributes:
        key_padding_mask: Shape (batch, keys), bool: True where a key is padding; or None.
        slopes: Shape (heads), in the computed dtype: the slopes of ALiBi; or None.
        seed: An int64, the seed of dropout; None without dropout.
        cu_seq_q: Shape (sequences + 1), int32 or int64: the start of each sequence among the
            queries of the single batch entry; or None.
        cu_seq_k: Likewise for the keys.
        max_q: The number of queries of the longest sequence.
        max_k: The number of keys of the longest sequence.
        left: How many keys before its position a query sees; all if negative.
        right: How many keys after its position a query sees; all if negative.
        scale: Factor of the scores.
        dropout: Dropout probability.
    """

    key_padding_mask: Tensor | None
    slopes: Tensor | None
    seed: Tensor | None
    cu_seq_q: Tensor | None
    cu_seq_k: Tensor | None
    max_q: int
    max_k: int
    left: int
    right: int
    scale: float
    dropout: float


def philox(low: Tensor, high: Tensor, key: Tensor) -> Tensor:
    """Return the first word of Philox2x32-10: a counter-based random number.

    Args:
        low: The lower word of the counter; int64 below 2³², like the others.
        high: The upper word of the counter.
        key: The key; the three are broadcast.

    Source:
        Salmon et al., "Parallel Random Numbers: As Easy as 1, 2, 3", 2011, section 3.3.
    """
    for _ in range(10):
        # The int64 product may overflow, but its upper word is correct nevertheless.
        product = low * 0xD256D193
        low, high = ((product >> 32) & _WORD) ^ key ^ high, product & _WORD
        key = (key + 0x9E3779B9) & _WORD
    return low


def threshold_of(dropout: float) -> int:
    """Return the smallest random word for which a probability is kept."""
    return min(round(dropout * 2**32), _WORD)


def kept(seed: Tensor, dropout: float, first: int, shape: tuple[int, int, int, int]) -> Tensor:
    """Return the dropout mask: bool, shape (batch, heads, queries, keys), True where kept.

    The key of a head of a sequence is derived from the seed and the head's number; the counter
    consists of the positions of query and key.

    Args:
        seed: One int64.
        dropout: Dropout probability.
        first: The number of the first head: heads times preceding sequences.
        shape: The shape of the probabilities.
    """
    batch, heads, queries, keys = shape

    def count(size: int) -> Tensor:
        return torch.arange(size, device=seed.device)

    number = first + count(batch * heads).view(batch, heads, 1, 1)
    key = philox(number, seed & _WORD, (seed >> 32) & _WORD)
    return philox(count(queries)[:, None], count(keys), key) >= threshold_of(dropout)


def sequences_of(query: Tensor, key: Tensor, mask: Mask) -> Iterator[tuple[slice, slice]]:
    """Yield the slices of each sequence's queries and keys; full slices if nothing is packed.

    Raises:
        ValueError: The starts do not increase from 0 to the number of positions.
    """
    if mask.cu_seq_q is None or mask.cu_seq_k is None:
        yield slice(None), slice(None)
        return
    ends = []
    for name, cu_seq, size in (
        ("cu_seq_q", mask.cu_seq_q, query.shape[2]),
        ("cu_seq_k", mask.cu_seq_k, key.shape[2]),
    ):
        ends.append(cu_seq.tolist())
        if ends[-1][0] != 0 or ends[-1][-1] != size or sorted(ends[-1]) != ends[-1]:
            raise ValueError(
                f"flash_attention: {name} goes from {ends[-1][0]} to {ends[-1][-1]}; expected from "
                f"0 to {size}, without a step back"
            )
    for place in range(len(ends[0]) - 1):
        yield slice(*ends[0][place : place + 2]), slice(*ends[1][place : place + 2])


def scores_of(query: Tensor, key: Tensor, mask: Mask) -> Tensor:
    """Compute the scores of one sequence, with minus infinity where a key is masked.

    Args:
        query: Shape (batch, heads, queries, head_dim), in the computed dtype.
        key: Shape (batch, heads, keys, head_dim), in the computed dtype.
        mask: The mask.
    """
    scores = query @ key.transpose(-1, -2) * mask.scale
    # The last query is aligned with the last key.
    places = torch.arange(query.shape[2], device=query.device) + (key.shape[2] - query.shape[2])
    distance = torch.arange(key.shape[2], device=query.device) - places[:, None]
    if mask.slopes is not None:
        scores = scores - mask.slopes[:, None, None] * distance.abs()
    hidden = torch.zeros_like(distance, dtype=torch.bool)
    if mask.left >= 0:
        hidden |= distance < -mask.left
    if mask.right >= 0:
        hidden |= distance > mask.right
    if mask.key_padding_mask is not None:
        hidden = hidden | mask.key_padding_mask[:, None, None, :]
    return scores.masked_fill(hidden, -torch.inf)


def _probabilities(scores: Tensor, lse: Tensor) -> Tensor:
    # If all keys are masked, both are minus infinity, and the probabilities are 0.
    return (scores - lse.masked_fill(lse == -torch.inf, 0.0)[..., None]).exp()


def _dropped(probabilities: Tensor, mask: Mask, number: int) -> Tensor:
    if mask.seed is None:
        return probabilities
    batch, heads, queries, keys = probabilities.shape
    keeps = kept(mask.seed, mask.dropout, number * heads, (batch, heads, queries, keys))
    return probabilities * keeps / (1 - mask.dropout)


def rows_like(query: Tensor) -> Tensor:
    """Create a tensor of the query's shape, laid out as (batch, positions, heads, head_dim).

    The heads of a position are adjacent, as the output projection needs them.
    """
    batch, heads, places, head_dim = query.shape
    return query.new_empty((batch, places, heads, head_dim)).transpose(1, 2)


def reference(query: Tensor, key: Tensor, value: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    """Compute the operator in plain PyTorch.

    Returns:
        The result, shape (batch, heads, queries, head_dim), and the log-sum-exp of the scores,
        shape (batch, heads, queries), in the computed dtype.
    """
    mask, wide = Mask(*rest), statistics_dtype(query)
    groups = query.shape[1] // key.shape[1]
    k, v = (each.to(wide).repeat_interleave(groups, 1) for each in (key, value))
    out, lse = rows_like(query), query.new_empty(query.shape[:3], dtype=wide)
    for number, (rows, columns) in enumerate(sequences_of(query, key, mask)):
        scores = scores_of(query[:, :, rows].to(wide), k[:, :, columns], mask)
        lse[:, :, rows] = scores.logsumexp(-1)
        p = _dropped(_probabilities(scores, lse[:, :, rows]), mask, number)
        out[:, :, rows] = (p @ v[:, :, columns]).to(out.dtype)
    return out, lse


def definition(query: Tensor, key: Tensor, value: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    """Compute the same as ``reference`` without in-place writes, for function transforms."""
    mask, wide = Mask(*rest), statistics_dtype(query)
    groups = query.shape[1] // key.shape[1]
    k, v = (each.to(wide).repeat_interleave(groups, 1) for each in (key, value))
    outs, totals = [], []
    for number, (rows, columns) in enumerate(sequences_of(query, key, mask)):
        scores = scores_of(query[:, :, rows].to(wide), k[:, :, columns], mask)
        is_blind = (scores == -torch.inf).all(-1, keepdim=True)
        # A query that sees no key has probabilities of 0 and no gradient.
        p = scores.masked_fill(is_blind, 0.0).softmax(-1).masked_fill(is_blind, 0.0)
        outs.append(_dropped(p, mask, number) @ v[:, :, columns])
        totals.append(scores.detach().logsumexp(-1))
    return torch.cat(outs, 2).to(query.dtype), torch.cat(totals, 2)


def reference_backward(
    grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, lse: Tensor, *rest: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of query, key and value."""
    mask, wide = Mask(*rest), lse.dtype
    groups = query.shape[1] // key.shape[1]
    k, v = (each.to(wide).repeat_interleave(groups, 1) for each in (key, value))
    results = [rows_like(query), rows_like(key), rows_like(value)]
    for number, (rows, columns) in enumerate(sequences_of(query, key, mask)):
        g, q, y = (each[:, :, rows].to(wide) for each in (grad, query, out))
        scores = scores_of(q, k[:, :, columns], mask)
        p = _probabilities(scores, lse[:, :, rows])
        of_value = _dropped(p, mask, number).transpose(-1, -2) @ g
        of_p = _dropped(g @ v[:, :, columns].transpose(-1, -2), mask, number)
        # Softmax backward: p (dp - sum of p dp), where the sum equals the sum of grad times out.
        of_scores = p * (of_p - (g * y).sum(-1, keepdim=True)) * mask.scale
        of_key = of_scores.transpose(-1, -2) @ q
        results[0][:, :, rows] = (of_scores @ k[:, :, columns]).to(query.dtype)
        for result, each in ((results[1], of_key), (results[2], of_value)):
            # The gradients of heads that share a key head are summed.
            result[:, :, columns] = each.unflatten(1, (-1, groups)).sum(2).to(result.dtype)
    return results[0], results[1], results[2]
