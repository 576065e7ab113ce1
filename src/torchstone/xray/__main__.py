"""Command line: scenes of a file, tables of operators, the self-test; prints lines of JSON.

Usage: ``python -m torchstone.xray scene FILE [--scene dispatch]``. The program runs in this
process' forks, without a sandbox; the command ``torchstone xray`` has one.
"""

from __future__ import annotations

import argparse
import gc
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from torchstone.xray.table import UnknownOperator, table


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return 0 on success, 2 for a refusal."""
    given = _parse(sys.argv[1:] if arguments is None else arguments)
    return serve(vars(given), write_line)


def write_line(event: Mapping[str, Any]) -> None:
    """Print an event as a line of JSON."""
    sys.stdout.write(json.dumps(event, allow_nan=False) + "\n")
    sys.stdout.flush()


def warm() -> None:
    """Do what every question needs, before the first one comes."""
    from torchstone.xray.scene import EXTRACTORS
    from torchstone.xray.self_test import supported

    assert EXTRACTORS, "imported with all of torch that they need"
    supported()
    gc.collect()
    gc.freeze()


def serve(
    asked: Mapping[str, Any],
    write: Callable[[Mapping[str, Any]], None],
    confine: Callable[[bool], None] | None = None,
) -> int:
    """Answer one question; return 0, or 2 for a refusal."""
    from torchstone.xray.scene import Fault

    try:
        _answer(asked, write, confine)
    except Fault as fault:
        write({"event": "error", "code": fault.code, "message": str(fault), "values": fault.values})
        return 2
    except UnknownOperator as error:
        values = {"name": error.name, "near": ", ".join(error.near) or "-"}
        write({"event": "error", "code": "operator", "message": str(error), "values": values})
        return 2
    return 0


def _answer(
    asked: Mapping[str, Any],
    write: Callable[[Mapping[str, Any]], None],
    confine: Callable[[bool], None] | None,
) -> None:
    if asked["command"] == "table":
        write({"event": "table", **table(asked["op"])})
        return
    if asked["command"] == "selftest":
        from torchstone.xray.self_test import selftest

        write({"event": "selftest", **selftest()})
        return
    from torchstone.xray.passes import Limits
    from torchstone.xray.program import Program
    from torchstone.xray.scene import SCENES, Order, examine

    text = asked.get("text")
    if text is None:
        text = Path(asked["file"]).read_text(encoding="utf-8")
    program = Program(name=Path(asked["file"]).name, text=text, function=asked.get("function"))
    scenes = SCENES if "all" in asked["scenes"] else asked["scenes"]
    limits = Limits(**asked.get("limits") or {})
    order = Order(program=program, scenes=scenes, under=asked.get("under") or (), limits=limits)
    for scene in examine(order, confine):
        write({"event": "scene", **scene})
    write({"event": "end"})


def _parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m torchstone.xray", description=__doc__)
    commands = parser.add_subparsers(required=True, dest="command")
    each = commands.add_parser("scene", help="what torch does inside a program")
    each.add_argument("file", metavar="FILE")
    each.add_argument("--scene", dest="scenes", action="append", metavar="NAME")
    each.add_argument("--function", metavar="NAME", help="look at this function alone")
    each.add_argument("--under", action="append", metavar="MODE", help="run it under a mode, too")
    each = commands.add_parser("table", help="what each key of an operator leads to")
    each.add_argument("op", metavar="OP")
    commands.add_parser("selftest", help="whether what runs traced is what runs untraced")
    given = parser.parse_args(arguments)
    if given.command == "scene":
        given.scenes = given.scenes or ["dispatch"]
    return given


if __name__ == "__main__":
    sys.exit(main())
