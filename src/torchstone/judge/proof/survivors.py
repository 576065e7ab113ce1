"""Surviving mutants of a problem: the changed line of each, and explanations."""

from __future__ import annotations

import ast
import difflib
import tomllib
from dataclasses import dataclass

from torchstone.bank.problem import Problem
from torchstone.core.i18n import both
from torchstone.core.syntax import parse
from torchstone.judge.messages import Words, words_of


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedLine:
    """The change of a mutant, each side as one line."""

    before: str
    after: str


def changed_line(parent: str, mutant: str) -> ChangedLine:
    """Return the lines in which a mutant differs from its parent.

    Args:
        parent: The program as its author wrote it.
        mutant: The mutant, as ``mutants.make_mutants`` writes it.

    >>> changed_line("y = x + 1  # one", "y = x - 1")
    ChangedLine(before='y = x + 1', after='y = x - 1')
    """
    lines = ast.unparse(parse(parent)).splitlines(), mutant.splitlines()
    matcher = difflib.SequenceMatcher(None, *lines, autojunk=False)
    changes = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    before, after = (
        "; ".join(
            line.strip()
            for _, *ends in changes
            for line in lines[side][ends[2 * side] : ends[2 * side + 1]]
        )
        for side in (0, 1)
    )
    return ChangedLine(before=before, after=after)


def rule_words(rule: str) -> Words:
    """Return the description of a rule of ``mutants`` in both languages."""
    return words_of(both(f"judge.mutation.{rule.replace(' ', '_')}"))


def explanations(problem: Problem) -> dict[str, Words]:
    """Return the explanations in ``survivors.toml`` why mutants are correct, by key."""
    path = problem.path / "survivors.toml"
    if not path.is_file():
        return {}
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("survivor", [])
    return {key: words_of(entry["why"]) for entry in entries for key in entry["keys"]}
