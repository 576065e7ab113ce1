"""Named result tuples, as in ``torch.return_types``."""

from __future__ import annotations

from collections import namedtuple
from typing import TYPE_CHECKING, Any

# Functions that return values and indices.
_FOUND = (
    "max", "min", "cummax", "cummin", "sort", "topk", "kthvalue", "median", "nanmedian", "mode",
)  # fmt: skip

if TYPE_CHECKING:
    # The types are created dynamically.
    def __getattr__(name: str) -> Any: ...


def define(name: str, *fields: str) -> Any:
    """Create a named result type and register it in this module."""
    plain: Any = namedtuple(name, fields)  # type: ignore[misc]
    globals()[name] = kind = type(name, (plain,), {"__slots__": (), "__repr__": _show})
    return kind


def _show(self: Any) -> str:
    fields = zip(self._fields, self, strict=True)
    shown = ",\n".join(f"{field}={value!r}" for field, value in fields)
    return f"torch.return_types.{type(self).__name__}(\n{shown})"


for _name in _FOUND:
    define(_name, "values", "indices")
define("aminmax", "min", "max")
define("histogram", "hist", "bin_edges")
define("histogramdd", "hist", "bin_edges")
