"""Attention over jagged tensors: no padding, and no matrix of scores."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from torchstone.kernels import flash_attention_varlen
from torchstone.nested.arguments import require_floating, require_jagged
from torchstone.nested.jagged import dequantize, longest_of, wrapped
from torchstone.nested.refusal import BadType, BadValue, name_of


def attention(
    q: Tensor, k: Tensor, v: Tensor, is_causal: bool = False, scale: float | None = None
) -> Tensor:
    """Return softmax(q kᵀ scale) v of each sequence, as a jagged tensor with the offsets of q.

    Memory is linear in the rows. The result is not quantized.

    Args:
        q: Jagged, quantized or not, of shape ``(B, queries, heads, head_dim)``: as
            ``t.unflatten(-1, (heads, head_dim))`` makes it, and not transposed.
        k: The same of the keys; the number of its heads divides that of q.
        v: The shape and offsets of k.
        is_causal: Whether a query sees no key behind its own place, counted from the end.
        scale: What scores are multiplied with; by default 1 / sqrt(head_dim).

    Raises:
        TypeError: An argument is not jagged, or of another dtype than q.
        ValueError: Shapes, devices or numbers of sequences do not go together.
    """
    given: dict[str, Any] = {"q": q, "k": k, "v": v}
    for name, each in given.items():
        if name != "q" and each is q:
            continue
        require_jagged("attention", name, each)
        require_floating("attention", name, each)
        _require_beside_q(name, each, q)
    _require_one_offsets(given["k"], given["v"])
    # One tensor may be all three, as in self-attention.
    queries = _rows(q)
    keys = queries if k is q else _rows(k)
    values = queries if v is q else keys if v is k else _rows(v)
    out = flash_attention_varlen(
        queries,
        keys,
        values,
        given["q"].offsets(),
        given["k"].offsets(),
        longest_of(given["q"]),
        longest_of(given["k"]),
        is_causal=is_causal,
        scale=scale,
    )
    return wrapped(out, q)


def _rows(t: Any) -> Tensor:
    """Return the rows of a jagged tensor, dequantized.

    To dequantize the jagged tensor itself would wrap them again, which costs as much.
    """
    return dequantize(t.values())


def _require_beside_q(name: str, each: Any, q: Any) -> None:
    if each.dim() != 4:
        raise BadValue("heads", name=name, came=each.dim())
    for what, came, wanted in (
        ("dtype", name_of(each.dtype), name_of(q.dtype)),
        ("device", str(each.device), str(q.device)),
        ("batch", each.size(0), q.size(0)),
        ("head_dim", each.shape[-1], q.shape[-1]),
    ):
        if came != wanted:
            refused = BadType if what == "dtype" else BadValue
            raise refused(
                "differs", function="attention", name=name, what=what, came=came, wanted=wanted
            )


def _require_one_offsets(k: Any, v: Any) -> None:
    is_one = k.offsets() is v.offsets() or k.offsets().equal(v.offsets())
    if not is_one or k.shape[2] != v.shape[2]:
        raise BadValue("keys_and_values")
