"""Constants, and what the namespace tells of itself."""

from __future__ import annotations

import math
from typing import Any

import torchstone.microtorch as micro
from tests.microtorch.conformance.array_namespace.dtypes import KINDS, NAMES, isdtype

__array_api_version__ = "2024.12"
e, inf, nan, newaxis, pi = math.e, math.inf, math.nan, None, math.pi
__all__ = ["__array_api_version__", "__array_namespace_info__", "e", "inf", "nan", "newaxis", "pi"]


class Info:
    """What the namespace can do, where, and with which types."""

    def capabilities(self) -> dict[str, Any]:
        return {"boolean indexing": True, "data-dependent shapes": True, "max dimensions": 64}

    def default_device(self) -> Any:
        return micro.get_default_device()

    def default_dtypes(self, *, device: Any = None) -> dict[str, Any]:
        real = micro.get_default_dtype()
        return {
            "real floating": real,
            "complex floating": real.to_complex(),
            "integral": micro.int64,
            "indexing": micro.int64,
        }

    def devices(self) -> list[Any]:
        return [micro.device("cpu")]

    def dtypes(self, *, device: Any = None, kind: Any = None) -> dict[str, Any]:
        kinds = kind or ("bool", *KINDS)
        found = {name: getattr(micro, name) for name in NAMES}
        return {name: dtype for name, dtype in found.items() if isdtype(dtype, kinds)}


def __array_namespace_info__() -> Info:
    return Info()
