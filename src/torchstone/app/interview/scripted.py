"""Run a scripted interview with a virtual clock: no screen, no waiting, no record."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from torchstone.app.interview.marking import Judge, judge_with
from torchstone.app.interview.material import Material
from torchstone.app.interview.reporting import report_on
from torchstone.app.interview.running import Running, plan_for
from torchstone.app.judging.source import decode_text, read_content
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.core.i18n import Lang
from torchstone.interview.clock import VirtualClock
from torchstone.interview.draw import Setting
from torchstone.interview.events import Event
from torchstone.interview.session import GRACE_S

MAX_BYTES = 4_000_000
NEXT = "next"
T = TypeVar("T")
_MOST_SECONDS = 86_400.0


class Line(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Line of a script: an answer to an item, or an event."""

    item: str | None = None
    event: str | None = None
    seconds: float | None = None
    text: str | None = None
    file: str | None = None
    set: tuple[str | int, ...] | None = None
    anchor: int | None = None
    evidence: str = ""
    reason: str = ""
    quote: bool = False


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """First line of a script, with optional arguments of the interview."""

    level: str | None = None
    minutes: int | None = None
    seed: int | None = None
    mode: str | None = None
    factor: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Parsed script.

    Args:
        lines: Lines with their numbers.
        folder: Folder for relative file names.
        arguments: Arguments in its first line.
    """

    lines: tuple[tuple[int, Line], ...]
    folder: Path
    arguments: Arguments


def first_of(option: T | None, stated: T | None, default: T) -> T:
    """Return an option, or else the script's value, or else the default."""
    return next((each for each in (option, stated) if each is not None), default)


def read_script(path: Path) -> Script:
    """Read a script.

    Raises:
        BadInput: The file cannot be read, or a line is invalid; the error names the line.
    """
    text = decode_text(path, read_content(path, max_bytes=MAX_BYTES).data)
    numbered = [(n, words) for n, words in enumerate(text.splitlines(), 1) if words.strip()]
    arguments = _read_arguments(numbered[0][1]) if numbered else None
    if arguments is not None:
        numbered = numbered[1:]
    return Script(
        lines=tuple((number, _read_line(number, words)) for number, words in numbered),
        folder=path.parent,
        arguments=arguments or Arguments(),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """Scripted interview after its run.

    Args:
        unused: Number of lines after the end of the interview.
    """

    report: dict[str, Any]
    unused: int


def run_script(
    material: Material, setting: Setting, script: Script, judge: Judge | None = None
) -> Held:
    """Run the interview of a script.

    Args:
        material: Content of the interview.
        setting: Arguments of the interview.
        script: Answers and events.
        judge: Function that judges programs; by default the judge of the home.

    Raises:
        BadInput: A line is not possible in the interview; the error names the line.
    """
    clock = VirtualClock()
    running = Running(
        material=material,
        plan=plan_for(material, setting),
        clock=clock,
        judge=judge or judge_with(material),
        keep=lambda event: None,
    )
    running.begin()
    unused = 0
    for number, line in script.lines:
        if running.session.ended is not None:
            unused += 1
            continue
        with _naming(number):
            unused += not _play(running, clock, line, script.folder)
    running.end("script")
    name = name_of(running.events)
    report = report_on(material, running.plan, running.events, name=name)
    return Held(report=report, unused=unused)


def name_of(events: Sequence[Event]) -> str:
    """Return an id for an interview that is not stored: a hash of its first and last event."""
    text = f"{events[0].hash}{events[-1].hash}"
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _read_arguments(words: str) -> Arguments | None:
    """Parse the first line as arguments; None if it is an answer, an event, or invalid."""
    try:
        return msgspec.json.decode(words, type=Arguments) if words.strip() != "{}" else None
    except (msgspec.DecodeError, RecursionError):
        return None


def _read_line(number: int, words: str) -> Line:
    try:
        line = msgspec.json.decode(words, type=Line)
    except (msgspec.DecodeError, RecursionError) as error:
        raise BadInput("interview.script_json", line=number, reason=error) from error
    if (line.item is None) == (line.event is None):
        raise BadInput("interview.script_one", line=number)
    if line.seconds is not None and not 0 <= line.seconds <= _MOST_SECONDS:
        raise BadInput(
            "interview.script_seconds", line=number, came=line.seconds, most=int(_MOST_SECONDS)
        )
    if line.text is not None and line.file is not None:
        raise BadInput("interview.script_text", line=number)
    return line


@contextmanager
def _naming(line: int) -> Iterator[None]:
    """Add the line of the script to every error in the block."""
    try:
        yield
    except BadInput as error:
        raise ScriptError(line, error) from error


class ScriptError(BadInput):
    """Error in a line of a script, with the line number."""

    def __init__(self, line: int, error: TorchstoneError) -> None:
        super().__init__("interview.script_line", line=line, code=error.code)
        self._error = error

    def message(self, lang: Lang) -> str:
        """Return the line, and the message of the error."""
        return f"{super().message(lang)} {self._error.message(lang)}"

    def hint(self, lang: Lang) -> str:
        """Return the hint of the error."""
        return self._error.hint(lang)


def _play(running: Running, clock: VirtualClock, line: Line, folder: Path) -> bool:
    """Execute a line; False if the time is over."""
    if line.event is not None:
        event = _EVENTS.get(line.event)
        if event is None:
            raise BadInput("interview.script_event", came=line.event[:40], known=", ".join(_EVENTS))
        event(running, clock, line)
        return True
    if running.is_time_up:
        running.end("time")
        return False
    entry = running.next() if line.item == NEXT else running.take(line.item or "")
    if entry is None:
        return False
    allowed = 60 * entry.item.minutes * running.plan.setting.factor
    seconds = allowed if line.seconds is None else min(line.seconds, allowed + GRACE_S + 1)
    clock.advance(seconds)
    text = line.text or ""
    if line.file is not None:
        path = folder / line.file
        text = decode_text(path, read_content(path, max_bytes=MAX_BYTES).data)
    chosen = None if line.set is None else [str(each) for each in line.set]
    running.answer(text, chosen)
    if line.anchor is not None:
        running.score(entry.item.id, line.anchor, line.evidence, line.reason)
    return True


def _pause(running: Running, clock: VirtualClock, line: Line) -> None:
    running.pause()
    clock.advance(line.seconds or 0.0)
    if line.seconds is not None:
        running.resume()


def _resume(running: Running, clock: VirtualClock, line: Line) -> None:
    running.resume()


def _kill(running: Running, clock: VirtualClock, line: Line) -> None:
    """Simulate a kill and an absence of some seconds, in which the clock does not run."""
    clock.pause()
    clock.advance(line.seconds or 0.0)
    clock.resume()
    running.gap(round(1000 * (line.seconds or 0.0)), "kill")


def _skip(running: Running, clock: VirtualClock, line: Line) -> None:
    running.next()
    clock.advance(line.seconds or 0.0)
    running.skip(line.reason or "script")


def _quiet(running: Running, clock: VirtualClock, line: Line) -> None:
    seconds = 300 if line.seconds is None else round(line.seconds)
    running.quiet(seconds)
    clock.advance(seconds)


def _note(running: Running, clock: VirtualClock, line: Line) -> None:
    running.note(line.text or "", is_quote=line.quote)


def _score(running: Running, clock: VirtualClock, line: Line) -> None:
    last = running.session.entries[-1] if running.session.entries else None
    anchor = -1 if line.anchor is None else line.anchor
    running.score(last.item.id if last else "", anchor, line.evidence, line.reason)


_EVENTS: dict[str, Callable[[Running, VirtualClock, Line], None]] = {
    "pause": _pause,
    "resume": _resume,
    "kill": _kill,
    "skip": _skip,
    "quiet": _quiet,
    "note": _note,
    "score": _score,
}
