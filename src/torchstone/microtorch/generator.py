"""The source of random numbers: PyTorch's on the CPU, number by number.

Its generator is the Mersenne Twister; what it makes of the 32-bit numbers is done here in the same
way, so that the same seed gives the same weights, the same order and the same dropout. (On Intel's
processors PyTorch may draw ``bernoulli_`` and ``exponential_`` by MKL, from another stream.)

Source:
    Matsumoto and Nishimura, Mersenne Twister (1998).
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

from torchstone.microtorch.box_muller import BLOCK, box_muller
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.tensor import Array

MASK_24, MASK_53 = np.uint64(2**24 - 1), np.uint64(2**53 - 1)
DEFAULT_SEED = 67280421310721


class Generator:
    """A stream of random numbers."""

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Begin anew."""
        if not -(2**63) <= seed < 2**64:
            raise RuntimeError(f"Overflow when unpacking long: the seed {seed} has over 64 bits")
        self._seed = seed % 2**64
        self._bits = np.random.MT19937()
        self._bits._legacy_seeding(self._seed % 2**32)
        self._next_normal: float | None = None
        return self

    def seed(self) -> int:
        """Begin anew from a seed of the system's, and say it."""
        seed = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """Give the seed."""
        return self._seed

    def get_state(self) -> dict[str, Any]:
        """Give what ``set_state`` takes."""
        return {
            "seed": self._seed, "bits": self._bits.state, "next_normal": self._next_normal
        }  # fmt: skip

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from where another stood."""
        self._seed, self._next_normal = state["seed"], state["next_normal"]
        self._bits.state = state["bits"]

    def bits32(self, count: int) -> Array:
        """Draw numbers of 32 bits, as uint64."""
        if state.levels:
            state.levels[-1].refuse_to_draw()
        return self._bits.random_raw(count)

    def bits64(self, count: int) -> Array:
        """Draw numbers of 64 bits."""
        bits = self.bits32(2 * count)
        return (bits[0::2] << np.uint64(32)) | bits[1::2]

    def uniform(self, count: int, dtype: Any) -> Array:
        """Draw from [0, 1), with as many bits as the type holds."""
        if dtype == np.float64:
            return (self.bits64(count) & MASK_53) * 2.0**-53
        return ((self.bits32(count) & MASK_24) * 2.0**-24).astype(np.float32)

    def normal(self, count: int, dtype: Any) -> Array:
        """Draw from the normal distribution, of mean 0 and standard deviation 1."""
        if count < BLOCK or dtype not in (np.float32, np.float64):
            return np.array([self._one_normal() for _ in range(count)], np.float64)
        values = self.uniform(count, dtype)
        whole = count - count % BLOCK
        values[:whole] = box_muller(values[:whole])
        if whole != count:
            # The last block is drawn anew, over the end of the one before it.
            values[-BLOCK:] = box_muller(self.uniform(BLOCK, dtype))
        return values

    def _one_normal(self) -> float:
        """Draw one number; every second is left over from the one before."""
        if self._next_normal is not None:
            value, self._next_normal = self._next_normal, None
            return value
        first, second = self.uniform(2, np.float64).tolist()
        radius, angle = np.sqrt(-2 * np.log1p(-second)), 2 * np.pi * first
        self._next_normal = float(radius * np.sin(angle))
        return float(radius * np.cos(angle))

    def permutation(self, count: int) -> Array:
        """Shuffle the numbers below ``count``."""
        order = list(range(count))
        if count > 1:
            jumps = self.bits32(count - 1) % np.arange(count, 1, -1, dtype=np.uint64)
            for place, jump in enumerate(jumps.tolist()):
                order[place], order[place + jump] = order[place + jump], order[place]
        return np.array(order, np.int64)

    def integers(self, low: int, high: int, count: int) -> Array:
        """Draw whole numbers from [low, high)."""
        width = high - low
        bits = self.bits64(count) if width >= 2**32 else self.bits32(count)
        return (bits % np.uint64(width)).astype(np.int64) + low


default_generator = Generator()
