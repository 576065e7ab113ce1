"""Reviewed table of findings that are not escapes, with the reason for each.

Patterns are shell patterns over the name of a callable and over the description of its arguments.
Patterns are as narrow as the reason permits.
"""

from __future__ import annotations

import fnmatch
import tomllib
from dataclasses import dataclass
from pathlib import Path

TABLE = Path(__file__).with_name("explained.toml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """Reason why some findings are not escapes.

    Attributes:
        names: Patterns over names of callables.
        forms: Patterns over descriptions of the arguments.
        outcome: ``equal`` or ``crash``.
        results: Results of the calls: names of samples, or for a crash names of signals.
        reason: Why this is not an escape.
    """

    names: tuple[str, ...]
    forms: tuple[str, ...]
    outcome: str
    results: tuple[str, ...]
    reason: str

    def explains(self, outcome: str, name: str, form: str, result: str) -> bool:
        """Return whether the explanation applies to a finding."""
        return (
            outcome == self.outcome
            and result in self.results
            and _matches(name, self.names)
            and _matches(form, self.forms)
        )


def read_table(path: Path = TABLE) -> list[Explanation]:
    """Read the table from its file."""
    table = tomllib.loads(path.read_text(encoding="utf-8"))
    return [
        Explanation(
            names=tuple(entry.get("names", ("*",))),
            forms=tuple(entry.get("forms", ("*",))),
            outcome=outcome,
            results=tuple(entry["results"]),
            reason=entry["reason"],
        )
        for outcome in ("equal", "crash")
        for entry in table.get(outcome, ())
    ]


def _matches(text: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(text, pattern) for pattern in patterns)
