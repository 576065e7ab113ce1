"""``torch.Size``: the shape of a tensor."""

from __future__ import annotations

from typing import Any


class Size(tuple[int, ...]):
    """Shape of a tensor."""

    __slots__ = ()

    def numel(self) -> int:
        """Return the number of elements."""
        count = 1
        for size in self:
            count *= size
        return count

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return Size(item) if isinstance(key, slice) else item

    def __add__(self, other: Any) -> Size:
        return Size(super().__add__(other))

    def __radd__(self, other: tuple[int, ...]) -> Size:
        return Size(other + tuple(self))

    def __mul__(self, count: Any) -> Size:
        return Size(super().__mul__(count))

    __rmul__ = __mul__
