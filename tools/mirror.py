"""Report the modules without a test of the same name: ``judge/pool.py`` -> ``judge/test_pool.py``.

A report, not a gate: a module can be proved through its neighbour, and then the report says where
a reader will not find its tests.

Usage: ``python tools/mirror.py [ROOT]``
"""

import sys
from pathlib import Path


def without_mirror(root: Path) -> list[str]:
    """List the source files, relative to the package, that have no mirrored test file."""
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
    """Print the list; always 0."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    missing = without_mirror(root)
    for name in missing:
        print(f"no test of its own: {name}")
    print(f"mirror: {len(missing)} modules without a test file of their own.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
