"""Figure of a detector finding in the terminal: threads, lines, the element and the barrier."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from torchstone.cli.layout import paragraph
from torchstone.cli.screen import Screen

if TYPE_CHECKING:
    from torchstone.judge.hazard import Hazard, HazardParty
    from torchstone.judge.messages import Report

LANES = 32


def draw_hazard(screen: Screen, report: Report) -> Iterator[Text]:
    """Draw the finding that the verdict comes from."""
    if report.native is None:
        return
    # msgspec takes time to import; a report has it loaded already.
    from torchstone.judge.hazard import main_hazard

    hazard = main_hazard(report.native.hazards, report.verdict)
    if hazard is None:
        return
    yield Text()
    draw = _draw_barrier if hazard.figure == "barrier" else _draw_access
    for line in draw(screen, hazard):
        yield from paragraph(line, screen.columns)


def _draw_access(screen: Screen, hazard: Hazard) -> Iterator[str]:
    for party in (hazard.at, *([hazard.other] if hazard.other else [])):
        yield screen.say(
            "hazard.access",
            letter="W" if party.is_write else "R",
            line=party.line or "?",
            element=_element(screen, hazard),
            who=_who(screen, party),
        )
    if hazard.figure == "bounds" and hazard.shape:
        yield screen.say("hazard.extent", extent=" x ".join(map(str, hazard.shape)))
    if hazard.figure == "race" and hazard.barrier is not None:
        yield screen.say("hazard.barrier", line=hazard.barrier)
    if hazard.missing is not None:
        yield screen.say("hazard.missing", call=hazard.missing.call, line=hazard.missing.line)


def _draw_barrier(screen: Screen, hazard: Hazard) -> Iterator[str]:
    if not hazard.arrived:
        # Lanes that do not meet in an operation of their warp.
        for party in (hazard.at, *([hazard.other] if hazard.other else [])):
            yield screen.say("hazard.place", line=party.line or "?", who=_who(screen, party))
        return
    threads = hazard.size[0] * hazard.size[1] * hazard.size[2]
    waiting = sum(mask.bit_count() for mask in hazard.arrived)
    line = hazard.at.line or "?"
    yield screen.say("hazard.waits", waiting=waiting, threads=threads, line=line)
    for warp, mask in enumerate(hazard.arrived):
        if mask:
            yield screen.say("hazard.lanes", warp=warp, lanes=_lanes(mask))
    if hazard.other is not None:
        yield screen.say("hazard.other", line=hazard.other.line or "?")
    elif hazard.left is not None:
        yield screen.say("hazard.left", line=hazard.left)


def _element(screen: Screen, hazard: Hazard) -> str:
    name = hazard.array or screen.say("hazard.memory")
    if hazard.index:
        return name + "".join(f"[{each}]" for each in hazard.index)
    return screen.say("hazard.offset", name=name, offset=hazard.offset)


def _who(screen: Screen, party: HazardParty) -> str:
    thread, block = (str(each) for each in (party.thread, party.block))
    return screen.say("hazard.who", warp=party.warp, thread=thread, block=block)


def _lanes(mask: int) -> str:
    """Return the lanes of a mask as ranges."""
    lanes = [lane for lane in range(LANES) if mask >> lane & 1]
    starts = [lane for lane in lanes if lane - 1 not in lanes]
    ends = [lane for lane in lanes if lane + 1 not in lanes]
    return ", ".join(
        str(start) if start == end else f"{start}-{end}"
        for start, end in zip(starts, ends, strict=True)
    )
