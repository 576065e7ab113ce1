"""Random parameters and inputs of cases from one seed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import torch

Item = TypeVar("Item")

LAYOUTS = ("contiguous", "transposed", "stepped", "offset", "expanded")


def derive_seed(*parts: object) -> int:
    """Derive a 63-bit seed from parts; the same parts always give the same seed."""
    digest = hashlib.sha256("\x1f".join(map(str, parts)).encode()).digest()
    return int.from_bytes(digest[:8], "little") >> 1


class Draw:
    """Random numbers and tensors from a separate generator.

    The global random state is not used.

    Args:
        seed: Seed of the generator.
        plain: Round values to one decimal, for readable failing cases.
    """

    def __init__(self, seed: int, *, plain: bool = False) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        self.plain = plain

    def integer(self, low: int, high: int) -> int:
        """Draw an integer from ``low`` to ``high``, both included."""
        return int(torch.randint(low, high + 1, (), generator=self.generator))

    def choice(self, items: Sequence[Item]) -> Item:
        """Draw one of the items."""
        return items[self.integer(0, len(items) - 1)]

    def chance(self, probability: float) -> bool:
        """Draw True with the given probability."""
        return float(torch.rand((), generator=self.generator)) < probability

    def shape(self, ndim: int, low: int, high: int) -> list[int]:
        """Draw a shape of ``ndim`` sizes from ``low`` to ``high``, both included."""
        return [self.integer(low, high) for _ in range(ndim)]

    def layout(self) -> str:
        """Draw one of `LAYOUTS`."""
        return self.choice(LAYOUTS)

    def normal(
        self,
        shape: Sequence[int],
        dtype: torch.dtype = torch.float32,
        scale: float = 1.0,
        offset: float = 0.0,
    ) -> torch.Tensor:
        """Draw normal values in float32 (float64 for float64), then round once to ``dtype``."""
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        values = torch.randn(tuple(shape), generator=self.generator, dtype=wide)
        if self.plain:
            values = (values * 10).round() / 10
        if scale != 1.0:
            values.mul_(scale)
        if offset != 0.0:
            values.add_(offset)
        return values.to(dtype)

    def uniform(
        self, shape: Sequence[int], low: float, high: float, dtype: torch.dtype = torch.float32
    ) -> torch.Tensor:
        """Draw uniform values in ``[low, high)``."""
        values = (
            torch.rand(tuple(shape), generator=self.generator, dtype=torch.float64) * (high - low)
            + low
        )
        if self.plain:
            values = (values * 10).round() / 10
        return values.to(dtype)

    def integers(
        self, shape: Sequence[int], low: int, high: int, dtype: torch.dtype = torch.int64
    ) -> torch.Tensor:
        """Draw integers from ``low`` to ``high``, both included."""
        return torch.randint(low, high + 1, tuple(shape), generator=self.generator).to(dtype)


def lay_out(tensor: torch.Tensor, layout: str) -> torch.Tensor:
    """Return a tensor with the given memory layout.

    ``transposed`` exchanges the order of the first and last dimension in memory, ``stepped`` leaves
    a gap after every element of the last dimension, ``offset`` starts inside its storage,
    ``expanded`` has stride 0 in the first dimension (its first slice is repeated, so values change
    and the shape does not). Gaps are filled with 7, so that reading them is detected.

    Raises:
        ValueError: The layout is unknown.
    """
    if layout not in LAYOUTS:
        raise ValueError(f"lay_out: {layout!r} is not a layout; use one of {', '.join(LAYOUTS)}.")
    if layout == "contiguous" or tensor.ndim == 0 or tensor.numel() == 0:
        return _offset(tensor) if layout == "offset" and tensor.numel() else tensor.contiguous()
    if layout == "transposed":
        return tensor.transpose(0, -1).contiguous().transpose(0, -1)
    if layout == "stepped":
        wide = torch.full((*tensor.shape[:-1], tensor.shape[-1] * 2), 7, dtype=tensor.dtype)
        stepped = wide[..., ::2]
        return stepped.copy_(tensor)
    if layout == "offset":
        return _offset(tensor)
    return tensor[:1].contiguous().expand(tensor.shape)


def _offset(tensor: torch.Tensor) -> torch.Tensor:
    flat = torch.full((tensor.numel() + 5,), 7, dtype=tensor.dtype)
    return flat[3 : 3 + tensor.numel()].view(tensor.shape).copy_(tensor)
