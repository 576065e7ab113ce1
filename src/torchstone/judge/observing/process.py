"""Observer process: run programs under extractors, in the sandbox of ``observing.command``.

The process answers one line of JSON on its standard input with lines of JSON on its standard
output. It imports the extractors before it reads, so that a process started in advance answers at
once. It runs none of the user's code itself: the extractors fork a process for each pass, which
drops its privileges here before the code is compiled.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from torchstone.judge.child.confinement import confine


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePaths:
    """The paths that Landlock permits, by kind of access."""

    executable: Sequence[str]
    read_only: Sequence[str]
    read_write: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverSettings:
    """Settings of one observer process; ``observing.command`` determines them.

    Attributes:
        import_path: The folders from which the process imports this package and torch.
        module: The module of the extractors.
        folder: The folder in which a program may write.
        filter_fds: The descriptors of the seccomp programs, by kind; empty without filters.
        landlock: The permitted paths; None if Landlock is not used.
    """

    import_path: Sequence[str]
    module: str
    folder: str
    filter_fds: Mapping[str, int]
    landlock: VisiblePaths | None


class _Confiner:
    """Function object that confines the process of a pass."""

    def __init__(self, settings: ObserverSettings) -> None:
        self._settings = settings
        self._filters = {kind: _program(fd) for kind, fd in settings.filter_fds.items()}

    def __call__(self, compiles: bool) -> None:
        os.chdir(self._settings.folder)
        confine.drop_privileges(None)
        if self._settings.landlock is not None and confine.landlock_abi():
            ruleset = confine.landlock_ruleset(**asdict(self._settings.landlock))
            confine.landlock_restrict(ruleset)
            os.close(ruleset)
        if self._filters:
            confine.load_seccomp(self._filters["compiler" if compiles else "script"])


def _program(fd: int) -> confine.SeccompProgram:
    with os.fdopen(fd, "rb") as file:
        return confine.prepare_seccomp(file.read())


def main() -> int:
    """Answer the request on standard input."""
    raw = json.loads(sys.argv[1])
    landlock = raw["landlock"]
    seen = None if landlock is None else VisiblePaths(**landlock)
    settings = ObserverSettings(**{**raw, "landlock": seen})
    # The extractors write to a copy, so that library output is not mistaken for an answer.
    with os.fdopen(os.dup(1), "w", encoding="ascii") as answers:
        os.dup2(2, 1)
        confiner = _Confiner(settings)
        # Imported by name: the rest of the program must not import modules that import torch.
        extractors = importlib.import_module(settings.module)
        # A module without ``warm`` has nothing to prepare.
        getattr(extractors, "warm", int)()
        line = sys.stdin.readline()
        if not line:  # the process that started this one no longer needs it
            return 0
        asked: dict[str, Any] = json.loads(line)

        def write(event: Mapping[str, Any]) -> None:
            answers.write(json.dumps(event, allow_nan=False) + "\n")
            answers.flush()

        return int(extractors.serve(asked, write, confiner))


if __name__ == "__main__":
    sys.exit(main())
