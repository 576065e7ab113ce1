"""Where tensors live."""

from __future__ import annotations


class device:
    """Where a tensor lives: here there is the CPU alone."""

    __slots__ = ("index", "type")

    def __init__(self, type: str | device = "cpu", index: int | None = None) -> None:
        name, _, number = str(type).partition(":")
        if name not in ("cpu", "meta"):
            raise RuntimeError(f"microtorch computes on the CPU alone; there is no {type!s} here")
        self.type = name
        self.index = int(number) if number else index

    def __eq__(self, other: object) -> bool:
        return isinstance(other, device) and self.type == other.type

    def __hash__(self) -> int:
        return hash(self.type)

    def __str__(self) -> str:
        return self.type if self.index is None else f"{self.type}:{self.index}"

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"


CPU = device()
