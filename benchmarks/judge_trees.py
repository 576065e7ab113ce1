"""Compare the judge of two source trees, one submission of each in turns.

``python benchmarks/judge_trees.py BEFORE AFTER`` takes two folders, each with its ``.venv``, and
prints a row for each problem and kind of judging: the medians, the spreads, and the median of the
ratios of neighbours. A machine that becomes slower for a while slows both down.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.judge import percentile
from benchmarks.machine import describe, need_compiler, summary

# Uses what is in the tree that it runs in: its judge, its problems.
SERVE = """
import sys
sys.path.insert(0, "")
from benchmarks.judge import judge_once, temporary_host
from torchstone.bank.loader import CONTENT, load_bank
bank = load_bank(CONTENT)
with temporary_host(workers=2) as client:
    for line in sys.stdin:
        problem, kind = line.split()
        judged = judge_once(client, problem, bank.get(problem).solution.source, kind=kind)
        # The tree may be of a time when it returned the milliseconds alone.
        print(getattr(judged, "ms", judged), flush=True)
"""
KINDS = ("submit", "run")


class Tree:
    """Judge with the host of one source tree."""

    def __init__(self, folder: Path) -> None:
        python = folder / ".venv/bin/python"
        self._process = subprocess.Popen(
            [str(python if python.exists() else sys.executable), "-c", SERVE],
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def judge(self, problem: str, kind: str) -> float:
        """Return the milliseconds from accepted to the stored verdict."""
        assert self._process.stdin is not None, "the process has a pipe to stdin"
        assert self._process.stdout is not None, "the process has a pipe from stdout"
        self._process.stdin.write(f"{problem} {kind}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"the judge of {self._process.args!r} ended at {problem}; see above.")
        return float(answer)

    def close(self) -> None:
        """End the host."""
        self._process.communicate()


@contextlib.contextmanager
def opened(folders: Sequence[Path]) -> Iterator[list[Tree]]:
    """Return a judge of each tree."""
    trees = [Tree(folder) for folder in folders]
    try:
        yield trees
    finally:
        for tree in trees:
            tree.close()


def compare(trees: Sequence[Tree], problem: str, kind: str, runs: int) -> dict[str, Any]:
    """Judge one problem in turns; which tree comes first changes with each turn."""
    warm_up = min(3, runs)
    pairs = []
    for turn in range(warm_up + runs):
        order = trees if turn % 2 else trees[::-1]
        found = {tree: tree.judge(problem, kind) for tree in order}
        pairs.append([found[tree] for tree in trees])
    before, after = zip(*pairs[warm_up:], strict=True)
    return {
        "id": problem,
        "kind": kind,
        "before_ms": statistics.median(before),
        "before_spread_ms": [min(before), percentile(list(before), 0.95)],
        "after_ms": statistics.median(after),
        "after_spread_ms": [min(after), percentile(list(after), 0.95)],
        "ratio": statistics.median(new / old for old, new in pairs[warm_up:]),
    }


def row(found: dict[str, Any]) -> str:
    """Write one comparison for a person."""
    cells = [f"{found['id']:>5} {found['kind']:>7}"]
    for name in ("before", "after"):
        low, high = found[f"{name}_spread_ms"]
        cells.append(f"{found[f'{name}_ms']:8.1f} ({low:.0f}-{high:.0f})")
    return "  ".join([*cells, f"{found['ratio']:.3f}"])


def main() -> int:
    """Measure and print."""
    here = Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("before", nargs="?", type=Path, default=here)
    parser.add_argument("after", nargs="?", type=Path, default=here)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--runs", type=int, default=30)
    parser.add_argument("--problems", default="01,02,03,04,05,06,07,08,09,10")
    parser.add_argument("--quick", action="store_true", help="one run: to see that it works")
    options = parser.parse_args()
    need_compiler()
    problems = ["01"] if options.quick else options.problems.split(",")
    runs = 1 if options.quick else options.runs
    rows = []
    with opened([options.before, options.after]) as trees:
        for problem in problems:
            for kind in KINDS:
                rows.append(compare(trees, problem, kind, runs))
                if not options.json:
                    sys.stdout.write(row(rows[-1]) + "\n")
                    sys.stdout.flush()
    machine = describe(threads=1)
    if options.json:
        sys.stdout.write(json.dumps({"problems": rows, "runs": runs, "machine": machine}) + "\n")
    else:
        sys.stdout.write(summary(machine) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
