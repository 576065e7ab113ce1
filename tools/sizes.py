"""Check the sizes of files and functions against the style guide, and print those of sub-packages.

A Python file has at most 400 lines, a function at most 60 without its docstring. ``content/`` is
exempt. Each sub-package has a budget of lines in the table below; a larger budget is a decision.

Usage: ``python tools/sizes.py [ROOT]``
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_FILE_LINES = 400
MAX_FUNCTION_LINES = 60
FOLDERS = ("src/torchstone", "tests", "tools", "examples", "benchmarks")

# Path -> the reason why the file may be longer. This table may only shrink.
EXEMPT: dict[str, str] = {}

# Lines of Python in each sub-package, without tests.
BUDGETS = {
    "core": 1200,
    # The question bank, too: its schema, its cells and texts, and what is checked of them as text.
    # What people say who look for a question, and what a wrong answer shows to be not known.
    "bank": 4600,
    # With the events, the heartbeats and the drafts of interviews, and what was read of chapters.
    "store": 3800,
    # Two sandboxed sides, the host between them, the kit of problems, the proof of the bank, what
    # is particular about submissions that are compiled, and types for what all these exchange;
    # both sides of a sandbox declare them; and the two searches for escapes from bans.
    # The symptoms of an error are a module for each kind of statement; the processes of a
    # distributed submission have a module for those that fork them, and one for themselves, and so
    # have the starts of a program that is killed; ranks are rehearsed, and mutants of their
    # programs made, as of other programs. The peak memory of a request is measured outside it; the
    # workers of a loader are counted and swept, share values and ask for the death signal without
    # ctypes, and a program that waits for ever or leaves orphans has deadlines; what its probe has
    # noted is read outside the program. A training script is launched as ranks, by forks and by the
    # real torchrun, and typed as a command. What builds share is made ahead, and a compiler waits
    # for the next submission. The cells of questions run in a process of their own.
    "judge": 31200,
    # PyTorch's names, arguments and refusals, judged entry by entry: docs/decisions/microtorch.md.
    "microtorch": 37000,
    # The rewriter of CUDA C++, two compilers, what calls, counts and reports in two languages;
    # the rest is C++.
    "cudasim": 7650,
    # Of each operator the reference implementation, the registration and Triton's kernels; the rest
    # is C++ and CUDA.
    "kernels": 6000,
    # Collectives on two backends, ranks as threads with a simulated clock, data parallelism, three
    # stages of ZeRO, checkpoints that any number of ranks loads, pictures of a timeline.
    "distributed": 8000,
    # A tensor type, its table of operators, jagged tensors of it, and files.
    "nested": 2000,
    # Readers of three formats, a file for each of forty rules, a roofline with the operations of
    # each operator, a simulator of traces with known truth, and what records programs.
    "doctor": 16000,
    # Five extractors, the fork in which each runs, the file of private names, what draws scenes.
    "xray": 5500,
    # Attention, layers, models; what trains and measures them.
    "models": 7000,
    # With the marking of free text: its normal form, clauses, negation, patterns, guards, and the
    # measure of its agreement with a person; with the ratings of answers, and the plan of a day.
    # Synonyms inside patterns, and the dense form of a Chinese answer.
    "study": 2800,
    # With the inputs that a learner keeps, the format of files, the costs of kernels, runs of
    # simulated ranks, what the doctor answers about the traces that a page opens, questions:
    # proven, asked, marked, corrected and scheduled, and interviews: held, kept, reported, and held
    # open for their pages; with the sandboxes in which the page's x-ray waits for its programs, and
    # chapters: read, kept and run.
    # The ranking of questions by how people ask, and what a wrong program brings back.
    "app": 13900,
    # The plan, the session, the clock and the scores of an interview, as folds over its events; its
    # outline, its items, and the simulation of candidates.
    "interview": 3200,
    # With the routes and the schemas of an opened trace, of the x-ray and the map, of questions and
    # chapters, which are HTML cut at the cells they call, and of interviews: alone, led, at the
    # seat, reported.
    "web": 7400,
    # With the commands of kept inputs, of the format, of distributed training, of the doctor,
    # which also records and compares, of questions, and of interviews.
    "cli": 7200,
}

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
    """Return a message for each exceeded limit under ``root``, and for each unused exemption."""
    findings = []
    used = set()
    for path in python_files(root):
        name = path.relative_to(root).as_posix()
        found = oversized(name, path.read_text(encoding="utf-8"))
        if name in EXEMPT and found:
            used.add(name)
        else:
            findings += found
    stale = [f"{name}: exempt, but no longer too long." for name in EXEMPT if name not in used]
    return findings + stale


def weigh(root: Path) -> dict[str, int]:
    """Count the lines of Python of each sub-package."""
    package = root / "src/torchstone"
    weights: dict[str, int] = {}
    for path in python_files(root):
        if path.is_relative_to(package) and path.parent != package:
            part = path.relative_to(package).parts[0]
            num_lines = len(path.read_text(encoding="utf-8").splitlines())
            weights[part] = weights.get(part, 0) + num_lines
    return weights


def over_budget(weights: dict[str, int]) -> list[str]:
    """Return a message for each sub-package that has no budget or exceeds it."""
    return [
        f"{part}: {num_lines} lines; its budget is {BUDGETS.get(part, 0)} (tools/sizes.py)."
        for part, num_lines in weights.items()
        if num_lines > BUDGETS.get(part, 0)
    ]


def main() -> int:
    """Print the sizes and the messages; return 1 if there is a message."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    weights = weigh(root)
    for part, num_lines in sorted(weights.items()):
        print(f"{part:12} {num_lines:6} of {BUDGETS.get(part, 0):6} lines")
    findings = check(root) + over_budget(weights)
    for finding in findings:
        print(finding, file=sys.stderr)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
