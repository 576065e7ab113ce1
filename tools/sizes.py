"""Check the sizes of files and functions against the style guide, and print those of sub-packages.

A Python file has at most 600 lines, a function at most 60 without its docstring. ``content/`` is
exempt.

Usage: ``python tools/sizes.py [ROOT]``
"""

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 600
MAX_FUNCTION_LINES = 60
FOLDERS = ("src/torchstone", "tests", "tools", "examples", "benchmarks")

Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(root: Path) -> Iterator[Path]:
    """Yield the Python files to check, sorted by path."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*.py")):
            if "content" not in path.relative_to(root).parts[:3]:
                yield path


def function_lines(function: Function) -> int:
    """Count the lines of a function without its docstring."""
    total = (function.end_lineno or function.lineno) - function.lineno + 1
    if ast.get_docstring(function, clean=False) is None:
        return total
    docstring = function.body[0]
    return total - ((docstring.end_lineno or docstring.lineno) - docstring.lineno + 1)


def oversized(name: str, source: str) -> list[str]:
    """Return a message for each limit that a file exceeds."""
    findings = []
    num_lines = len(source.splitlines())
    if num_lines > MAX_FILE_LINES:
        findings.append(f"{name}: {num_lines} lines; the limit is {MAX_FILE_LINES}.")
    for node in ast.walk(ast.parse(source, filename=name)):
        if isinstance(node, Function) and function_lines(node) > MAX_FUNCTION_LINES:
            findings.append(
                f"{name}:{node.lineno}: {node.name} has {function_lines(node)} lines; "
                f"the limit is {MAX_FUNCTION_LINES}."
            )
    return findings


def check(root: Path) -> list[str]:
    """Return a message for each exceeded limit under ``root``."""
    return [
        finding
        for path in python_files(root)
        for finding in oversized(path.relative_to(root).as_posix(), path.read_text("utf-8"))
    ]


def weigh(root: Path) -> Counter[str]:
    """Count the lines of Python of each sub-package."""
    package = root / "src/torchstone"
    weights: Counter[str] = Counter()
    for path in python_files(root):
        if path.is_relative_to(package) and path.parent != package:
            part = path.relative_to(package).parts[0]
            weights[part] += len(path.read_text(encoding="utf-8").splitlines())
    return weights


def main() -> int:
    """Print the sizes and the messages; return 1 if there is a message."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    for part, num_lines in sorted(weigh(root).items()):
        print(f"{part:12} {num_lines:6} lines")
    findings = check(root)
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
