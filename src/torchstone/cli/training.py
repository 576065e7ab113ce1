"""Output of MicroTorch training: a live line, one line for each epoch, and a summary."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator

import msgspec
from rich.text import Text

from torchstone.app.programs import training
from torchstone.cli.layout import labelled, paragraph, span, two_sided
from torchstone.cli.palette import NUMBER, SECONDARY, STRONG
from torchstone.cli.progress import Progress
from torchstone.cli.screen import Screen

LABEL_WIDTH = 14


class Watch:
    """The live output of a training.

    Attributes:
        screen: The output.
        begun: The network and its data; None until they are known.
        done: The number of finished epochs.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.begun: training.Begun | None = None
        self.done = 0

    def follow(self, plan: training.TrainingPlan) -> None:
        """Train, and print the events as they come."""
        screen = self.screen
        events = contextlib.closing(training.train(plan))
        with Progress(screen) as progress, events as following:
            progress.show(screen.say("training.preparing"))
            for event in following:
                match event:
                    case training.Begun():
                        self.begun, self.done = event, event.done
                        progress.show("")
                        self._say_what_was_there(event, is_resumed=plan.resume)
                        words = screen.say("training.begin", **msgspec.to_builtins(event))
                        self._print(paragraph(words, screen.columns))
                    case training.BatchDone():
                        values = msgspec.to_builtins(event)
                        progress.show(screen.say("training.live", **values))
                    case training.EpochDone():
                        self.done = event.epoch
                        progress.show("")
                        self._print(draw_epoch(screen, event))
                    case training.Ended():
                        self._conclude(event)

    def _say_what_was_there(self, begun: training.Begun, *, is_resumed: bool) -> None:
        say, note = self.screen.say, self.screen.note
        if begun.was_there and not is_resumed:
            note(say("training.replaces", path=begun.checkpoint))
        elif is_resumed and not begun.was_there:
            note(say("training.nothing_there", path=begun.checkpoint))
        elif begun.done:
            is_enough = begun.done >= begun.epochs
            note(say("training.enough" if is_enough else "training.goes_on", done=begun.done))

    def _conclude(self, ended: training.Ended) -> None:
        if self.screen.as_json:
            assert self.begun is not None, "what ends has begun"
            self.screen.answer({"ok": True, **training.sum_up(self.begun, ended)})
        else:
            self._print(draw_end(self.screen, ended))

    def _print(self, lines: Iterable[Text]) -> None:
        """Print results at once, because they come slowly; print nothing with ``--json``."""
        if not self.screen.as_json:
            for line in lines:
                # Not wrapped: a path must stay one word.
                self.screen.out.print(line, soft_wrap=True)
            sys.stdout.flush()

    def describe_interruption(self) -> str:
        """Return the state of the checkpoint after an interruption."""
        if self.begun is None or not self.done:
            return self.screen.say("training.interrupted_early")
        path = self.begun.checkpoint
        return self.screen.say("training.interrupted", done=self.done, path=path)


def draw_epoch(screen: Screen, event: training.EpochDone) -> Iterator[Text]:
    """Yield the line of an epoch."""
    width = len(str(event.epochs))
    line = span(
        (f"{event.epoch:{width}}/{event.epochs}", NUMBER),
        (f"   {screen.say('training.loss')} ", SECONDARY),
        # Four significant digits, for 2.303 as for 0.0003.
        f"{event.loss:<#9.4g}",
        (f"  {screen.say('training.accuracy')} ", SECONDARY),
        f"{event.accuracy:7.2%}",
    )
    seconds = screen.say("training.seconds", count=f"{event.seconds:.2f}")
    return two_sided(line, seconds, screen.columns)


def draw_end(screen: Screen, ended: training.Ended) -> Iterator[Text]:
    """Yield the result of the training and the paths of its files."""
    yield Text()
    for name, value, style in (
        ("accuracy", f"{ended.accuracy:.2%}", STRONG),
        ("checkpoint", ended.checkpoint, ""),
        ("curve", ended.curve, ""),
    ):
        label = f"  {screen.say(f'training.{name}')}"
        yield labelled(label, LABEL_WIDTH, value, style)
