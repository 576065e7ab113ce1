"""Progress line of the judge on stderr, redrawn in place on a terminal."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import TYPE_CHECKING, Self

from torchstone.cli.figures import group_name
from torchstone.cli.screen import Screen
from torchstone.core.i18n import truncate
from torchstone.core.verdict import Verdict
from torchstone.judge.events import Case, Queued, Started, Starting, VerdictReached

if TYPE_CHECKING:
    from torchstone.judge.events import Event

_ERASE = "\r\x1b[K"


class Progress:
    """One live line; the end of the ``with`` block erases it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._is_live = sys.stderr.isatty()
        self._total = 0
        self._done = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.show("")

    def on_event(self, event: Event) -> None:
        """Show an event of the judge."""
        say = self._screen.say
        match event:
            case Starting():
                # The only wait of several seconds; a log should contain the reason.
                self.show(say("progress.starting"), always=True)
            case Queued() if event.ahead:
                self.show(say("progress.queued", ahead=event.ahead))
            case Started():
                self._done, self._total = 0, sum(count for _, count in event.plan)
            case Case():
                self._done += 1
                group = group_name(event.group, self._screen.lang)
                self.show(say("progress.case", done=self._done, total=self._total, group=group))
            case VerdictReached() if event.report.verdict is not Verdict.AC:
                self.show(say("progress.explaining"))

    def on_trial(self, problem: str, done: int, total: int) -> None:
        """Show the progress of a proof."""
        self.show(self._screen.say("progress.trial", problem=problem, done=done, total=total))

    def on_tried(self, problem: str, done: int, total: int) -> None:
        """Show the progress of a search for escapes."""
        words = self._screen.say("progress.tried", problem=problem, done=done, total=total)
        # A search takes minutes; a log should say so once.
        self.show(words, always=done == 0)

    def show(self, words: str, *, always: bool = False) -> None:
        """Redraw the live line; without a terminal print only lines with ``always``."""
        if self._is_live:
            sys.stderr.write(_ERASE + truncate(words, self._screen.columns))
        elif always and words:
            sys.stderr.write(f"{words}\n")
        sys.stderr.flush()
