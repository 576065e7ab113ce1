"""Command line: simulate ranks, and inspect checkpoints; the output is JSON lines.

Usage: ``python -m torchstone.distributed simulate --world 4 --parallel zero2 --steps 3``.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from torchstone.core.event_program import run_to_end, write_event
from torchstone.core.i18n import LANGS, Lang, detect_lang
from torchstone.core.interruption import interrupt_once
from torchstone.distributed.refusal import Refusal, refusal_of, said

Event = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Command:
    """Command-line command, implemented in a module of its own.

    Attributes:
        module: The name of the module, which has ``add_arguments(parser)`` and ``events(given)``.
        about: A one-line description.
    """

    module: str
    about: str

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        """Add the arguments and the event function of the command to a parser."""
        module = importlib.import_module(f"torchstone.distributed.commands.{self.module}")
        module.add_arguments(parser)
        events: Callable[[argparse.Namespace], Iterator[Event]] = module.events
        parser.set_defaults(events=events)


COMMANDS = {
    "simulate": Command("simulate", "train on ranks that are threads, and compare"),
    "checkpoint": Command("checkpoint", "show a checkpoint, or cut it for other ranks"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 on success, 1 for a result that is not ok, 2 for a refusal."""
    given = _parse(sys.argv[1:] if arguments is None else arguments)
    return run_to_end(lambda: _run(given))


def _run(given: argparse.Namespace) -> int:
    try:
        is_ok = _write_all(given.events(given))
    except Refusal as refusal:
        write_event(_error_of(refusal, given.lang))
        return 2
    except RuntimeError as error:
        refused = refusal_of(error)
        if refused is None:
            raise
        write_event(_error_of(refused, given.lang))
        return 2
    return 0 if is_ok else 1


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    everywhere = argparse.ArgumentParser(add_help=False)
    everywhere.add_argument("--lang", choices=LANGS, default=detect_lang(), help="of sentences")
    everywhere.add_argument("--json", action="store_true", help="what is printed is JSON anyway")
    parser = argparse.ArgumentParser(prog="python -m torchstone.distributed", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    for name, command in COMMANDS.items():
        each = commands.add_parser(name, parents=[everywhere], help=command.about)
        # Import only the requested command, because some of the modules import a lot.
        if name in arguments:
            command.add_to(each)
    return parser.parse_args(arguments)


def _write_all(events: Iterator[Event]) -> bool:
    """Print events as they come; return whether the last one, the result, is ok."""
    event: Event = {}
    for event in events:
        write_event({"event": "end", **event} if "ok" in event else event)
    return bool(event["ok"])


def _error_of(refusal: Refusal, lang: Lang) -> Event:
    values = {
        name: value if isinstance(value, int | float) else str(value)
        for name, value in said(refusal.values, lang).items()
    }
    return {
        "event": "error",
        "ok": False,
        "code": refusal.code,
        "message": refusal.message(lang),
        "hint": refusal.hint(lang),
        "values": values,
    }


if __name__ == "__main__":
    interrupt_once()
    sys.exit(main())
