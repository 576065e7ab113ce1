"""``Patience``: how long a rank waits for others when the wait may be in vain."""

from __future__ import annotations

_LEAST_S = 1e-4


class Patience:
    """Time limit of waiting for other ranks, which is shortened after a wait in vain.

    Attributes:
        left_s: The remaining time in seconds; 0 for the rest of a pass after a wait in vain.
    """

    def __init__(self, most_s: float) -> None:
        self._most_s = self._next_s = self.left_s = most_s

    def give_up(self) -> None:
        """Stop waiting in this pass."""
        if self.left_s:
            self._next_s, self.left_s = max(self.left_s / 4, _LEAST_S), 0.0

    def end_pass(self) -> None:
        """Start another pass; increase the limit if the previous pass had no wait in vain."""
        if self.left_s:
            self._next_s = min(2 * self.left_s, self._most_s)
        self.left_s = self._next_s
