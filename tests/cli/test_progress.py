"""The line on a terminal says the stage, its time, and how long the stages before it took."""

import io
import sys

import pytest

from torchstone.cli.progress import Progress
from torchstone.cli.screen import Screen
from torchstone.core.i18n import LANGS, Lang, text
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Verdict
from torchstone.judge.events import Case, Event, Queued, Stage, StageReached, Started

pytestmark = pytest.mark.pure

CASE = Case(index=0, group="sample", code=Verdict.AC, aspect=None, ratio=0.5, ms=1.0)
STARTED = Started(isolation=Isolation.FULL, plan=(("sample", 2),))


class Terminal(io.StringIO):
    """Stand for a terminal."""

    def isatty(self) -> bool:
        """Return that it is one."""
        return True


def lines(
    monkeypatch: pytest.MonkeyPatch, lang: Lang, events: list[Event], *, stream: io.StringIO
) -> list[str]:
    """Return the lines in the order in which they were drawn."""
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("torchstone.cli.progress.TICK_SECONDS", 60.0)
    with Progress(Screen(lang=lang)) as progress:
        for event in events:
            progress.on_event(event)
    return stream.getvalue().split("\r\x1b[K")


@pytest.mark.parametrize("lang", LANGS)
def test_each_stage_is_said_with_its_time(lang: Lang, monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Event] = [
        Queued(ahead=0, at_ms=1000),
        StageReached(stage=Stage.COMPILING, at_ms=1020),
        STARTED,
        StageReached(stage=Stage.RUNNING, at_ms=3520),
        CASE,
        StageReached(stage=Stage.EXPLAINING, at_ms=3920),
    ]
    drawn = lines(monkeypatch, lang, events, stream=Terminal())
    compiling, running = (text(f"cli.stage.{name}", lang) for name in ("compiling", "running"))
    assert drawn[2].startswith(f"{compiling}  0.")
    assert drawn[3].startswith(f"{compiling} 2.5 s  {running}  0.")
    assert drawn[4].startswith(f"{compiling} 2.5 s  ")
    assert "1" in drawn[4].split("  ")[1]
    explaining = text("cli.stage.explaining", lang)
    assert drawn[5].startswith(f"{compiling} 2.5 s  {running} 0.4 s  {explaining}  0.")
    # Waiting for 20 ms is not worth a word, and the end erases the line.
    assert text("cli.stage.waiting", lang) not in drawn[3]
    assert drawn[-1] == ""


def test_a_job_that_begins_again_forgets_the_stages_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    first = [Queued(ahead=0, at_ms=0), StageReached(stage=Stage.COMPILING, at_ms=0)]
    again = [Queued(ahead=2, at_ms=9000), StageReached(stage=Stage.COMPILING, at_ms=9500)]
    drawn = lines(monkeypatch, "en", [*first, *again], stream=Terminal())
    assert any(line.startswith("Queued: 2 before you.") for line in drawn)
    assert drawn[-2].startswith("Waiting 0.5 s  Compiling  0.")


def test_nothing_is_said_without_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = StageReached(stage=Stage.COMPILING, at_ms=0)
    assert lines(monkeypatch, "en", [stage, STARTED, CASE], stream=io.StringIO()) == [""]


def test_the_time_of_a_stage_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr("torchstone.cli.progress.TICK_SECONDS", 0.01)
    with Progress(Screen(lang="en")) as progress:
        progress.on_event(StageReached(stage=Stage.COMPILING, at_ms=0))
        while stream.getvalue().count("Compiling") < 4:
            progress._ended.wait(0.01)
    assert not progress._clock.is_alive()
