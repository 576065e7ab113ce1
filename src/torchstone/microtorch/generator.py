"""``torch.Generator``: the Mersenne Twister, with the same numbers as PyTorch on the CPU.

The 32-bit outputs are turned into random numbers as in PyTorch, so the same seed gives the same
weights, the same order and the same dropout. (On Intel processors PyTorch may draw ``bernoulli_``
and ``exponential_`` with MKL, from another stream.)

Source:
    Matsumoto and Nishimura, Mersenne Twister (1998).
"""

from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np

from torchstone.microtorch.box_muller import BLOCK, box_muller
from torchstone.microtorch.device import device as Device
from torchstone.microtorch.grad_mode import state
from torchstone.microtorch.tensor import Array, Tensor, wrap

DEFAULT_SEED = 67280421310721
BLOCK_OF_BITS = 624
# Numbers drawn at once, to bound temporary memory; a multiple of the block size.
PIECE = 2**15
# Layout of the generator state that PyTorch serializes.
STATE = np.dtype(
    [
        ("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"),
        ("key", "u8", BLOCK_OF_BITS), ("normal_x", "f8"), ("normal_y", "f8"), ("normal_rho", "f8"),
        ("has_normal", "i8"), ("float_normal", "f4"), ("has_float_normal", "i4"),
    ]
)  # fmt: skip


class Generator:
    """Stream of pseudorandom numbers."""

    def __init__(self, device: Any = "cpu") -> None:
        self.device = Device(device)
        self.manual_seed(DEFAULT_SEED)

    def manual_seed(self, seed: int) -> Generator:
        """Set the seed, and restart the sequence."""
        seed = operator.index(seed)
        if not -(2**63) <= seed < 2**64:
            raise RuntimeError(f"Overflow when unpacking long: the seed {seed} has over 64 bits")
        self._seed = seed % 2**64
        self._bits = np.random.MT19937()
        self._bits._legacy_seeding(self._seed % 2**32)
        self._next_normal: float | None = None
        return self

    def seed(self) -> int:
        """Set a seed from the system, restart the sequence, and return the seed."""
        seed = int.from_bytes(os.urandom(8), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self) -> int:
        """Return the seed."""
        return self._seed

    def get_state(self) -> Tensor:
        """Return the state for ``set_state``, in PyTorch's byte layout."""
        record = np.zeros((), STATE)
        bits = self._bits.state["state"]
        record["seed"], record["seeded"], record["key"] = self._seed, 1, bits["key"]
        record["next"], record["left"] = bits["pos"], BLOCK_OF_BITS + 1 - bits["pos"]
        if self._next_normal is not None:
            record["normal_y"], record["has_normal"] = self._next_normal, 1
        return wrap(np.frombuffer(record.tobytes(), np.uint8).copy())

    def set_state(self, new_state: Tensor) -> Generator:
        """Restore the state of another generator."""
        if not isinstance(new_state, Tensor):
            raise TypeError(f"expected a torch.ByteTensor, but got {type(new_state).__name__}")
        if new_state.array.dtype != np.uint8:
            raise TypeError("RNG state must be a torch.ByteTensor")
        if new_state.array.size != STATE.itemsize:
            raise RuntimeError(
                f"RNG state must be a torch.ByteTensor of {STATE.itemsize} bytes, got "
                f"{new_state.dtype} of {new_state.array.size}"
            )
        (record,) = np.frombuffer(new_state.array.tobytes(), STATE)
        # If one word is left, the next draw starts a new block.
        place = BLOCK_OF_BITS if record["left"] == 1 else int(record["next"])
        if not 0 <= place <= BLOCK_OF_BITS:
            # NumPy does not check the position and would read past the key.
            raise RuntimeError("Invalid mt19937 state")
        self._seed = int(record["seed"])
        self._next_normal = float(record["normal_y"]) if record["has_normal"] else None
        self._bits.state = {
            "bit_generator": "MT19937",
            "state": {"key": record["key"].astype(np.uint32), "pos": place},
        }
        return self

    def bits32(self, count: int) -> Array:
        """Draw 32-bit integers, as uint64."""
        if state.levels:
            state.levels[-1].refuse_to_draw()
        return self._bits.random_raw(count)

    def bits64(self, count: int) -> Array:
        """Draw 64-bit integers."""
        bits = self.bits32(2 * count)
        return (bits[0::2] << np.uint64(32)) | bits[1::2]

    def uniform(self, count: int, dtype: Any) -> Array:
        """Draw from the uniform distribution on [0, 1), with as many bits as the dtype holds."""
        kind: Any = np.float64 if dtype == np.float64 else np.float32
        draw, bits = (self.bits64, 53) if kind is np.float64 else (self.bits32, 24)
        values: Array = np.empty(count, kind)
        for first in range(0, count, PIECE):
            piece = values[first : first + PIECE]
            words = draw(piece.size)
            words &= np.uint64(2**bits - 1)
            piece[...] = words
        values *= 2.0**-bits
        return values

    def normal(self, count: int, dtype: Any) -> Array:
        """Draw from the standard normal distribution."""
        if count < BLOCK:
            return np.array([self._one_normal() for _ in range(count)], np.float64)
        whole = count - count % BLOCK
        # In half precision the last block is drawn only once, below.
        values = self.uniform(whole if dtype == np.float16 else count, dtype)
        values.resize(count)
        for first in range(0, whole, PIECE):
            piece = values[first : min(first + PIECE, whole)]
            piece[...] = box_muller(piece)
        if whole != count:
            # Draw the last block again, over the end of the previous block.
            values[-BLOCK:] = box_muller(self.uniform(BLOCK, dtype))
        return values

    def _one_normal(self) -> float:
        """Draw one number; each pair of uniform numbers yields two, and the second is kept."""
        if self._next_normal is not None:
            value, self._next_normal = self._next_normal, None
            return value
        first, second = self.uniform(2, np.float64).tolist()
        radius, angle = np.sqrt(-2 * np.log1p(-second)), 2 * np.pi * first
        self._next_normal = float(radius * np.sin(angle))
        return float(radius * np.cos(angle))

    def permutation(self, count: int) -> Array:
        """Return a random permutation of the integers below ``count``."""
        order = list(range(count))
        if count > 1:
            jumps = self.bits32(count - 1) % np.arange(count, 1, -1, dtype=np.uint64)
            for place, jump in enumerate(jumps.tolist()):
                order[place], order[place + jump] = order[place + jump], order[place]
        return np.array(order, np.int64)

    def integers(self, low: int, high: int, count: int) -> Array:
        """Draw integers from [low, high)."""
        width = high - low
        bits = self.bits64(count) if width >= 2**32 else self.bits32(count)
        return (bits % np.uint64(width)).astype(np.int64) + low


default_generator = Generator()
