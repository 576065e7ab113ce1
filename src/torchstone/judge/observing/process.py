"""Observer process: run programs under extractors, in the sandbox of ``observing.command``.

The process answers one line of JSON on its standard input with lines of JSON on its standard
output. It imports the extractors before it reads, so that one that was started ahead of its
question answers at once. It runs none of the user's code itself: the extractors fork a process for
each pass, and that gives up its privileges here before the code is compiled.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from torchstone.judge.child import confine


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePaths:
    """The paths that Landlock leaves visible, by what is allowed there."""

    executable: Sequence[str]
    read_only: Sequence[str]
    read_write: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ObserverSettings:
    """The settings of one observer process; ``observing.command`` determines them.

    Attributes:
        import_path: Where the process finds this package and torch.
        module: The module of the extractors.
        folder: The folder in which a program may write.
        filter_fds: The descriptors of the seccomp programs, by their kind; empty without filters.
        landlock: What is visible; None where Landlock is not used.
    """

    import_path: Sequence[str]
    module: str
    folder: str
    filter_fds: Mapping[str, int]
    landlock: VisiblePaths | None


class _Confiner:
    """Confine the process of a pass."""

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
    """Answer what is asked on standard input."""
    raw = json.loads(sys.argv[1])
    landlock = raw["landlock"]
    seen = None if landlock is None else VisiblePaths(**landlock)
    settings = ObserverSettings(**{**raw, "landlock": seen})
    # The extractors write to a copy; what a library prints must not be taken for an answer.
    with os.fdopen(os.dup(1), "w", encoding="ascii") as answers:
        os.dup2(2, 1)
        confiner = _Confiner(settings)
        # By name: in the rest of the program nothing imports what imports torch.
        extractors = importlib.import_module(settings.module)
        # Not every module has something to do before it is asked.
        getattr(extractors, "warm", int)()
        line = sys.stdin.readline()
        if not line:  # whoever has started it does not need it any more
            return 0
        asked: dict[str, Any] = json.loads(line)

        def write(event: Mapping[str, Any]) -> None:
            answers.write(json.dumps(event, allow_nan=False) + "\n")
            answers.flush()

        return int(extractors.serve(asked, write, confiner))


if __name__ == "__main__":
    sys.exit(main())
