"""Print the report of an interview."""

from __future__ import annotations

from typing import Any

from torchstone.cli.screen import Screen


def show_report(screen: Screen, report: dict[str, Any]) -> None:
    """Print the scores of a report, the verdict and the next steps."""
    screen.write(screen.say("interview.total", **report["total"], minutes=report["minutes"]))
    for name, found in report["dimensions"].items():
        words = screen.say(f"interview.dimension.{name}")
        screen.write("  " + screen.say("interview.row", name=words, **found))
    verdict = report["verdict"]
    low, high = (screen.say(f"interview.band.{verdict[k]}") for k in ("band_low", "band_high"))
    if report["is_indication"]:
        screen.write(screen.say("interview.indication", low=low, high=high))
    elif not verdict["enough"]:
        where = screen.say(f"interview.dimension.{verdict['missing_in']}")
        screen.write(
            screen.say("interview.not_enough", minutes=verdict["missing_minutes"], where=where)
        )
    elif verdict["word"] is None:
        screen.write(screen.say("interview.between", low=low, high=high))
    else:
        word = screen.say(f"interview.band.{verdict['word']}")
        screen.write(screen.say("interview.verdict", word=word))
    if verdict["capped_by"] is not None:
        screen.write(screen.say("interview.capped"))
    for step in report["advice"]:
        screen.write(
            "  "
            + screen.say("interview.step", review=step["review"], words=step["words"][screen.lang])
        )
