"""Attention over jagged tensors, without padding and without a score matrix."""

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
    """Compute softmax(q kᵀ scale) v for each sequence; the result has the offsets of q.

    Memory is linear in the number of rows. The result is not quantized.

    Args:
        q: A jagged tensor, quantized or not, of shape ``(B, queries, heads, head_dim)``, as
            returned by ``t.unflatten(-1, (heads, head_dim))``, not transposed.
        k: The keys, like q; their number of heads divides that of q.
        v: The values, with the shape and offsets of k.
        is_causal: Whether a query attends only to keys up to its position, where positions of
            queries and keys are aligned at the end.
        scale: The factor of the scores; 1 / sqrt(head_dim) by default.

    Raises:
        TypeError: An argument is not jagged, or its dtype differs from that of q.
        ValueError: Shapes, devices or numbers of sequences do not match.
    """
    given: dict[str, Any] = {"q": q, "k": k, "v": v}
    for name, each in given.items():
        if name != "q" and each is q:
            continue
        require_jagged("attention", name, each)
        require_floating("attention", name, each)
        _require_beside_q(name, each, q)
    _require_one_offsets(given["k"], given["v"])
    # Dequantize a tensor only once: all three may be the same, as in self-attention.
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

    Dequantizing the jagged tensor itself would wrap the rows again, which costs as much.
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
