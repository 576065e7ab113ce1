"""Guards of a compiled frame, and why it was compiled again, read from what Dynamo prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_GUARD = re.compile(r"^(?P<depth>[| ]*)\+- (?P<kind>[A-Z_]+): (?P<rest>.*)$")
_MANAGER = re.compile(r"^(?P<depth>[| ]*)\+- \w+: source=(?P<source>[^,]+), accessed_by")
_PLACE = re.compile(r"(\S+):(\d+) in \w+")
# Addresses and ids, which no two runs have in common.
_ADDRESS = re.compile(r"0x[0-9a-f]+|\b\d{9,}\b")
_CHANGE = re.compile(
    r"^(?:\d+/\d+: )?(?P<guard>.*?)(?:\. expected (?P<was>.+), actual (?P<now>.+))?$"
)


def read_guards(printed: str, file: str) -> list[dict[str, Any]]:
    """Return the guards of a printed tree; ``line`` is that of the program, where it is known."""
    return list(_guards(printed, file))


def _guards(printed: str, file: str) -> Iterator[dict[str, Any]]:
    sources: list[tuple[int, str]] = []
    for line in printed.splitlines():
        manager = _MANAGER.match(line)
        if manager is not None:
            depth = len(manager["depth"])
            sources = [each for each in sources if each[0] < depth] + [(depth, manager["source"])]
            continue
        found = _GUARD.match(line)
        if found is None:
            continue
        depth = len(found["depth"])
        sources = [each for each in sources if each[0] < depth]
        expression, *comments = re.split(r"\s+# ", found["rest"])
        places = [_PLACE.search(comment) for comment in comments]
        yield {
            "kind": found["kind"],
            "source": sources[-1][1] if sources else "",
            "expression": _ADDRESS.sub("…", expression.strip()),
            "line": next((int(p[2]) for p in places if p and p[1].endswith(file)), None),
        }


def read_recompiles(printed: str, line: int | None) -> list[dict[str, Any]]:
    """Return which guards had failed when a frame was compiled again."""
    found = [_CHANGE.match(each.strip()) for each in printed.splitlines() if each.strip()]
    return [
        {
            "line": line,
            "guard": _ADDRESS.sub("…", each["guard"].strip("[]\"' ")),
            "was": each["was"],
            "now": each["now"] and each["now"].strip("[]\"' "),
        }
        for each in found
        if each is not None
    ]
