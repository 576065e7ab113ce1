"""Output of model training and profiling: live lines and tables."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import msgspec
from rich.text import Text

from torchstone.app.programs import models
from torchstone.cli.layout import labelled, paragraph, span, two_sided
from torchstone.cli.palette import NUMBER, SECONDARY, STRONG
from torchstone.cli.progress import Progress
from torchstone.cli.screen import Screen
from torchstone.core.i18n import display_width, truncate

LABEL_WIDTH = 14
# Columns of the profile's table: numbers at the right, the remaining width for names.
NUMBER_WIDTH = 9


class Watch:
    """The live output of a training.

    Attributes:
        screen: The output.
        begun: The model and its data; None until they are known.
        done: The number of steps in the checkpoint.
    """

    def __init__(self, screen: Screen) -> None:
        self.screen = screen
        self.begun: models.Begun | None = None
        self.done = 0

    def follow(self, model: models.Model, options: Mapping[str, models.Value]) -> None:
        """Train, and print the events as they come."""
        screen = self.screen
        events = contextlib.closing(models.train(model, options))
        with Progress(screen) as progress, events as following:
            progress.show(screen.say("models.preparing"))
            for event in following:
                match event:
                    case models.Begun():
                        self.begun, self.done = event, event.step
                        progress.show("")
                        self._say_what_was_there(event, is_resumed=bool(options.get("resume")))
                        self._print(draw_begin(screen, event))
                    case models.Stepped():
                        values = msgspec.to_builtins(event)
                        progress.show(screen.say("models.live", **values))
                    case models.Measured():
                        self.done = event.step
                        progress.show("")
                        self._print(draw_measured(screen, event))
                        if event.step == event.steps:
                            progress.show(screen.say("models.sampling"))
                    case models.Ended():
                        progress.show("")
                        self._conclude(event)

    def _say_what_was_there(self, begun: models.Begun, *, is_resumed: bool) -> None:
        say, note = self.screen.say, self.screen.note
        if begun.was_there and not is_resumed:
            note(say("models.replaces", path=begun.checkpoint))
        elif is_resumed and not begun.was_there:
            note(say("models.nothing_there", path=begun.checkpoint))
        elif begun.step:
            note(say("models.goes_on", step=begun.step))

    def _conclude(self, ended: models.Ended) -> None:
        if self.screen.as_json:
            assert self.begun is not None, "what ends has begun"
            what = {"parameters": self.begun.parameters, "steps": self.begun.steps}
            answer = msgspec.to_builtins(ended)
            del answer["event"]
            self.screen.answer({"ok": True, **what, **answer})
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
            return self.screen.say("models.interrupted_early")
        path = self.begun.checkpoint
        return self.screen.say("models.interrupted", step=self.done, path=path)


def draw_begin(screen: Screen, begun: models.Begun) -> Iterator[Text]:
    """Yield the lines on the model and its data."""
    key = "models.begin" if begun.text is None else "models.begin_text"
    yield from paragraph(screen.say(key, **msgspec.to_builtins(begun)), screen.columns)
    if begun.processes > 1:
        yield from paragraph(screen.say("models.processes", count=begun.processes), screen.columns)


def draw_measured(screen: Screen, event: models.Measured) -> Iterator[Text]:
    """Yield the line of a measurement."""
    width = len(str(event.steps))
    parts: list[tuple[str, str] | str] = [
        (f"{event.step:{width}}/{event.steps}", NUMBER),
        (f"   {screen.say('models.loss')} ", SECONDARY),
        f"{event.loss:<#9.4g}",
    ]
    if event.held_loss is not None:
        parts += [(f"  {screen.say('models.held_loss')} ", SECONDARY), f"{event.held_loss:<#9.4g}"]
    note = screen.say("models.seconds", count=f"{event.seconds:.1f}")
    if event.tokens_per_second is not None:
        note = screen.say("models.speed", count=f"{event.tokens_per_second:,.0f}")
    return two_sided(span(*parts), note, screen.columns)


def draw_end(screen: Screen, ended: models.Ended) -> Iterator[Text]:
    """Yield the result of the training and the paths of its files."""
    if ended.sample is not None:
        yield Text()
        for line in ended.sample.splitlines():
            yield from paragraph(line, screen.columns, style=SECONDARY) if line else [Text()]
    yield Text()
    share = None if ended.recognised is None else f"{ended.recognised:.1%}"
    loss = None if ended.held_loss is None else f"{ended.held_loss:.4f}"
    for name, value, style in (
        ("held_loss", loss, STRONG),
        ("recognised", share, STRONG),
        ("checkpoint", ended.checkpoint, ""),
        ("curve", ended.curve, ""),
        ("picture", ended.picture, ""),
    ):
        if value is not None:
            yield labelled(f"  {screen.say(f'models.{name}')}", LABEL_WIDTH, value, style)


def answer_drawn(drawn: models.Sampled) -> dict[str, Any]:
    """Return a sample of digits as one JSON object."""
    names = ("picture", "count", "seconds", "recognised")
    return {"ok": True} | {name: getattr(drawn, name) for name in names}


def draw_drawn(screen: Screen, drawn: models.Sampled) -> Iterator[Text]:
    """Yield the file of drawn digits and the share that was recognised."""
    words = screen.say("models.drawn", count=drawn.count, seconds=drawn.seconds)
    yield from paragraph(words, screen.columns)
    yield Text()
    for name, value in (
        ("recognised", None if drawn.recognised is None else f"{drawn.recognised:.1%}"),
        ("picture", drawn.picture),
    ):
        if value is not None:
            yield labelled(f"  {screen.say(f'models.{name}')}", LABEL_WIDTH, value)


def answer_profile(profiled: models.Profiled) -> dict[str, Any]:
    """Return a profile as one JSON object."""
    answer = msgspec.to_builtins(profiled)
    del answer["event"]
    return {"ok": True, **answer}


def draw_profile(screen: Screen, profiled: models.Profiled) -> Iterator[Text]:
    """Yield a table of the cost of each module, and the totals."""
    heads = [
        screen.say(f"models.column.{name}") for name in ("time", "flop", "kept", "peak", "share")
    ]
    name_width = screen.columns - NUMBER_WIDTH * len(heads) - 2
    head = "".join(" " * (NUMBER_WIDTH - display_width(each)) + each for each in heads)
    yield Text("  " + " " * name_width + head, SECONDARY)
    for row in profiled.rows:
        label = row.label or screen.say("models.whole")
        name = truncate(f"{'  ' * row.level}{label} {row.kind}", name_width - 1)
        numbers = (
            f"{row.seconds * 1e3:.2f}",
            f"{row.flops / 1e9:.3f}",
            f"{row.saved_bytes / 1e6:.1f}",
            f"{row.peak_bytes / 1e6:.1f}",
            f"{row.roofline_share:.0%}",
        )
        spare = " " * (name_width - display_width(name))
        line = Text(f"  {name}{spare}", STRONG if row.level == 0 else "")
        yield line.append("".join(each.rjust(NUMBER_WIDTH) for each in numbers), NUMBER)
    yield Text()
    words = screen.say(
        "models.limits",
        parameters=profiled.parameters,
        threads=profiled.threads,
        flops=profiled.flops_per_second / 1e9,
        bytes=profiled.bytes_per_second / 1e9,
        peak=profiled.training_peak_bytes / 1e6,
    )
    yield from paragraph(words, screen.columns)
    if profiled.chart is not None:
        yield labelled(f"  {screen.say('models.chart')}", LABEL_WIDTH, profiled.chart)
    if profiled.cuda is not None:
        yield labelled(f"  {screen.say('models.snapshot')}", LABEL_WIDTH, profiled.cuda["snapshot"])
        yield Text(profiled.cuda["summary"])
