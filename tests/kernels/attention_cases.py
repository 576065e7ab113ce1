"""Tensors and masks that the tests of attention share."""

import math
from typing import Any

import torch
from torch import Tensor

from torchstone.kernels.attention_reference import Mask


def heads(*shape: int, dtype: torch.dtype = torch.float32) -> Tensor:
    return torch.randn(shape).to(dtype)


def padding(batch: int, keys: int) -> Tensor:
    """Pad half of the keys of each row but the first, behind and between."""
    mask = torch.zeros(batch, keys, dtype=torch.bool)
    mask[1:, keys // 2 :] = True
    mask[1:, 1:2] = keys > 2
    return mask


def mask_of(
    shape: tuple[int, ...], wanted: dict[str, Any], dtype: torch.dtype = torch.float32
) -> Mask:
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    batch, num_heads, _, queries, keys, head_dim = shape
    return Mask(
        key_padding_mask=padding(batch, keys) if wanted.get("padding") else None,
        slopes=torch.linspace(0.03, 0.5, num_heads, dtype=wide) if wanted.get("slopes") else None,
        seed=torch.tensor(2**40 + 7) if "dropout" in wanted else None,
        cu_seq_q=None,
        cu_seq_k=None,
        max_q=queries,
        max_k=keys,
        left=wanted.get("left", -1),
        right=wanted.get("right", -1),
        scale=1 / math.sqrt(head_dim),
        dropout=wanted.get("dropout", 0.0),
    )


def tensors_of(shape: tuple[int, ...], dtype: torch.dtype) -> list[Tensor]:
    batch, num_heads, key_heads, queries, keys, head_dim = shape
    return [
        heads(batch, num_heads, queries, head_dim, dtype=dtype),
        heads(batch, key_heads, keys, head_dim, dtype=dtype),
        heads(batch, key_heads, keys, head_dim, dtype=dtype),
        heads(batch, num_heads, queries, head_dim, dtype=dtype),
    ]
