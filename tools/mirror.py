"""Report new modules without a test of their name: ``judge/report.py``, ``judge/test_report.py``.

This is a report and never fails, because the tests of another module can cover a module.
``tools/mirror.txt`` lists the modules without such a test that are known. One line says that
nothing has changed; otherwise the report names each new module, and each entry of the list that no
longer applies.

Usage: ``python tools/mirror.py [ROOT] [--write]``; ``--write`` writes the list.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

LIST = "tools/mirror.txt"


def without_mirror(root: Path) -> list[str]:
    """Return the source files, relative to the package, without a test file of the same name."""
    package, tests = root / "src/torchstone", root / "tests"
    sources = (path.relative_to(package) for path in sorted(package.rglob("*.py")))
    return [
        source.as_posix()
        for source in sources
        if source.name != "__init__.py"
        and source.parts[0] != "content"
        and "versions" not in source.parts
        and not (tests / source.parent / f"test_{source.name}").is_file()
    ]


def changes(root: Path, missing: Sequence[str]) -> list[str]:
    """Return a message for each difference between the modules and the list."""
    path = root / LIST
    known = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return [
        *(f"{name}: no test file of this name." for name in missing if name not in known),
        *(
            f"{name}: listed in {LIST}, but it has a test file or does not exist."
            for name in known
            if name not in missing
        ),
    ]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print what has changed, or one line; always return 0."""
    parser = argparse.ArgumentParser()
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--write", action="store_true", help=f"write {LIST}")
    given = parser.parse_args(arguments)
    missing = without_mirror(given.root)
    if given.write:
        (given.root / LIST).write_text("".join(f"{name}\n" for name in missing), encoding="utf-8")
    found = changes(given.root, missing)
    for message in found:
        print(message)
    if found:
        print(f"mirror: add a test file, or run `python tools/mirror.py --write` ({LIST}).")
    else:
        print(f"mirror: no new module without a test file of its name ({len(missing)} known).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
