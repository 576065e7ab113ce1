"""FlashAttention in CUDA C++."""

from __future__ import annotations

import ctypes
from typing import Any

import torch
from torch import Tensor

from torchstone.kernels.attention_reference import Mask, rows_like, threshold_of
from torchstone.kernels.cuda import launch
from torchstone.kernels.cuda.launch import TYPES, dense
from torchstone.kernels.norm_reference import statistics_dtype

_POINTER, _SIZE, _NUMBER = ctypes.c_void_p, ctypes.c_int64, ctypes.c_double


class _View(ctypes.Structure):
    """Tensor argument, with the layout of attention_problem.cuh."""

    _fields_ = (("data", _POINTER), ("batch", _SIZE), ("head", _SIZE), ("place", _SIZE))


class _Attention(ctypes.Structure):
    """Attention problem, with the layout of attention_problem.cuh."""

    _fields_ = (
        ("query", _View), ("key", _View), ("value", _View), ("out", _View),
        ("grad", _View), ("grad_query", _View), ("grad_key", _View), ("grad_value", _View),
        ("lse", _POINTER), ("delta", _POINTER), ("slopes", _POINTER), ("key_padding", _POINTER),
        ("seed", _POINTER), ("cu_seq_q", _POINTER), ("cu_seq_k", _POINTER),
        ("num_batches", _SIZE), ("num_sequences", _SIZE), ("num_heads", _SIZE),
        ("num_key_heads", _SIZE), ("num_queries", _SIZE), ("num_keys", _SIZE),
        ("max_q", _SIZE), ("max_k", _SIZE), ("head_dim", _SIZE),
        ("left", _SIZE), ("right", _SIZE), ("threshold", _SIZE),
        ("scale", _NUMBER), ("growth", _NUMBER), ("is_aligned", _SIZE),
    )  # fmt: skip


def flash_attention(query: Tensor, key: Tensor, value: Tensor, *rest: Any) -> tuple[Tensor, Tensor]:
    """Compute ``flash_attention``; see ``kernels.attention``."""
    mask = Mask(*rest)
    out = rows_like(query)
    lse = query.new_empty(query.shape[:3], dtype=statistics_dtype(query))
    if out.numel():
        views = {"query": query, "key": key, "value": value, "out": out}
        _call("flash_attention", views, {"lse": lse}, mask)
    return out, lse


def flash_attention_backward(
    grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, lse: Tensor, *rest: Any
) -> tuple[Tensor, Tensor, Tensor]:
    """Compute ``flash_attention_backward``; see ``kernels.attention``."""
    mask = Mask(*rest)
    gradients = rows_like(query), rows_like(key), rows_like(value)
    if query.numel() or key.numel():
        names = ("grad_query", "grad_key", "grad_value")
        views = {"query": query, "key": key, "value": value, "out": out, "grad": grad}
        views |= dict(zip(names, gradients, strict=True))
        tensors = {"lse": lse.contiguous(), "delta": torch.empty_like(lse.contiguous())}
        _call("flash_attention_backward", views, tensors, mask)
    return gradients


def _call(name: str, views: dict[str, Tensor], tensors: dict[str, Tensor], mask: Mask) -> None:
    # The copies are bound to names so that they live until the call.
    views = {each: _with_dense_vectors(tensor) for each, tensor in views.items()}
    found = {
        "slopes": dense(mask.slopes),
        "key_padding": dense(mask.key_padding_mask),
        "seed": mask.seed,
        "cu_seq_q": _as_int64(mask.cu_seq_q),
        "cu_seq_k": _as_int64(mask.cu_seq_k),
    }
    tensors = tensors | {each: tensor for each, tensor in found.items() if tensor is not None}
    query, key = views["query"], views["key"]
    farthest = mask.max_q + mask.max_k
    given = _Attention(
        num_batches=query.shape[0],
        num_sequences=query.shape[0] if mask.cu_seq_q is None else len(mask.cu_seq_q) - 1,
        num_heads=query.shape[1],
        num_key_heads=key.shape[1],
        num_queries=query.shape[2],
        num_keys=key.shape[2],
        max_q=mask.max_q,
        max_k=mask.max_k,
        head_dim=query.shape[3],
        left=min(mask.left, farthest),
        right=min(mask.right, farthest),
        threshold=threshold_of(mask.dropout),
        scale=mask.scale,
        growth=1 / (1 - mask.dropout),
        **{each: _View(launch.address_of(t), *t.stride()[:3]) for each, t in views.items()},
        **{each: launch.address_of(tensor) for each, tensor in tensors.items()},
    )
    launch.call(name, TYPES[query.dtype], ctypes.byref(given))


def _with_dense_vectors(tensor: Tensor) -> Tensor:
    is_dense = tensor.stride(-1) == 1 or tensor.shape[-1] == 1
    return tensor if is_dense else tensor.contiguous()


def _as_int64(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else tensor.to(torch.int64).contiguous()
