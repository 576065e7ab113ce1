"""Compare kernels split at their barriers with the simulator's own threads.

``cudasim_kernels/fission.cpp`` holds two kernels as a compiler with loop fission would write them:
a loop over the threads of a block for each region between two barriers, no thread ever switched.
``python benchmarks/cudasim_fission.py`` times them in turns with the same kernels in the simulator,
on one core, in processor time, compiled by the same compiler with -O2, which the simulator uses,
with -O3, and without vector instructions. Medians over rounds, with the lowest and highest ratio.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import statistics
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.cudasim import FULL, QUICK, Sizes, take_turns
from benchmarks.cudasim_runs import BLOCK, KERNELS, judge, make_matmul, make_tree
from benchmarks.machine import describe, need_compiler, summary
from benchmarks.microtorch import in_process

# "scalar" tells what is saved by not switching from what vector instructions give.
LEVELS = {
    "-O2": ("-O2",),
    "-O3": ("-O3",),
    "scalar": ("-O2", "-fno-tree-vectorize"),
}
Runs = dict[str, Callable[[], None]]


def build(folder: Path, level: str) -> ctypes.CDLL:
    """Compile the split kernels with the simulator's compiler and flags."""
    from torchstone.cudasim.toolchain import Build, find_toolchain

    toolchain = find_toolchain()
    library = folder / f"fission-{level}.so"
    source = str(KERNELS / "fission.cpp")
    flags = [*toolchain.flags(Build.FAST), *LEVELS[level], "-shared", source, "-o", str(library)]
    toolchain.run(flags, cwd=folder)
    return ctypes.CDLL(str(library))


def make_split(function: Any, arrays: list[Any], size: int, wanted: Any) -> Callable[[], None]:
    """Return a split kernel that has been judged once; the last array is its result."""
    pointers = [each.ctypes.data_as(ctypes.c_void_p) for each in arrays]

    def run() -> None:
        function(*pointers, size)

    run()
    judge(function.__name__, arrays[-1], wanted)
    return run


def make_runs(libraries: dict[str, ctypes.CDLL], sizes: Sizes) -> dict[str, Runs]:
    """Return each kernel in the simulator, and split."""
    import numpy as np

    rng = np.random.default_rng(0)
    a, b = (rng.random((sizes.matmul, sizes.matmul), dtype=np.float32) for _ in range(2))
    x = rng.random(sizes.reduce, dtype=np.float32)
    matmuls = {"simulator": make_matmul(sizes.matmul)}
    trees = {"simulator": make_tree(sizes.reduce)}
    for level, library in libraries.items():
        for way in ("threads", "rows"):
            arrays = [a, b, np.zeros_like(a)]
            function = library[f"matmul_by_{way}"]
            matmuls[f"by {way}, {level}"] = make_split(function, arrays, sizes.matmul, a @ b)
        arrays = [x, np.zeros(sizes.reduce // BLOCK, np.float32)]
        sums = x.reshape(-1, BLOCK).sum(1)
        trees[f"by threads, {level}"] = make_split(
            library.tree_by_threads, arrays, sizes.reduce, sums
        )
    return {"matmul": matmuls, "tree": trees}


def measure(rounds: int, sizes: Sizes) -> dict[str, dict[str, list[float]]]:
    """Time each kernel in all its forms in turns."""
    with tempfile.TemporaryDirectory() as folder:
        libraries = {level: build(Path(folder), level) for level in LEVELS}
        return {
            kernel: take_turns(runs, rounds) for kernel, runs in make_runs(libraries, sizes).items()
        }


def main() -> int:
    """Measure in a process bound to one core, and print."""
    parser = argparse.ArgumentParser(description="Compare loop fission with the simulator.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        found = measure(given.rounds, QUICK if given.quick else FULL)
        sys.stdout.write(json.dumps(found) + "\n")
        return 0
    need_compiler()
    flags = ["--quick"] if given.quick else []
    rounds = "1" if given.quick else str(given.rounds)
    found = in_process("all", 1, "--rounds", rounds, *flags, script=__file__)
    if given.json:
        middle = {
            kernel: {name: statistics.median(each) for name, each in series.items()}
            for kernel, series in found.items()
        }
        sys.stdout.write(json.dumps(middle) + "\n")
        return 0
    for kernel, series in found.items():
        for name, each in series.items():
            ratios = [one / other for one, other in zip(series["simulator"], each, strict=True)]
            sys.stdout.write(
                f"{kernel:8} {name:16} {statistics.median(each):8.4f} s   simulator / this "
                f"{statistics.median(ratios):6.2f}  [{min(ratios):.2f} to {max(ratios):.2f}]\n"
            )
    sys.stdout.write(f"{summary(describe(threads=1))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
