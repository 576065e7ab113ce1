"""A compiler that stands in for the real one: it waits for a gate, and notes what it is asked."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from torchstone.kernels.background import Recipe

# The last argument is the output. An object holds its own name; a library is copied from another.
SCRIPT = """#!/bin/sh
if [ "$1" = --version ]; then echo stand-in; exit 0; fi
while [ $# -gt 1 ]; do shift; done
echo "${1#.}" | sed 's/[.][0-9]*$//' >> "%(calls)s"
case "$1" in
    *.last.o.*|*.so.*) while [ ! -e "%(gate)s" ]; do sleep 0.05; done ;;
esac
case "$1" in *.so.*) exec cp "%(library)s" "$1" ;; *) echo "$1" > "$1" ;; esac
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiler:
    """A stand-in; objects are compiled at once, but for ``last.o`` and the library."""

    folder: Path

    @property
    def path(self) -> Path:
        """The script."""
        return self.folder / "c++"

    @property
    def gate(self) -> Path:
        """The file for which the last object and the library wait."""
        return self.folder / "gate"

    def write(self, library: Path | None = None) -> None:
        """Write the script."""
        facts = {"calls": self.folder / "calls", "gate": self.gate, "library": library or self.path}
        self.path.write_text(SCRIPT % facts)
        self.path.chmod(0o755)

    def fail(self, words: str) -> None:
        """Replace the script with one that fails."""
        calls = self.folder / "calls"
        self.path.write_text(f'#!/bin/sh\necho failed >> "{calls}"\necho {words} >&2\nexit 1\n')
        self.path.chmod(0o755)

    def calls(self) -> list[str]:
        """Return what was asked for, in this order."""
        calls = self.folder / "calls"
        return calls.read_text().split() if calls.exists() else []

    def recipe(self) -> Recipe:
        """Return a recipe of two objects and a library."""
        return Recipe(
            product=self.folder / "cache" / "product-1" / "library.so",
            objects=tuple((name, (str(self.path), name)) for name in ("first.o", "last.o")),
            link=(str(self.path), "first.o", "last.o"),
        )


def until(is_so: Callable[[], bool]) -> None:
    """Wait for something that is certain to come; no test asserts how long that takes."""
    while not is_so():
        time.sleep(0.02)
