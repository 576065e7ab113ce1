"""``Position``: the collective that a rank waits in; ``describe``: the positions of all ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from torchstone.distributed.comm.calls import Call

# The axis of all ranks, which messages do not mention.
WORLD = "dp"


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Collective that a rank waits in.

    Attributes:
        op: The name of the operation.
        number: Its index on the axis, from 0.
        axis: The axis.
        peer: The other rank of a message.
        tag: The tag of a message.
    """

    op: str
    number: int
    axis: str
    peer: int = 0
    tag: int = 0

    @classmethod
    def of(cls, call: Call, number: int, axis: str) -> Position:
        """Return the position of a rank that waits for a call."""
        return cls(op=call.op, number=number, axis=axis, peer=call.peer, tag=call.tag)

    def words(self, *, has_axis: bool = True) -> str:
        """Return the position as text; the axis of all ranks is omitted."""
        where = f" of {self.axis}" if has_axis and self.axis != WORLD else ""
        if self.op in ("send", "recv"):
            direction = "to" if self.op == "send" else "from"
            return f"{self.op} {direction} rank {self.peer} with tag {self.tag}{where}"
        return f"{self.op} #{self.number}{where}"


_PLURALS = {"has": "have", "is": "are", "says": "say"}


def describe(positions: Mapping[int, Position | str]) -> str:
    """Describe the position of each rank, those that are alone in theirs first.

    Args:
        positions: For each rank a position, or a state that follows "rank 3" and begins with one
            of the verbs "has", "is" and "says", as in "has ended".

    >>> at = Position(op="all_reduce", number=14, axis="dp")
    >>> other = Position(op="all_gather", number=14, axis="dp")
    >>> describe({0: at, 1: at, 2: other, 3: at})
    'rank 2 is in all_gather #14, ranks 0, 1, 3 in all_reduce #14'
    """
    groups: dict[Position | str, list[int]] = {}
    for rank, position in sorted(positions.items()):
        groups.setdefault(position, []).append(rank)
    sentences: list[str] = []
    axes: set[str] = set()
    for position, ranks in sorted(groups.items(), key=lambda each: (len(each[1]), each[1])):
        names = ", ".join(map(str, ranks))
        subject = f"rank {names}" if len(ranks) == 1 else f"ranks {names}"
        if isinstance(position, str):
            verb, _, rest = position.partition(" ")
            verb = verb if len(ranks) == 1 else _PLURALS[verb]
            sentences.append(f"{subject} {verb} {rest}")
            continue
        verb = ("is in " if len(ranks) == 1 else "are in ") if not axes else "in "
        sentences.append(f"{subject} {verb}{position.words(has_axis=position.axis not in axes)}")
        axes.add(position.axis)
    return ", ".join(sentences)
