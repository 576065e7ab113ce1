"""Progress line of the judge on stderr, redrawn in place on a terminal."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from torchstone.cli.figures import group_name
from torchstone.cli.screen import Screen
from torchstone.core.i18n import truncate
from torchstone.judge.events import Case, Queued, StageReached, Started, Starting

if TYPE_CHECKING:
    from torchstone.judge.events import Event

_ERASE = "\r\x1b[K"
# How often the time of a stage is drawn again.
TICK_SECONDS = 0.2
# A stage that takes less is not listed.
SHORT_MS = 100


class Progress:
    """One live line; the end of the ``with`` block erases it."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._is_live = sys.stderr.isatty()
        self._total = 0
        self._done = 0
        # The stages that are over, with their times, and the present one with its begin.
        self._over: list[str] = []
        self._stage = ""
        self._stage_ms = 0
        self._begun = 0.0
        self._words = ""
        self._lock = threading.Lock()
        self._ended = threading.Event()
        self._clock = threading.Thread(target=self._tick, name="progress", daemon=True)

    def __enter__(self) -> Self:
        if self._is_live:
            self._clock.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        if self._clock.is_alive():
            self._clock.join()
        self.show("")

    def on_event(self, event: Event) -> None:
        """Show an event of the judge."""
        say = self._screen.say
        match event:
            case Starting():
                # The only wait of several seconds; a log should contain the reason.
                self.show(say("progress.starting"), always=True)
            case Queued():
                # The judge starts only once, and before the queue.
                self._enter("waiting", event.at_ms)
                if event.ahead:
                    self._say(say("progress.queued", ahead=event.ahead))
            case StageReached():
                self._enter(event.stage, event.at_ms)
            case Started():
                self._done, self._total = 0, sum(count for _, count in event.plan)
            case Case():
                self._done += 1
                group = group_name(event.group, self._screen.lang)
                self._say(say("progress.case", done=self._done, total=self._total, group=group))

    def _enter(self, stage: str, at_ms: int) -> None:
        """Begin a stage; the one before it is over."""
        if stage == "waiting":
            self._over.clear()  # judging begins again
        elif self._stage and at_ms - self._stage_ms >= SHORT_MS:
            name = self._screen.say(f"stage.{self._stage}")
            self._over.append(f"{name} {(at_ms - self._stage_ms) / 1e3:.1f} s")
        self._stage, self._stage_ms, self._begun = stage, at_ms, time.monotonic()
        self._say(self._screen.say(f"stage.{stage}"))

    def _say(self, words: str) -> None:
        """Show what happens in the present stage."""
        with self._lock:
            self._words = words
            self._draw()

    def _draw(self) -> None:
        seconds = f"{time.monotonic() - self._begun:.1f} s"
        self.show("  ".join([*self._over, self._words, seconds]))

    def _tick(self) -> None:
        """Draw the time of the present stage until the block ends."""
        while not self._ended.wait(TICK_SECONDS):
            with self._lock:
                if self._words:
                    self._draw()

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
