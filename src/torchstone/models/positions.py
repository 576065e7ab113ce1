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
    """Add sines and cosines of the place, in wavelengths from 2π to 10,000 · 2π.

    Args:
        width: The numbers of a place; even.
        limit: The places there are.

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
        """Add the places from ``first`` on to x, shape ``(batch, places, width)``."""
        end = first + x.shape[-2]
        _require_room("Sinusoidal", end, len(self.table))
        return x + self.table[first:end].to(x.dtype)


class Learned(nn.Module):
    """Add a vector that is learned for each place.

    Args:
        width: The numbers of a place.
        limit: The places there are.
    """

    def __init__(self, width: int, limit: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(limit, width))
        nn.init.normal_(self.weight, std=0.02)

    def forward(self, x: Tensor, first: int = 0) -> Tensor:
        """Add the places from ``first`` on to x, shape ``(batch, places, width)``."""
        end = first + x.shape[-2]
        _require_room("Learned", end, len(self.weight))
        return x + self.weight[first:end].to(x.dtype)


class Rotary(nn.Module):
    """Turn pairs of numbers of queries and keys by angles that grow with the place.

    Args:
        head_dim: The numbers of a head; even.
        limit: The places there are.
        base: The longest wavelength, over 2π.
        interleaved: Whether partners are neighbours, or half a head apart.

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
        """Rotate x, shape ``(batch, heads, places, head_dim)``, whose places begin at ``first``."""
        end = first + x.shape[-2]
        _require_room("Rotary", end, len(self.cosines))
        wide = torch.float64 if x.dtype == torch.float64 else torch.float32
        cosines, sines = (each[first:end].to(wide) for each in (self.cosines, self.sines))
        return rotary_embedding(x, cosines, sines, interleaved=self.interleaved)


class Alibi(nn.Module):
    """Lower scores by the distance, by another slope for each head.

    Args:
        num_heads: The heads.

    Source:
        Press et al., "Train Short, Test Long: Attention with Linear Biases", 2021, section 3.
    """

    slopes: Tensor

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.register_buffer("slopes", alibi_slopes(num_heads), persistent=False)


def alibi_slopes(num_heads: int) -> Tensor:
    """Return a slope for each head: a geometric series from 2^(-8/n) down, for n heads.

    Where n is no power of two, those of the next lower one come first, and then every other one of
    twice as many.
    """
    power = 1 << (num_heads.bit_length() - 1)
    slopes = [2.0 ** (-8.0 * (i + 1) / power) for i in range(power)]
    between = [2.0 ** (-4.0 * (i + 1) / power) for i in range(0, 2 * power, 2)]
    return torch.tensor(slopes + between[: num_heads - power])
