"""Output of the x-ray: scenes, tables and comparisons, drawn from their JSON alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from rich.text import Text

from torchstone.app.programs import xray
from torchstone.cli.palette import NUMBER, PLAIN, SECONDARY, STRONG, WRONG
from torchstone.cli.screen import Screen
from torchstone.core.isolation import Isolation
from torchstone.xray.render import dispatch, terminal
from torchstone.xray.render.text import Line, Role, Say, fit

_STYLES: dict[Role, str] = {
    "plain": PLAIN,
    "strong": STRONG,
    "number": NUMBER,
    "quiet": SECONDARY,
    "wrong": WRONG,
}


def say_level(screen: Screen) -> None:
    """Warn once if a program cannot be isolated fully here."""
    level = xray.level()
    if not level.is_at_least(Isolation.NAMESPACES):
        screen.note(screen.say("verdict.weak", level=level))


def draw_scene(screen: Screen, scene: dict[str, Any]) -> Iterator[Text]:
    """Yield the lines of a scene."""
    yield from _styled(terminal.draw(scene, _say(screen), screen.columns))


def draw_table(screen: Screen, found: dict[str, Any]) -> Iterator[Text]:
    """Yield the table of an operator."""
    yield from _styled(dispatch.draw_table(found, _say(screen), screen.columns))


def draw_diff(screen: Screen, found: dict[str, Any]) -> Iterator[Text]:
    """Yield what went and what came."""
    before, after = found["before"], found["after"]
    yield Text(f"  {before['source']['file']} → {after['source']['file']}", style=STRONG)
    for name, value in before.items():
        if name not in ("source", "torch"):
            yield Text.assemble(
                (f"  {fit(name, 20)}", SECONDARY), (f"{value} → {after[name]}", NUMBER)
            )
    for key, sign in (("removed", "-"), ("added", "+")):
        for row in found[key]:
            count = row["count"]
            words = "  ".join(str(value) for name, value in row.items() if name != "count")
            yield Text(f"  {sign} {words}" + (f"  ×{count}" if count > 1 else ""))


def draw_selftest(screen: Screen, found: dict[str, Any]) -> Iterator[Text]:
    """Yield a line for each program, and what is live."""
    for each in found["programs"]:
        sign = "✓" if each["equal"] else "✗"
        words = f"  {sign} {fit(each['program'], 24)}"
        yield Text.assemble(words, (f"{each['stops']:4}", NUMBER))
    say = _say(screen)
    yield Text(f"  {say('selftest', equal=found['equal'], compared=found['compared'])}")


def _say(screen: Screen) -> Say:
    def say(key: str, **values: object) -> str:
        return xray.words_of(key, screen.lang, **values)

    return say


def _styled(lines: Iterable[Line]) -> Iterator[Text]:
    for line in lines:
        yield Text.assemble(*((words, _STYLES[role]) for words, role in line))
