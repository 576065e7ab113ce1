"""The PyTorch version that this package implements, as in ``torch.version``."""

from __future__ import annotations

from typing import Any


class Version(str):
    """Version string compared by release number, with text or with a tuple of numbers.

    >>> Version("2.13.0") > "2.4"
    True
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return str(self) == other if isinstance(other, str) else _release(self) == _release(other)

    def __lt__(self, other: Any) -> bool:
        return _release(self) < _release(other)

    def __le__(self, other: Any) -> bool:
        return _release(self) <= _release(other)

    def __gt__(self, other: Any) -> bool:
        return _release(self) > _release(other)

    def __ge__(self, other: Any) -> bool:
        return _release(self) >= _release(other)


def _release(version: Any) -> tuple[int, ...]:
    """Return the release numbers, without trailing zeros and without a suffix."""
    if isinstance(version, str):
        version = version.partition("+")[0].split(".")
    numbers = [int(part) for part in version if str(part).isdigit()]
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


__version__ = Version("2.13.0+microtorch")
debug = False
cuda = hip = xpu = git_version = None
