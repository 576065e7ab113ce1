"""Output of distributed training: a simulation as it runs, and checkpoints."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping

import msgspec
from rich.text import Text

from torchstone.app.programs import distributed
from torchstone.cli.layout import labelled, paragraph, span, two_sided
from torchstone.cli.palette import NUMBER, SECONDARY, STRONG, WRONG
from torchstone.cli.program_result import answer_of, show
from torchstone.cli.progress import Progress
from torchstone.cli.screen import Screen
from torchstone.core.i18n import catalogue
from torchstone.core.verdict import ExitCode

LABEL_WIDTH = 14


def follow_simulation(screen: Screen, options: Mapping[str, distributed.Value]) -> ExitCode:
    """Simulate, print the events as they come, and then the result."""
    events = contextlib.closing(distributed.simulate(options))
    begun: distributed.Begun | None = None
    code = ExitCode.NOT_ACCEPTED
    with Progress(screen) as progress, events as following:
        progress.show(screen.say("distributed.simulating"))
        for event in following:
            lines: Iterable[Text] = ()
            match event:
                case distributed.Begun():
                    begun = event
                    words = screen.say("distributed.begin", **msgspec.to_builtins(event))
                    lines = paragraph(words, screen.columns)
                case distributed.Stepped():
                    assert begun is not None, "what steps has begun"
                    progress.show("")
                    lines = _draw_step(screen, event, begun.steps)
                case distributed.Simulated():
                    code = show(screen, answer_of(event), draw_simulated(screen, event))
            for line in () if screen.as_json else lines:
                screen.out.print(line, soft_wrap=True)
    return code


def _draw_step(screen: Screen, event: distributed.Stepped, num_steps: int) -> Iterator[Text]:
    width = len(str(num_steps))
    left = span(
        (f"{event.step:{width}}/{num_steps}", NUMBER),
        (f"   {screen.say('distributed.loss')} ", SECONDARY),
        f"{event.loss:#.5g}",
    )
    return two_sided(left, f"{event.ms:.1f} ms", screen.columns)


def draw_simulated(screen: Screen, result: distributed.Simulated) -> Iterator[Text]:
    """Yield whether the bits are equal, what was sent, what is held, and how long a step takes."""
    say = screen.say
    yield Text()
    verdict = say("distributed.equal" if result.equal else "distributed.unequal")
    yield _fact(screen, "bits", verdict, STRONG if result.equal else WRONG)
    yield _fact(screen, "sent", _sizes(screen, result.bytes) or "0")
    if result.bytes_ratio is not None:
        yield _fact(screen, "ratio", say("distributed.over", ratio=f"{result.bytes_ratio:.3f}"))
    yield _fact(screen, "held", _sizes(screen, result.memory))
    yield _fact(screen, "step_time", f"{result.step_ms:.1f} ms")
    if result.bubble is not None:
        yield _fact(screen, "idle", say("distributed.idle_is", percent=f"{result.bubble:.1%}"))
    if result.timeline is not None:
        yield _fact(screen, "timeline", result.timeline)


def _sizes(screen: Screen, sizes: Mapping[str, int]) -> str:
    return screen.say("list_comma").join(
        f"{_word(screen, name)} {_size(size)}" for name, size in sizes.items() if size
    )


def _size(num_bytes: int) -> str:
    return f"{num_bytes / 1e6:.2f} MB" if num_bytes >= 10_000 else f"{num_bytes} B"


def _word(screen: Screen, name: str) -> str:
    """Return a name in the reader's language; that of an operation or an axis stays."""
    return catalogue("cli", screen.lang).get(f"cli.distributed.word.{name}", name)


def _fact(screen: Screen, name: str, words: str, style: str = "") -> Text:
    return labelled(f"  {screen.say(f'distributed.{name}')}", LABEL_WIDTH, words, style)


def draw_checkpoint(screen: Screen, shown: distributed.Shown) -> Iterator[Text]:
    """Yield what the newest whole checkpoint holds, and what is wrong with others."""
    say = screen.say
    if shown.step is None:
        yield from paragraph(say("distributed.none_whole"), screen.columns, style=WRONG)
    else:
        key = "distributed.newest" if shown.complete else "distributed.older"
        key = "distributed.single" if shown.single else key
        yield from paragraph(say(key, step=shown.step), screen.columns, style=STRONG)
        words = say(
            "distributed.holds",
            world=shown.world,
            tensors=shown.tensors,
            size=f"{shown.bytes / 1e6:,.2f}",
        )
        yield from paragraph(words, screen.columns)
    for fault in shown.damaged:
        yield from paragraph(say("distributed.damaged", fault=fault), screen.columns, style=WRONG)
