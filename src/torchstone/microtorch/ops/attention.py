"""Attention: scaled_dot_product_attention and multi_head_attention_forward.

Shape suffixes: B batch, H heads, L queries, S keys, E features of all heads, D features of one.

Source:
    Vaswani et al., Attention Is All You Need (2017), section 3.2.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

from torchstone.microtorch.ops.dropout import dropout
from torchstone.microtorch.ops.joining import cat
from torchstone.microtorch.ops.linear import linear
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.padding import constant_pad_nd
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.tensor import Array, Tensor, wrap


@op("nn.functional")
@rounded_once
def scaled_dot_product_attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    scale: float | None = None,
    enable_gqa: bool = False,
) -> Tensor:
    """Compute scaled dot-product attention: ``softmax(query @ key.mT * scale) @ value``.

    Shapes:
        query: (*batch, H, L, D); key: (*batch, H, S, D); value: (*batch, H, S, Dv)
        attn_mask: broadcasts to (*batch, H, L, S); True marks visible keys, floats are added
    """
    _check_attention(query, key, value, attn_mask, is_causal)
    if enable_gqa:
        groups = query.array.shape[-3] // max(key.array.shape[-3], 1)
        key, value = _repeat_heads(key, groups), _repeat_heads(value, groups)
    # Scale the query instead of the scores, because it has fewer elements.
    scale = 1 / math.sqrt(query.array.shape[-1] or 1) if scale is None else scale
    scores = (query * scale).matmul(key.transpose(-2, -1))
    if is_causal:
        attn_mask = wrap(np.tri(*scores.array.shape[-2:], dtype=bool))
    if attn_mask is not None:
        # In this function True means that a key takes part.
        is_mask = attn_mask.array.dtype == np.bool_
        scores = scores + _hidden(~attn_mask if is_mask else attn_mask, scores)
    if attn_mask is None or is_causal:
        weights = scores.softmax(-1)
    else:
        # A query without any visible key gets zeros instead of 0 / 0.
        blind = _blind(scores)
        weights = scores.masked_fill(blind, 0).softmax(-1).masked_fill(blind, 0)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return weights.matmul(value)


def _check_attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: Tensor | None, is_causal: bool
) -> None:
    if not query.dtype is key.dtype is value.dtype:
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got query.dtype: "
            f"{query.dtype} key.dtype: {key.dtype} and value.dtype: {value.dtype} instead."
        )
    if min(query.array.ndim, key.array.ndim, value.array.ndim) < 2:
        raise RuntimeError(
            "Expected query, key, and value to all be at least 2 dimensional, but got query.dim(): "
            f"{query.array.ndim}, key.dim(): {key.array.ndim} and value.dim(): {value.array.ndim} "
            "instead."
        )
    if attn_mask is not None and is_causal:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True"
        )
    if attn_mask is not None and attn_mask.array.dtype not in (np.bool_, query.array.dtype):
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
            f"attn_mask.dtype: {attn_mask.dtype} and  query.dtype: {query.dtype} instead."
        )


def _repeat_heads(tensor: Tensor, groups: int) -> Any:
    *batch, heads, length, size = tensor.array.shape
    spread = tensor.unsqueeze(-3).expand(*batch, heads, groups, length, size)
    return spread.reshape((*batch, heads * groups, length, size))


@primitive()
def _minus_inf(self: Array, dtype: Any) -> Array:
    return np.where(self, dtype.type(-np.inf), dtype.type(0))


def _hidden(mask: Tensor, like: Tensor) -> Tensor:
    """Convert a mask of hidden keys into an addend of the scores."""
    return _minus_inf(mask, like.array.dtype) if mask.array.dtype == np.bool_ else mask


@primitive()
def _blind(self: Array) -> Array:
    return np.all(self == -np.inf, axis=-1, keepdims=True)


@op("nn.functional")
def multi_head_attention_forward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    embed_dim_to_check: int,
    num_heads: int,
    in_proj_weight: Tensor | None,
    in_proj_bias: Tensor | None,
    bias_k: Tensor | None,
    bias_v: Tensor | None,
    add_zero_attn: bool,
    dropout_p: float,
    out_proj_weight: Tensor,
    out_proj_bias: Tensor | None,
    training: bool = True,
    key_padding_mask: Tensor | None = None,
    need_weights: bool = True,
    attn_mask: Tensor | None = None,
    use_separate_proj_weight: bool = False,
    q_proj_weight: Tensor | None = None,
    k_proj_weight: Tensor | None = None,
    v_proj_weight: Tensor | None = None,
    static_k: Tensor | None = None,
    static_v: Tensor | None = None,
    average_attn_weights: bool = True,
    is_causal: bool = False,
) -> tuple[Tensor, Tensor | None]:
    """Compute multi-head attention with input and output projections.

    Shapes:
        query: (L, B, E) or (L, E); key: (S, B, Ek); value: (S, B, Ev)
        in_proj_weight: (3 * E, E); attn_mask: (L, S) or (B * H, L, S); key_padding_mask: (B, S)

    Returns:
        The output, (L, B, E), and the weights: (B, L, S), or (B, H, L, S) if not averaged.
    """
    _check_size(query.array.shape[-1], embed_dim_to_check, num_heads)
    _check_hint(is_causal, attn_mask)
    inputs, padding = (query, key, value), key_padding_mask
    is_batched = _check_multi_head(*inputs, padding, attn_mask)
    if not is_batched:
        # An unbatched sequence is computed as a batch of one.
        inputs = (query.unsqueeze(1), key.unsqueeze(1), value.unsqueeze(1))
        padding = None if padding is None else padding.unsqueeze(0)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    _check_keys(inputs[1], inputs[2], padding, may_differ=weights is not None)
    q, k, v = _project(inputs, weights, in_proj_weight, in_proj_bias)
    q = _by_head(q, num_heads)
    k = _all_keys(k, bias_k, static_k, num_heads, add_zero_attn)
    v = _all_keys(v, bias_v, static_v, num_heads, add_zero_attn)
    drop, masks = dropout_p if training else 0.0, (attn_mask, padding, is_causal)
    rows, shown = _attend(q, k, v, *masks, num_heads, drop, shows=need_weights)
    if shown is not None and average_attn_weights:
        shown = shown.mean(1)
    rows = rows.transpose(0, 1).reshape(inputs[0].array.shape)
    out = linear(rows, out_proj_weight, out_proj_bias)
    if is_batched:
        return out, shown
    return out.squeeze(1), None if shown is None else shown.squeeze(0)


def _check_hint(is_causal: bool, attn_mask: Tensor | None) -> None:
    if is_causal and attn_mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use the Transformer module "
            "method `generate_square_subsequent_mask` to create this mask."
        )


def _check_size(size: int, wanted: int, num_heads: int) -> None:
    if size != wanted:
        raise AssertionError(f"was expecting embedding dimension of {wanted}, but got {size}")
    if size % num_heads:
        raise AssertionError(f"embed_dim {size} not divisible by num_heads {num_heads}")


def _check_keys(key: Tensor, value: Tensor, padding: Tensor | None, may_differ: bool) -> None:
    shape, other = key.shape, value.shape
    if not may_differ and shape != other:
        raise AssertionError(f"key shape {shape} does not match value shape {other}")
    if shape[:2] != other[:2]:
        raise AssertionError(
            f"key's sequence and batch dims {shape[:2]} do not match value's {other[:2]}"
        )
    sizes = () if padding is None else padding.array.shape
    for place, (size, wanted) in enumerate(zip(sizes, shape[1::-1], strict=False)):
        if size != wanted:
            raise AssertionError(
                f"Expected key_padded_mask.shape[{place}] to be {wanted}, but got {size}"
            )


def _check_multi_head(
    query: Tensor, key: Tensor, value: Tensor, padding: Tensor | None, mask: Tensor | None
) -> bool:
    """Check the dimensions; return whether the inputs are batched."""
    ndim = query.array.ndim
    kind = "batched (3-D)" if ndim == 3 else "unbatched (2-D)"
    if ndim not in (2, 3):
        raise AssertionError(
            f"query should be unbatched 2D or batched 3D tensor but received {ndim}-D query tensor"
        )
    if not ndim == key.array.ndim == value.array.ndim:
        raise AssertionError(
            f"For {kind} `query`, expected `key` and `value` to be {ndim}-D but found "
            f"{key.array.ndim}-D and {value.array.ndim}-D tensors respectively"
        )
    for name, given, wanted in (
        ("key_padding_mask", padding, (ndim - 1,)),
        ("attn_mask", mask, (2, 3)),
    ):
        shown = "`None`, 2-D or 3-D" if len(wanted) > 1 else f"`None` or {wanted[0]}-D"
        if given is not None and given.array.ndim not in wanted:
            raise AssertionError(
                f"For {kind} `query`, expected `{name}` to be {shown} but found "
                f"{given.array.ndim}-D tensor instead"
            )
        if given is not None and given.array.dtype.kind not in "bf":
            raise AssertionError(f"only bool and floating types of {name} are supported")
    if padding is not None and mask is not None and padding.dtype is not mask.dtype:
        warnings.warn(
            "Support for mismatched key_padding_mask and attn_mask is deprecated. Use same type "
            "for both instead.",
            stacklevel=3,
        )
    return ndim == 3


def _project(
    inputs: tuple[Tensor, Tensor, Tensor],
    weights: Sequence[Any] | None,
    packed: Tensor | None,
    bias: Tensor | None,
) -> Any:
    """Project the inputs to queries, keys and values, by separate or packed weights."""
    if weights is None and packed is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    if weights is None and packed is not None:
        query, key, value = inputs
        if query is key is value:
            return linear(query, packed, bias).chunk(3, -1)
        weights = packed.chunk(3)
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    if weights is None or any(each is None for each in weights):
        raise AssertionError("use_separate_proj_weight is True but a weight is None")
    return [linear(*each) for each in zip(inputs, weights, biases, strict=True)]


def _all_keys(
    rows: Tensor, bias: Tensor | None, static: Tensor | None, num_heads: int, adds_zero: bool
) -> Any:
    """Append the learned key or value, and the row of zeros, and split into heads."""
    if bias is not None and static is not None:
        raise AssertionError("bias cannot be added to static key or value.")
    if bias is not None:
        rows = cat([rows, bias.expand(1, *rows.array.shape[1:])])
    heads = _by_head(rows, num_heads) if static is None else static
    return constant_pad_nd(heads, (0, 0, 0, 1)) if adds_zero else heads


def _by_head(rows: Tensor, num_heads: int) -> Any:
    """Reshape (L, B, E) to (B * H, L, D)."""
    length, batch, size = rows.array.shape
    return rows.reshape((length, batch * num_heads, size // num_heads)).transpose(0, 1)


def _merge(
    mask: Tensor | None, padding: Tensor | None, q: Tensor, k: Tensor, num_heads: int
) -> Tensor | None:
    """Merge both masks into one, which is added to the scores of each head."""
    (rows, length, _), keys = q.array.shape, k.array.shape[1]
    merged = None
    if mask is not None:
        # Appended keys are never masked.
        added = keys - mask.array.shape[-1]
        shape = (length, keys - added) if mask.array.ndim == 2 else (rows, length, keys - added)
        if mask.array.shape != shape:
            raise RuntimeError(
                f"The shape of the {mask.array.ndim}D attn_mask is {mask.shape}, but should be "
                f"{shape}."
            )
        merged = constant_pad_nd(_hidden(mask, q), (0, added))
        merged = merged.unsqueeze(0) if mask.array.ndim == 2 else merged
    if padding is not None:
        batch, known = padding.array.shape
        hidden = constant_pad_nd(_hidden(padding, q), (0, keys - known)).unsqueeze(1)
        hidden = hidden.expand(batch, num_heads, keys).reshape((rows, 1, keys))
        merged = hidden if merged is None else merged + hidden
    return merged


def _attend(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    mask: Tensor | None,
    padding: Tensor | None,
    is_causal: bool,
    num_heads: int,
    dropout_p: float,
    *,
    shows: bool,
) -> tuple[Any, Any]:
    """Compute attention in each head; return the weights if ``shows`` is true.

    Shapes:
        q: (B * H, L, D); k, v: (B * H, S, D) -> (B * H, L, D), (B, H, L, S)
    """
    # q, k and v have one batch entry per head, so no dimension is needed for the heads.
    if is_causal and padding is None and not shows:
        return scaled_dot_product_attention(q, k, v, None, dropout_p, True), None
    merged = _merge(mask, padding, q, k, num_heads)
    if not shows:
        return scaled_dot_product_attention(q, k, v, merged, dropout_p), None
    scores = (q * (1 / math.sqrt(q.array.shape[-1]))).matmul(k.transpose(1, 2))
    weights = (scores if merged is None else scores + merged).softmax(-1)
    if dropout_p > 0:
        weights = dropout(weights, dropout_p)
    return weights.matmul(v), weights.unflatten(0, (-1, num_heads))
