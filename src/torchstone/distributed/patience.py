"""``Patience``: how long a rank that is ahead waits for the others where that may be in vain."""

from __future__ import annotations

_LEAST_S = 1e-4


class Patience:
    """How long a rank waits for the others at a time: shorter after a pass where it was in vain.

    Attributes:
        left_s: The seconds; none in the rest of a pass that has waited in vain.
    """

    def __init__(self, most_s: float) -> None:
        self._most_s = self._next_s = self.left_s = most_s

    def give_up(self) -> None:
        """Wait no more in this pass."""
        if self.left_s:
            self._next_s, self.left_s = max(self.left_s / 4, _LEAST_S), 0.0

    def end_pass(self) -> None:
        """Begin another pass; after one that has not waited in vain, with more patience."""
        if self.left_s:
            self._next_s = min(2 * self.left_s, self._most_s)
        self.left_s = self._next_s
