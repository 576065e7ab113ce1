"""Command line: the table of operators, and what a file holds; prints lines of JSON.

Usage: ``python -m torchstone.nested ops`` or ``python -m torchstone.nested info FILE``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from torchstone.core.event_program import run_to_end, write_event
from torchstone.core.i18n import LANGS, Lang, detect_lang, text
from torchstone.core.interruption import interrupt_once
from torchstone.nested.dispatch import Way, table
from torchstone.nested.files import load
from torchstone.nested.refusal import Refusal
from torchstone.nested.summary import info

Event = dict[str, Any]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 on success, 2 for a refusal."""
    given = _parse(sys.argv[1:] if arguments is None else arguments)
    return run_to_end(lambda: _run(given))


def _run(given: argparse.Namespace) -> int:
    try:
        event: Event = given.result(given)
    except Refusal as refusal:
        write_event(_error_of(refusal, given.lang))
        return 2
    write_event({"event": "end", "ok": True, **event})
    return 0


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument("--lang", choices=LANGS, default=detect_lang(), help="of sentences")
    everywhere.add_argument("--json", action="store_true", help="what is printed is JSON anyway")
    parser = argparse.ArgumentParser(prog="python -m torchstone.nested", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    ops = commands.add_parser("ops", parents=[everywhere], help="the table of operators")
    ops.set_defaults(result=lambda given: operators(given.lang))
    told = commands.add_parser("info", parents=[everywhere], help="what a file holds")
    told.add_argument("file", metavar="FILE", help="that save() has written")
    told.set_defaults(result=lambda given: describe(given.file))
    return parser.parse_args(arguments)


def operators(lang: Lang) -> Event:
    """Return the table of operators: kept, fused and dequantized ones."""
    lines = table()
    return {
        "counts": {way.value: sum(entry.way == way for _, entry in lines) for way in Way},
        "operators": [
            {
                "name": name,
                "way": entry.way.value,
                "when": text(f"nested.when.{entry.when}", lang) if entry.when else "",
            }
            for name, entry in lines
        ],
    }


def describe(file: str) -> Event:
    """Return the contents and the size of a file.

    Raises:
        Refusal: There is no such file, or it cannot be read.
    """
    return {"path": file, **info(load(file)).as_json()}


def _error_of(refusal: Refusal, lang: Lang) -> Event:
    return {
        "event": "error",
        "ok": False,
        "code": refusal.code,
        "message": refusal.message(lang),
        "hint": refusal.hint(lang),
        "values": refusal.said(lang),
    }


if __name__ == "__main__":
    interrupt_once()
    sys.exit(main())
