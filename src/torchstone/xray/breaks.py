"""Graph breaks: where Dynamo gave up, why, and what it advises, read from what it prints."""

from __future__ import annotations

import re
from typing import Any

_PLACE = re.compile(r"^Graph break in user code at (.+):(\d+)$", re.MULTILINE)
_REASON = re.compile(r"^Graph Break Reason: (.*)$", re.MULTILINE)
_ENCOUNTERED = re.compile(r"^Encountered graph break when attempting to trace")
_EXPLANATION = re.compile(r"^\s*Explanation: (.*?)(?=^\s*Hint: |^\s*Developer debug)", re.M | re.S)
_HINT = re.compile(r"^\s*Hint: (.*)$", re.MULTILINE)
_NUMBER = re.compile(r"gb/(gb\d+)\.html")


def read_break(printed: str) -> dict[str, Any]:
    """Return one break; its count is 1."""
    place, number = _PLACE.search(printed), _NUMBER.search(printed)
    explanation = _EXPLANATION.search(printed)
    return {
        "file": place[1] if place else None,
        "line": int(place[2]) if place else None,
        "reason": _reason(printed),
        "explanation": " ".join(explanation[1].split()) if explanation else "",
        "hints": [hint.strip() for hint in _HINT.findall(printed)],
        "gb": number[1] if number else None,
        "count": 1,
    }


def _reason(printed: str) -> str:
    found = _REASON.search(printed)
    if found is None:
        return printed.strip().splitlines()[0] if printed.strip() else ""
    if not _ENCOUNTERED.match(found[1]):
        return found[1].strip()
    # The reason itself stands two lines below the instruction that was traced.
    rest = [line for line in printed[found.end() :].splitlines() if line.strip()]
    return rest[0].strip() if rest else found[1].strip()


def count_breaks(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Join breaks at one line for one reason."""
    joined: dict[tuple[Any, ...], dict[str, Any]] = {}
    for each in found:
        key = (each["line"], each["gb"], each["reason"])
        if key in joined:
            joined[key]["count"] += 1
        else:
            joined[key] = dict(each)
    return list(joined.values())
