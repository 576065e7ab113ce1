"""Hold an interview and print what is acknowledged, line by line, until somebody kills this.

Usage: ``python holder.py [ID]``; with an id it goes on with that interview.
"""

import json
import sys
import time

from torchstone.app.home import find_home
from torchstone.app.interview import holding
from torchstone.app.interview.holding import Kept, begin, resume
from torchstone.app.interview.marking import Judge
from torchstone.app.interview.material import Material
from torchstone.app.interview.planning import read_setting


def acknowledge(**what: object) -> None:
    print(json.dumps(what), flush=True)  # noqa: T201


def refuse_all(material: Material) -> Judge:
    return lambda problem, source: ("WA", {"sample": False})


def hold(kept: Kept) -> None:
    running = kept.running
    acknowledge(id=kept.name, elapsed_ms=running.clock.elapsed_ms)
    while (entry := running.next()) is not None:
        number = len(running.session.entries)
        kept.save_draft(entry.item.id, f"draft {number}")
        acknowledge(draft=entry.item.id, text=f"draft {number}")
        running.note(f"note {number}")
        acknowledge(note=f"note {number}")
        time.sleep(0.02)
        running.answer(f"It is the answer number {number}, because of that.")
        acknowledge(answer=entry.item.id, elapsed_ms=running.clock.elapsed_ms)
        running.score(entry.item.id, number % 4, "because")
        acknowledge(score=entry.item.id, anchor=number % 4)


def main() -> None:
    setattr(holding, "judge_with", refuse_all)  # noqa: B010 - not one of its public names
    home = find_home()
    if len(sys.argv) > 1:
        with resume(home, sys.argv[1]) as kept:
            hold(kept)
    else:
        setting = read_setting(level="mid", minutes=140, seed=3)
        with begin(home, setting, held="terminal") as kept:
            hold(kept)


if __name__ == "__main__":
    main()
