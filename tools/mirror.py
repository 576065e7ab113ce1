"""Report the modules without a test of their name: ``judge/report.py``, ``judge/test_report.py``.

This is a report and never fails, because the tests of another module can cover a module. The report
lists the modules whose tests a reader does not find by name.

Usage: ``python tools/mirror.py [ROOT]``
"""

import sys
from pathlib import Path


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


def main() -> int:
    """Print the list; always return 0."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    missing = without_mirror(root)
    for name in missing:
        print(f"no test of its own: {name}")
    print(f"mirror: {len(missing)} modules without a test file of their own.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
