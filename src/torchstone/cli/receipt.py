"""Commands of receipts: show, save, verify."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from torchstone.cli.command import add_group, command
from torchstone.cli.screen import Screen
from torchstone.core.verdict import ExitCode, Verdict

if TYPE_CHECKING:
    from torchstone.judge.receipt import Difference

_NUM_CASES = 5
ReplaceOption = Annotated[bool, typer.Option("--replace", help="option.replace")]
_SHOWN = (
    "problem",
    "verdict",
    "aspect",
    "group",
    "groups",
    "isolation",
    "seed",
    "time_ms",
    "created_at",
)
_VERSIONS = ("torchstone", "torch", "python", "machine")
_HASHES = ("content_hash", "judge_hash", "source_hash", "hash")


def add_commands(app: typer.Typer) -> None:
    """Add the group of commands to the application."""
    group = add_group(app, "receipt")
    for name, function in (("show", show), ("save", save), ("verify", verify)):
        command(group, name)(function)


def show(
    screen: Screen, receipt: Annotated[str, typer.Argument(metavar="ID", help="argument.receipt")]
) -> ExitCode:
    """Print a receipt."""
    from torchstone.app.judging.receipts import find_receipt

    found, _ = find_receipt(screen.home(), receipt)
    if screen.as_json:
        screen.answer({"ok": True, "receipt": found})
        return ExitCode.ACCEPTED
    for name in ("id", *_SHOWN, *_VERSIONS, *_HASHES):
        if found.get(name) is not None:
            screen.write(f"{name:14}{found[name]}")
    return ExitCode.ACCEPTED


def save(
    screen: Screen,
    receipt: Annotated[str, typer.Argument(metavar="ID", help="argument.receipt")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help="argument.receipt_file")],
    replace: ReplaceOption = False,
) -> ExitCode:
    """Write a receipt and its program to a file."""
    from torchstone.app.judging.receipts import save_receipt

    save_receipt(screen.home(), receipt, file, replace=replace)
    if screen.as_json:
        screen.answer({"ok": True, "path": str(file)})
    else:
        screen.write(screen.say("receipt.saved", path=file))
    return ExitCode.ACCEPTED


def verify(
    screen: Screen,
    receipt: Annotated[str, typer.Argument(metavar="FILE", help="argument.verified")],
) -> ExitCode:
    """Verify a receipt by judging its program again."""
    import msgspec

    from torchstone.app.judging.receipts import Conclusion, verify_receipt
    from torchstone.cli.progress import Progress

    with Progress(screen) as progress:
        found = verify_receipt(screen.home(), receipt, progress.on_event)
    is_confirmed = found.conclusion is Conclusion.CONFIRMED
    if screen.as_json:
        screen.answer({"ok": True, **msgspec.to_builtins(found)})
    else:
        _print(screen, found, is_confirmed=is_confirmed)
    return ExitCode.ACCEPTED if is_confirmed else ExitCode.NOT_ACCEPTED


def _difference(screen: Screen, differences: Iterable[Difference]) -> Iterator[str]:
    """Yield the words of each difference; of many cases, the first ones and the number of all."""
    cases = 0
    for each in differences:
        nothing = screen.say("receipt.nothing")
        values = {"recorded": each.recorded or nothing, "now": each.now or nothing}
        if each.field != "case":
            yield screen.say(f"receipt.differing_{each.field}", **values)
            continue
        cases += 1
        if cases <= _NUM_CASES:
            yield screen.say("receipt.differing_case", number=each.case, **values)
    if cases > _NUM_CASES:
        yield screen.say("receipt.more_cases", count=cases - _NUM_CASES)


def _print(screen: Screen, found: Any, *, is_confirmed: bool) -> None:
    from torchstone.cli.layout import labelled, paragraph
    from torchstone.cli.palette import GOLD, STRONG

    glyph = "✓" if is_confirmed else "✗"
    words = f"{glyph} {screen.say(f'receipt.{found.conclusion}')}"
    is_proof = is_confirmed and found.recorded == Verdict.AC and found.groups is None
    lines = list(paragraph(words, screen.columns, style=GOLD if is_proof else STRONG))
    judged = [found.recorded, *(found.groups or ()), found.isolation]
    rows = [
        ("recorded", "  ".join(judged)),
        ("replay", found.replay or screen.say("receipt.not_judged")),
        ("fresh", found.fresh or screen.say("receipt.not_judged")),
    ]
    for fact in ("hash_holds", "source_holds", "same_problem", "same_judge", "same_torch"):
        rows.append((fact, screen.say("receipt.yes" if getattr(found, fact) else "receipt.no")))
    lines += [labelled(f"  {screen.say(f'receipt.{name}')}", 22, value) for name, value in rows]
    if found.differences:
        what = screen.say("receipt.semicolon").join(_difference(screen, found.differences))
        lines += list(paragraph(screen.say("receipt.differs", what=what), screen.columns))
    for line in lines:
        screen.out.print(line)
