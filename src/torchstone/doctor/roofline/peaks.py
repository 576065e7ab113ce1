"""Peaks: what a card reaches at most, from a table of data sheets or from a calibration."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from torchstone.doctor.roofline.work import ON_TENSOR_CORES, Family
from torchstone.doctor.source import Device


@dataclass(frozen=True, slots=True, kw_only=True)
class Peaks:
    """Hold what a device reaches at most.

    Attributes:
        name: Whose peaks these are.
        flops: Operations a second by type. ``float32`` and ``float64`` are those of vector units;
            ``tf32``, ``float64_matrix`` and all of 16 bits and fewer are those of tensor cores.
        bandwidth: Bytes a second of its memory.
        is_measured: Whether they were measured here, and not read from a data sheet.
    """

    name: str
    flops: dict[str, float]
    bandwidth: float
    is_measured: bool = False

    def of(self, family: Family, dtype: str, *, is_tf32: bool = False) -> float | None:
        """Return the peak for operators of a family on a type; nothing where it is not known.

        Args:
            family: Products, convolutions and attention may use tensor cores.
            dtype: The type of what is computed.
            is_tf32: Whether their kernels round float32 to use tensor cores.
        """
        if family not in ON_TENSOR_CORES:
            # Vector units compute fewer bits in float32.
            return self.flops.get("float64" if dtype == "float64" else "float32")
        if dtype == "float64":
            return self.flops.get("float64_matrix", self.flops.get("float64"))
        if dtype == "float32":
            return self.flops.get("tf32" if is_tf32 else "float32", self.flops.get("float32"))
        return self.flops.get(dtype)

    @property
    def ridge(self) -> float | None:
        """Return the operations for a byte of the fastest type that training uses, at the ridge."""
        for dtype in ("bfloat16", "float16", "float32"):
            if dtype in self.flops:
                return self.flops[dtype] / self.bandwidth
        return None


def peaks_of(device: Device) -> Peaks | None:
    """Return the peaks of a card by its name; nothing if the table does not have it."""
    size = device.memory / 1e9
    for card in _table():
        least, most = card.get("memory", (0, float("inf")))
        if re.search(card["name"], device.name, re.IGNORECASE) and least <= size <= most:
            flops = {dtype: float(value) * 1e12 for dtype, value in card["peaks"].items()}
            return Peaks(name=device.name, flops=flops, bandwidth=card["bandwidth"] * 1e9)
    return None


@cache
def _table() -> list[dict[str, Any]]:
    path = Path(__file__).with_name("peaks.toml")
    cards: list[dict[str, Any]] = tomllib.loads(path.read_text(encoding="utf-8"))["card"]
    return cards
