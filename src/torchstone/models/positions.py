"""Position encodings: sinusoidal, learned, rotary (RoPE) and ALiBi."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from torchstone.kernels import rotary_embedding


def _require_room(name: str, end: int, limit: int) -> None:
    if end > limit:
        raise ValueError(f"{name}: the sequence ends at place {end}; the limit is {limit}")


class Sinusoidal(nn.Module):
    """Sinusoidal position encoding, with wavelengths from 2π to 10,000 · 2π.

    Args:
        width: Number of features per position; even.
        limit: Maximum number of positions.

    Source:
        Vaswani et al., "Attention Is All You Need", 2017, section 3.5.
    """

    table: Tensor

    def __init__(self, width: int, limit: int = 4096) -> None:
        super().__init__()
        if width % 2:
            raise ValueError(f"Sinusoidal: width is {width}; expected an even number")
        rates = torch.exp(torch.arange(0, width, 2) * (-math.log(10_000.0) / width))
        angles = torch.arange(limit)[:, None] * rates
        table = torch.stack([angles.sin(), angles.cos()], -1).flatten(1)
        self.register_buffer("table", table, persistent=False)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Add encodings to x, ``(batch, positions, width)``, whose positions start at ``first``."""
        end = first + x.shape[-2]
        _require_room("Sinusoidal", end, len(self.table))
        return x + self.table[first:end].to(x.dtype)


class Learned(nn.Module):
    """Learned position embedding.

    Args:
        width: Number of features per position.
        limit: Maximum number of positions.
    """

    def __init__(self, width: int, limit: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(limit, width))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Add vectors to x, ``(batch, positions, width)``, whose positions start at ``first``."""
        end = first + x.shape[-2]
        _require_room("Learned", end, len(self.weight))
        return x + self.weight[first:end].to(x.dtype)


class Rotary(nn.Module):
    """Rotary position embedding (RoPE): rotates pairs of features by position-dependent angles.

    Args:
        head_dim: Number of features per head; even.
        limit: Maximum number of positions.
        base: The longest wavelength, divided by 2π.
        interleaved: Whether partners are adjacent, or half a head apart.

    Source:
        Su et al., "RoFormer: Enhanced Transformer with Rotary Position Embedding", 2021,
        equation 34.
    """

    cosines: Tensor
    sines: Tensor

    def __init__(
        self,
        head_dim: int,
        limit: int = 4096,
        *,
        base: float = 10_000.0,
        interleaved: bool = False,
    ) -> None:
        super().__init__()
        if head_dim % 2:
            raise ValueError(f"Rotary: head_dim is {head_dim}; expected an even number")
        self.interleaved = interleaved
        rates = base ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
        angles = torch.arange(limit, dtype=torch.float64)[:, None] * rates
        self.register_buffer("cosines", angles.cos().float(), persistent=False)
        self.register_buffer("sines", angles.sin().float(), persistent=False)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Rotate x, ``(batch, heads, positions, head_dim)``, whose positions start at ``first``."""
        end = first + x.shape[-2]
        _require_room("Rotary", end, len(self.cosines))
        wide = torch.float64 if x.dtype == torch.float64 else torch.float32
        cosines, sines = (each[first:end].to(wide) for each in (self.cosines, self.sines))
        return rotary_embedding(x, cosines, sines, interleaved=self.interleaved)


class Alibi(nn.Module):
    """ALiBi: attention scores decrease linearly with distance, with a slope for each head.

    Args:
        num_heads: Number of heads.

    Source:
        Press et al., "Train Short, Test Long: Attention with Linear Biases", 2021, section 3.
    """

    slopes: Tensor

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.register_buffer("slopes", alibi_slopes(num_heads), persistent=False)


def alibi_slopes(num_heads: int) -> Tensor:
    """Return the slope of each head: for n heads a geometric series starting at 2^(-8/n).

    If n is not a power of two, the slopes for the next lower power are followed by every other
    slope of twice that power.
    """
    power = 1 << (num_heads.bit_length() - 1)
    slopes = [2.0 ** (-8.0 * (i + 1) / power) for i in range(power)]
    between = [2.0 ** (-4.0 * (i + 1) / power) for i in range(0, 2 * power, 2)]
    return torch.tensor(slopes + between[: num_heads - power])
