"""``Activity``: the times in which a rank computes or waits, on a simulated clock."""

from __future__ import annotations

from dataclasses import dataclass, field

# Operation, axis, number and ranks of an exchange.
Place = tuple[str, str, int, tuple[int, ...]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """Interval in which a rank computes.

    Attributes:
        start_s: The start, in seconds of the simulated clock.
        end_s: The end, in seconds of the simulated clock.
        label: What is computed.
    """

    start_s: float
    end_s: float
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Waited:
    """Interval in which a rank is idle until an exchange is complete.

    Attributes:
        start_s: The start, in seconds of the simulated clock.
        end_s: The end, in seconds of the simulated clock.
        op: The operation of the exchange; ``send`` for a message.
        axis: The axis of the exchange.
        number: The number of the exchange on its axis.
        ranks: The participating ranks of the world; for a message the sender, then the receiver.
        last: The rank that has not launched the exchange yet; None once all have, and data is in
            transfer.
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
    """Activity of one rank, in the order of time.

    Attributes:
        computed: The intervals in which it computes.
        waited: The intervals in which it waits.
    """

    computed: list[Computed] = field(default_factory=list)
    waited: list[Waited] = field(default_factory=list)

    def clear(self) -> None:
        """Remove all intervals."""
        self.computed.clear()
        self.waited.clear()

    def copy(self) -> Activity:
        """Return a copy of the intervals recorded so far."""
        return Activity([*self.computed], [*self.waited])

    def compute(self, start_s: float, end_s: float, label: str) -> None:
        """Record a computation; merge it with an adjacent one of the same label."""
        before = self.computed[-1] if self.computed else None
        if before is not None and (before.end_s, before.label) == (start_s, label):
            self.computed.pop()
            start_s = before.start_s
        if end_s > start_s:
            self.computed.append(Computed(start_s=start_s, end_s=end_s, label=label))

    def wait(self, start_s: float, end_s: float, *, place: Place, last: int, last_s: float) -> None:
        """Record a wait: first for the rank that launches last, then for the transfer.

        Args:
            start_s: The start of the wait.
            end_s: The time at which the exchange is complete.
            place: Operation, axis, number and ranks of the exchange.
            last: The rank that launched last.
            last_s: The time at which it launched.
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
