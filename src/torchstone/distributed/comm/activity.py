"""``Activity``: when a rank computes on a simulated clock, and when it waits, and for whom."""

from __future__ import annotations

from dataclasses import dataclass, field

# Operation, axis, number and ranks of an exchange.
Place = tuple[str, str, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """A time in which a rank computes.

    Attributes:
        start_s: Its begin, in seconds of the simulated clock.
        end_s: Its end.
        label: What is computed.
    """

    start_s: float
    end_s: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """A time in which a rank can do nothing until an exchange is complete.

    Attributes:
        start_s: Its begin, in seconds of the simulated clock.
        end_s: Its end.
        op: The operation of the exchange; that of a message is ``send``.
        axis: Its axis.
        number: Its number on the axis.
        ranks: Who takes part, as ranks of the world; of a message its sender, then its receiver.
        last: The rank that has not launched it yet; ``None`` while all have, and bytes travel.
    """

    start_s: float
    end_s: float
    op: str
    axis: str
    number: int
    ranks: tuple[int, ...]
    last: int | None


@dataclass(slots=True)
class Activity:
    """What one rank does, in the order of the time.

    Attributes:
        computed: When it computes.
        waited: When it waits.
    """

    computed: list[Computed] = field(default_factory=list)
    waited: list[Waited] = field(default_factory=list)

    def clear(self) -> None:
        """Forget all."""
        self.computed.clear()
        self.waited.clear()

    def copy(self) -> Activity:
        """Return what has been noted so far."""
        return Activity([*self.computed], [*self.waited])

    def compute(self, start_s: float, end_s: float, label: str) -> None:
        """Note a computation; one that goes on with the same label is one."""
        before = self.computed[-1] if self.computed else None
        if before is not None and (before.end_s, before.label) == (start_s, label):
            self.computed.pop()
            start_s = before.start_s
        if end_s > start_s:
            self.computed.append(Computed(start_s=start_s, end_s=end_s, label=label))

    def wait(self, start_s: float, end_s: float, *, place: Place, last: int, last_s: float) -> None:
        """Note a wait: first for the rank that launches last, then for the bytes.

        Args:
            start_s: Its begin.
            end_s: When the exchange is complete.
            place: Operation, axis, number and ranks of the exchange.
            last: The rank that launched last.
            last_s: When it did.
        """
        op, axis, number, ranks = place
        border_s = min(max(start_s, last_s), end_s)
        for begin, end, missing in ((start_s, border_s, last), (border_s, end_s, None)):
            if end > begin:
                self.waited.append(
                    Waited(
                        start_s=begin,
                        end_s=end,
                        op=op,
                        axis=axis,
                        number=number,
                        ranks=ranks,
                        last=missing,
                    )
                )
