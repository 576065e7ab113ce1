"""FlashAttention: attention with memory linear in the sequence length, padded and varlen."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from torchstone.kernels.arguments import require_beside, require_floating, require_shape
from torchstone.kernels.attention_reference import (
    Mask,
    definition,
    reference,
    reference_backward,
    rows_like,
)
from torchstone.kernels.library import define, lowered, ready, refusal
from torchstone.kernels.norm_reference import statistics_dtype

MOST_HEAD_DIM = 256


def flash_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    *,
    is_causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    key_padding_mask: Tensor | None = None,
    alibi_slopes: Tensor | None = None,
    scale: float | None = None,
    dropout_p: float = 0.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Compute softmax(query keyᵀ scale) value, like ``scaled_dot_product_attention``.

    Only the scores of one tile are in memory at a time, forward and backward. Half-precision
    products are accumulated in float32. The last query is aligned with the last key, as with a KV
    cache. A query that sees no key gets zeros.

    Args:
        query: Shape ``(batch, heads, queries, head_dim)``; float32, bfloat16, float16 or float64,
            with a head_dim of at most 256.
        key: Shape ``(batch, key_heads, keys, head_dim)``; ``key_heads`` divides ``heads``:
            consecutive heads share a key head.
        value: The shape of the key.
        is_causal: Whether keys after the position of a query are masked.
        window_size: How many keys before and after its position a query sees; -1 for all.
        key_padding_mask: Shape ``(batch, keys)``, bool: True where a key is padding, which no query
            sees, as in ``torch.nn.MultiheadAttention``.
        alibi_slopes: Shape ``(heads,)``, float32, or float64 with a float64 query: slope times
            distance is subtracted from the scores. It gets no gradient.
        scale: Factor of the scores; by default 1 / sqrt(head_dim).
        dropout_p: Dropout probability, at least 0 and below 1.
        generator: Generator of the dropout seed.

    Raises:
        TypeError: A dtype is not supported, or does not match the query's.
        ValueError: A shape, a device or a number is invalid.

    Source:
        Dao, "FlashAttention-2", 2023, algorithms 1 and 2.
    """
    _check(query, key, value, alibi_slopes, "batch, heads, places, head_dim", dropout_p)
    if key_padding_mask is not None:
        if key_padding_mask.dtype != torch.bool:
            raise TypeError(
                f"flash_attention: key_padding_mask is {key_padding_mask.dtype}; expected "
                f"torch.bool, true where a key is padding"
            )
        shape = (key.shape[0], key.shape[2])
        require_shape("flash_attention", "key_padding_mask", key_padding_mask, shape)
        require_beside("flash_attention", "key_padding_mask", key_padding_mask, "query", query)
    left, right = window_size
    out: Tensor = _flash_attention(
        query, key, value, key_padding_mask, _detached(alibi_slopes),
        _seed(query, dropout_p, generator), None, None, query.shape[2], key.shape[2],
        left, _behind(right, is_causal), _scale(query, scale), dropout_p,
    )[0]  # fmt: skip
    return out


def flash_attention_varlen(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    cu_seq_q: Tensor,
    cu_seq_k: Tensor,
    max_q: int,
    max_k: int,
    *,
    is_causal: bool = False,
    window_size: tuple[int, int] = (-1, -1),
    alibi_slopes: Tensor | None = None,
    scale: float | None = None,
    dropout_p: float = 0.0,
    generator: torch.Generator | None = None,
) -> Tensor:
    """Compute ``flash_attention`` of packed sequences of different lengths.

    Args:
        query: Shape ``(all_queries, heads, head_dim)``, as in ``torch.nn.attention.varlen``.
        key: Shape ``(all_keys, key_heads, head_dim)``.
        value: The shape of the key.
        cu_seq_q: Shape ``(sequences + 1,)``, int32 or int64: the start of each sequence among the
            queries, followed by the end of the last one.
        cu_seq_k: Likewise for the keys.
        max_q: The number of queries of the longest sequence, or more.
        max_k: The number of keys of the longest sequence, or more.
        is_causal: As for ``flash_attention``, like all that follow.
        window_size: How many keys before and after its position a query sees.
        alibi_slopes: Shape ``(heads,)``.
        scale: Factor of the scores.
        dropout_p: Dropout probability.
        generator: Generator of the dropout seed.

    Raises:
        TypeError: A dtype is not supported, or does not match the query's.
        ValueError: A shape, a device or a number is invalid.
    """
    _check(query, key, value, alibi_slopes, "places, heads, head_dim", dropout_p)
    for name, cu_seq in (("cu_seq_q", cu_seq_q), ("cu_seq_k", cu_seq_k)):
        if cu_seq.dtype not in (torch.int32, torch.int64):
            raise TypeError(f"flash_attention: {name} is {cu_seq.dtype}; expected int32 or int64")
        if cu_seq.dim() != 1 or cu_seq.shape[0] < 1 or cu_seq.shape != cu_seq_q.shape:
            raise ValueError(
                f"flash_attention: {name} has shape {tuple(cu_seq.shape)}; expected one number "
                f"more than sequences, and for both the same"
            )
        require_beside("flash_attention", name, cu_seq, "query", query)
    left, right = window_size
    packed = (each.transpose(0, 1)[None] for each in (query, key, value))
    out: Tensor = _flash_attention(
        *packed, None, _detached(alibi_slopes), _seed(query, dropout_p, generator),
        cu_seq_q, cu_seq_k, max_q, max_k,
        left, _behind(right, is_causal), _scale(query, scale), dropout_p,
    )[0]  # fmt: skip
    return out[0].transpose(0, 1)


def _check(
    query: Tensor, key: Tensor, value: Tensor, slopes: Tensor | None, dims: str, dropout: float
) -> None:
    num_dims = dims.count(",") + 1
    for name, each in (("query", query), ("key", key), ("value", value)):
        require_floating("flash_attention", name, each)
        if each.dim() != num_dims:
            raise ValueError(
                f"flash_attention: {name} has shape {tuple(each.shape)}; expected ({dims})"
            )
        require_beside("flash_attention", name, each, "query", query)
        if each.dtype != query.dtype and not torch.is_autocast_enabled(query.device.type):
            raise TypeError(f"flash_attention: {name} is {each.dtype}, but query {query.dtype}")
    heads, head_dim, key_heads = query.shape[1], query.shape[-1], key.shape[1]
    if not 1 <= head_dim <= MOST_HEAD_DIM:
        raise ValueError(
            f"flash_attention: query has head_dim {head_dim}; expected 1 to {MOST_HEAD_DIM}"
        )
    if key_heads == 0 or heads % key_heads:
        raise ValueError(
            f"flash_attention: key has {key_heads} heads, which do not divide the {heads} of query"
        )
    batch = query.shape[: num_dims - 3]
    shape = (*batch, *key.shape[num_dims - 3 : -1], head_dim)
    require_shape("flash_attention", "key", key, shape)
    require_shape("flash_attention", "value", value, shape)
    if slopes is not None:
        require_shape("flash_attention", "alibi_slopes", slopes, (heads,))
        require_beside("flash_attention", "alibi_slopes", slopes, "query", query)
        if slopes.dtype != statistics_dtype(query):
            raise TypeError(
                f"flash_attention: alibi_slopes is {slopes.dtype}; expected "
                f"{statistics_dtype(query)}"
            )
    if not 0.0 <= dropout < 1.0:
        raise ValueError(f"flash_attention: dropout_p is {dropout}; expected at least 0, below 1")
    ready()


def _detached(slopes: Tensor | None) -> Tensor | None:
    return None if slopes is None else slopes.detach()


def _behind(right: int, is_causal: bool) -> int:
    return 0 if is_causal else right


def _scale(query: Tensor, scale: float | None) -> float:
    return 1 / math.sqrt(query.shape[-1]) if scale is None else scale


def _seed(query: Tensor, dropout: float, generator: torch.Generator | None) -> Tensor | None:
    if dropout == 0.0:
        return None
    device = query.device if generator is None else generator.device
    seed = torch.randint(2**63 - 1, (), dtype=torch.int64, device=device, generator=generator)
    return seed.to(query.device)


def _fake(query: Tensor, key: Tensor, value: Tensor, *_: Any) -> tuple[Tensor, Tensor]:
    return rows_like(query), query.new_empty(query.shape[:3], dtype=statistics_dtype(query))


def _fake_backward(
    grad: Tensor, query: Tensor, key: Tensor, value: Tensor, *_: Any
) -> tuple[Tensor, Tensor, Tensor]:
    return rows_like(query), rows_like(key), rows_like(value)


def _setup(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    query, key, value, *rest = inputs
    mask = Mask(*rest)
    ctx.save_for_backward(query, key, value, *output, *mask[:5])
    ctx.numbers = mask[5:]
    ctx.mark_non_differentiable(output[1])


def _backward(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
    gradients = _flash_attention_backward(grad, *ctx.saved_tensors, *ctx.numbers)
    return (*gradients, *(None for _ in Mask._fields))


def _setup_nothing(ctx: Any, inputs: tuple[Any, ...], output: Any) -> None:
    pass


def _refuse(ctx: Any, *_: Tensor) -> tuple[None, ...]:
    raise RuntimeError(
        "flash_attention: gradients of its gradients are not computed; "
        "scaled_dot_product_attention has them with the backend SDPBackend.MATH"
    )


_MASK = (
    "Tensor? key_padding_mask, Tensor? slopes, Tensor? seed, Tensor? cu_seq_q, Tensor? cu_seq_k, "
    "SymInt max_q, SymInt max_k, int left, int right, float scale, float dropout"
)
_flash_attention = define(
    f"flash_attention(Tensor query, Tensor key, Tensor value, {_MASK}) -> (Tensor, Tensor)",
    reference=reference,
    fake=_fake,
    backward=_backward,
    setup_context=_setup,
    autocast=(lowered, 3),
    definition=definition,
)
_flash_attention_backward = define(
    "flash_attention_backward(Tensor grad, Tensor query, Tensor key, Tensor value, Tensor out, "
    f"Tensor lse, {_MASK}) -> (Tensor, Tensor, Tensor)",
    reference=reference_backward,
    fake=_fake_backward,
    backward=_refuse,
    setup_context=_setup_nothing,
    definition=refusal(
        "torchstone::flash_attention_backward has no derivative, and runs in no transform of "
        "torch.func; transform torchstone.kernels.flash_attention"
    ),
)
