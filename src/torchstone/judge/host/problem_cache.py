"""Cache of the bank data that the host reads, keyed by modification time."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from torchstone.bank.groups import declared_groups
from torchstone.bank.loader import load_bank, load_problem
from torchstone.judge.assignment import assignment_of
from torchstone.judge.order import Assignment

Stamp = frozenset[tuple[str, int, int, int]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """Assignment of a problem, and the groups of cases that it declares."""

    assignment: Assignment
    groups: tuple[str, ...]
    stamp: Stamp


@dataclass(slots=True)
class ProblemCache:
    """Cache of problems by name: reading the whole bank takes longer than a small job.

    Attributes:
        root: The folder that contains ``problems/``.
    """

    root: Path
    _entries: dict[str, Entry] = field(default_factory=dict)

    def find(self, name: str) -> Entry:
        """Find a problem by number, slug or folder.

        Raises:
            BrokenProblem: The folder of the problem is not valid.
            NotFound: The bank has no such problem.
        """
        known = self._entries.get(name)
        if known is not None and known.stamp == _stamp(known.assignment.folder):
            return known
        folder = load_bank(self.root, is_whole=False).find(name).path
        # Computed before reading the files, so that the next call detects a concurrent change.
        stamp = _stamp(folder)
        problem = load_problem(folder)
        entry = Entry(
            assignment=assignment_of(problem), groups=declared_groups(problem), stamp=stamp
        )
        self._entries[name] = entry
        return entry


def _stamp(folder: Path) -> Stamp:
    """Return the name, the size and the modification time of every file below a folder."""
    found: set[tuple[str, int, int, int]] = set()
    for path, _, files in os.walk(folder):
        for name in files:
            state = os.stat(os.path.join(path, name))
            found.add((os.path.join(path, name), state.st_size, state.st_mtime_ns, state.st_ino))
    return frozenset(found)
