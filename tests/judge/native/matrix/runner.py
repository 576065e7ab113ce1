"""Run cells of the matrix in a prepared process; keep the samples in the user's cache.

Usage: python -m tests.judge.native.matrix.runner [FAMILY ...]

Without families the whole matrix runs: thousands of cells, two minutes of processor time. It ends
with status 1 and a line for each cell that did not end as it must.
"""

import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.judge.native.matrix import plan
from torchstone.core import paths
from torchstone.judge import native
from torchstone.judge.native import build

HERE = Path(__file__).parent
ROOT = HERE.parents[3]
CHILD = Path(native.__file__).parent.parent


class Matrix:
    """The samples, the cells, and the process that runs them.

    Args:
        folder: Where the samples are kept.
    """

    def __init__(self, folder: Path) -> None:
        library = build.library()
        kept = folder / f"samples-{_hash(library)}.pickle"
        if not kept.is_file():
            draft = kept.with_suffix(f".{os.getpid()}")
            subprocess.run(_python("samples.py", library, draft), check=True, env=_environment())
            draft.replace(kept)
        with kept.open("rb") as file:
            made = pickle.load(file)
        self.samples: plan.Samples = made["samples"]
        self.members: dict[str, list[str]] = made["members"]
        self.functions: dict[str, list[str]] = made["functions"]
        self.left: dict[str, list[str]] = made["left"]
        self.cells = list(plan.combinations(self.samples))
        self._process = subprocess.Popen(
            _python("process.py", library, kept),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=_environment(),
        )
        assert self._line() == "ready\n"

    def wrong(self, family: str, cells: Sequence[plan.Combination]) -> list[str]:
        """Run cells of one family; return what is to be said of those that ended wrongly."""
        results = list(self._run(family, cells))
        assert len(results) == len(cells)
        members, functions = self.members.get(family, ()), self.functions.get(family, ())
        return [
            f"{plan.Combination(**each['cell'])}: {self._name(each)}, status {each['status']}, "
            f"{each['report']}, {each['output'][-300:]}"
            for each in results
            if not plan.is_right(each, members, functions)
        ]

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=60)
        self._process.stdout.close()  # type: ignore[union-attr]

    def _run(self, family: str, cells: Sequence[plan.Combination]) -> Iterator[dict[str, Any]]:
        request = {
            "family": family,
            "deny": plan.deny_of(family),
            "records": family == plan.RECORDING,
            "bare": family == plan.EVERY,
            "cells": [
                {"route": each.route, "state": each.state, "sample": each.sample} for each in cells
            ],
        }
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        while "done" not in (result := json.loads(self._line())):
            result["cell"]["family"] = family
            yield result

    def _line(self) -> str:
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        assert line, "the process with the bans has ended"
        return line

    def _name(self, result: dict[str, Any]) -> str:
        cell = result["cell"]
        return str(self.samples[cell["family"]][cell["route"]][cell["sample"]].name)


def _python(program: str, *arguments: Path) -> list[str]:
    script = str(HERE / program)
    return [sys.executable, "-W", "ignore", script, str(CHILD), *map(str, arguments)]


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{ROOT}"}


def _hash(library: Path) -> str:
    # The name of the library has torch, Python and the families.
    texts = [(HERE / name).read_bytes() for name in ("samples.py", "sample.py")]
    return hashlib.sha256(b"".join([library.name.encode(), *texts])).hexdigest()[:16]


def main() -> int:
    """Run the whole matrix, or that of some families."""
    matrix = Matrix(paths.private_dir(paths.cache_dir() / "tests" / "matrix"))
    found = []
    for family in sys.argv[1:] or matrix.samples:
        cells = [each for each in matrix.cells if each.family == family]
        wrong = matrix.wrong(family, cells)
        found += wrong
        sys.stdout.write(f"{family}: {len(cells)} cells, {len(wrong)} wrong\n")
        sys.stdout.flush()
    matrix.close()
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
