"""Peak performance of devices, from a table of data sheets or from a calibration."""

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
    """Peak performance of a device.

    Attributes:
        name: Name of the device.
        flops: Operations per second by dtype. ``float32`` and ``float64`` are those of vector
            units; ``tf32``, ``float64_matrix`` and all dtypes of at most 16 bits are those of
            tensor cores.
        bandwidth: Memory bandwidth in bytes per second.
        is_measured: Whether the peaks were measured rather than read from a data sheet.
    """

    name: str
    flops: dict[str, float]
    bandwidth: float
    is_measured: bool = False

    def of(self, family: Family, dtype: str, *, is_tf32: bool = False) -> float | None:
        """Return the peak for an operator family and a dtype; None if unknown.

        Args:
            family: Products, convolutions and attention may use tensor cores.
            dtype: Dtype of the computation.
            is_tf32: Whether the kernels round float32 to TF32 for tensor cores.
        """
        if family not in ON_TENSOR_CORES:
            # Vector units compute narrower types in float32.
            return self.flops.get("float64" if dtype == "float64" else "float32")
        if dtype == "float64":
            return self.flops.get("float64_matrix", self.flops.get("float64"))
        if dtype == "float32":
            return self.flops.get("tf32" if is_tf32 else "float32", self.flops.get("float32"))
        return self.flops.get(dtype)

    @property
    def ridge(self) -> float | None:
        """Return the ridge, in operations per byte, of the fastest dtype used in training."""
        for dtype in ("bfloat16", "float16", "float32"):
            if dtype in self.flops:
                return self.flops[dtype] / self.bandwidth
        return None


def peaks_of(device: Device) -> Peaks | None:
    """Return the peaks of a device by name; None if it is not in the table."""
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
