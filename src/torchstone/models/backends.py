"""Attention backends: math, scaled_dot_product_attention, flash, triton and custom ones."""

from __future__ import annotations

import importlib.util
import math
from typing import Any, Protocol

import torch
import torch.nn.functional as F
from torch import Tensor

from torchstone.kernels import flash_attention
from torchstone.kernels.attention_reference import Mask as KernelMask
from torchstone.models.masks import Mask


class Backend(Protocol):
    """Protocol of an attention backend."""

    def __call__(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Mask,
        slopes: Tensor | None,
        dropout: float,
    ) -> Tensor:
        """Compute attention.

        Args:
            query: Shape ``(batch, heads, queries, head_dim)``.
            key: Shape ``(batch, key_heads, keys, head_dim)``; ``key_heads`` divides ``heads``.
            value: The shape of the key.
            mask: Which keys a query sees.
            slopes: Shape ``(heads,)``, float32: the ALiBi slopes; or None.
            dropout: Dropout probability of the attention weights.

        Returns:
            The shape of the query. A query that sees no key gets zeros.
        """


def math_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Mask, slopes: Tensor | None, dropout: float
) -> Tensor:
    """Compute attention by its definition in plain PyTorch, with all scores in memory."""
    groups = query.shape[1] // key.shape[1]
    key, value = (each.repeat_interleave(groups, 1) for each in (key, value))
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.shape[-1])
    queries, keys = scores.shape[-2:]
    if slopes is not None:
        distance = mask.distances(queries, keys, query.device).abs()
        scores = scores - slopes[:, None, None].to(scores.dtype) * distance
    hidden = mask.dense(queries, keys, query.device)
    if hidden is None:
        weights = scores.softmax(-1)
    else:
        # A row in which all keys are masked gets zeros instead of NaN.
        weights = scores.masked_fill(hidden, -torch.inf).softmax(-1).masked_fill(hidden, 0.0)
    return F.dropout(weights, dropout) @ value


def sdpa_attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Mask, slopes: Tensor | None, dropout: float
) -> Tensor:
    """Compute attention with ``torch.nn.functional.scaled_dot_product_attention``."""
    queries, keys = query.shape[2], key.shape[2]
    is_plain = mask.padding is None and mask.hidden is None and mask.window == (-1, -1)
    grouped = query.shape[1] != key.shape[1]
    if slopes is None and is_plain and (not mask.is_causal or queries == keys):
        return F.scaled_dot_product_attention(
            query, key, value, None, dropout, mask.is_causal, enable_gqa=grouped
        )
    hidden = mask.dense(queries, keys, query.device)
    bias: Tensor | None = None if hidden is None else ~hidden
    if slopes is not None:
        distance = mask.distances(queries, keys, query.device).abs()
        bias = (-slopes[:, None, None] * distance).to(query.dtype)
        if hidden is not None:
            bias = bias.masked_fill(hidden, -torch.inf)
        bias = bias if bias.dim() == 4 else bias[None]
    out = F.scaled_dot_product_attention(query, key, value, bias, dropout, enable_gqa=grouped)
    return out if hidden is None else out.masked_fill(hidden.all(-1, keepdim=True), 0.0)


def flash(
    query: Tensor, key: Tensor, value: Tensor, mask: Mask, slopes: Tensor | None, dropout: float
) -> Tensor:
    """Compute attention with ``torchstone.kernels.flash_attention``, without storing scores."""
    _require_places(mask, "flash")
    return flash_attention(
        query, key, value, is_causal=mask.is_causal, window_size=mask.window,
        key_padding_mask=mask.padding, alibi_slopes=slopes, dropout_p=dropout,
    )  # fmt: skip


def triton(
    query: Tensor, key: Tensor, value: Tensor, mask: Mask, slopes: Tensor | None, dropout: float
) -> Tensor:
    """Compute attention with the Triton kernels, on any device that Triton supports.

    Raises:
        ImportError: Triton is not installed.
    """
    _require_places(mask, "triton")
    if importlib.util.find_spec("triton") is None:
        raise ImportError("backend 'triton' wants Triton: pip install triton, or use 'flash'")
    left, right = mask.window
    seed = None
    if dropout:
        seed = torch.randint(2**63 - 1, (), dtype=torch.int64, device=query.device)
    rest = KernelMask(
        mask.padding, slopes, seed, None, None, query.shape[2], key.shape[2],
        left, 0 if mask.is_causal else right, 1 / math.sqrt(query.shape[-1]), dropout,
    )  # fmt: skip
    out: Tensor = _Triton.apply(query, key, value, rest)  # type: ignore[no-untyped-call]
    return out


class _Triton(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, query: Tensor, key: Tensor, value: Tensor, rest: KernelMask) -> Tensor:
        from torchstone.kernels.triton import attention

        out, lse = attention.flash_attention(query, key, value, *rest)
        ctx.save_for_backward(query, key, value, out, lse)
        ctx.rest = rest
        return out

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        from torchstone.kernels.triton import attention

        gradients = attention.flash_attention_backward(grad, *ctx.saved_tensors, *ctx.rest)
        return *gradients, None


def _require_places(mask: Mask, backend: str) -> None:
    if mask.hidden is not None:
        raise ValueError(
            f"backend {backend!r} knows masks by places and padding alone; for Mask.hidden use "
            f"'math' or 'sdpa'"
        )


BACKENDS: dict[str, Backend] = {
    "math": math_attention,
    "flash": flash,
    "triton": triton,
    "sdpa": sdpa_attention,
}


def find(backend: str | Backend) -> Backend:
    """Return a backend by name; return a function unchanged.

    Raises:
        ValueError: The name is unknown.
    """
    if not isinstance(backend, str):
        return backend
    if backend not in BACKENDS:
        raise ValueError(f"backend is {backend!r}; expected {', '.join(BACKENDS)}, or a function")
    return BACKENDS[backend]
