"""Measure the simulator of CUDA: kernels at full size, detectors, compiler, cores, and a peer.

``python benchmarks/cudasim.py --json`` prints one object; without ``--json`` a table with the
goals. The kernels are those in ``cudasim_kernels/``, their arrays lie in the memory of the device,
and each result is compared with NumPy's. What runs on one core is bound to one and measured in
processor time; only ``cores_gain`` is of the time that passes. What is compared with each other
alternates in one process. Figures are medians over rounds, after a first one that is not counted.

- ``matmul1024_s softmax_s reduce_s``: 1024 x 1024 matrices by tiles of 32, softmax of 4096 rows of
  1024, the sum of 2^24 floats; fast build;
- ``detector_ratio_max``: the largest of check / fast over five kernels at smaller sizes;
- ``compile_s_median``: the fast and the check build of a kernel together, compiler and rewriter,
  when runtime and precompiled header are there;
- ``numba_ratio``: a multiplication by tiles of 16 in Numba's simulator / the same in ours;
- ``cores_gain``: the large product with one worker / with two.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.cudasim_runs import (
    KERNELS,
    MAKERS,
    make_matmul,
    make_reduce,
    make_softmax,
)
from benchmarks.machine import describe, need_compiler, summary
from benchmarks.microtorch import in_process

# Key of the result -> its goal; those in UPPER are upper bounds, the others lower ones.
GOALS = {
    "matmul1024_s": 1.5,
    "softmax_s": 0.25,
    "reduce_s": 0.05,
    "detector_ratio_max": 15,
    "compile_s_median": 0.6,
    "numba_ratio": 1000,
    "cores_gain": 1.7,
}
UPPER = ("matmul1024_s", "softmax_s", "reduce_s", "detector_ratio_max", "compile_s_median")
# Files that are compiled to be timed, and the instances of their templates.
FILES: dict[str, tuple[str, ...]] = {
    "matmul": ("matmul<32>",),
    "softmax": (),
    "reduce": (),
    "tree": (),
    "vadd": (),
}
# How long a turn lasts at least.
TURN_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Hold the sizes of the run.

    Attributes:
        matmul: Rows of the large product.
        softmax: Rows of 1024 numbers.
        reduce: Numbers to add up.
        checked: The same three, and those of vadd and tree, when the check build takes part.
        numba: Rows of the product in Numba's simulator.
        files: Names of the kernels that are compiled to be timed, out of ``FILES``.
    """

    matmul: int
    softmax: int
    reduce: int
    checked: dict[str, int]
    numba: int
    files: tuple[str, ...] = tuple(FILES)


FULL = Sizes(
    matmul=1024,
    softmax=4096,
    reduce=1 << 24,
    checked={"matmul": 256, "vadd": 1 << 19, "reduce": 1 << 21, "softmax": 512, "tree": 1 << 21},
    numba=64,
)
QUICK = Sizes(
    matmul=64,
    softmax=16,
    reduce=1 << 16,
    checked={"vadd": 1 << 10},
    numba=16,
    files=("vadd",),
)


def time_once(run: Callable[[], None], clock: Callable[[], float] = time.process_time) -> float:
    """Time one run; short ones are repeated, so that the clock is fine enough."""
    begun, count = clock(), 0
    while count == 0 or clock() - begun < TURN_SECONDS:
        run()
        count += 1
    return (clock() - begun) / count


def take_turns(
    runs: dict[str, Callable[[], None]],
    rounds: int,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, list[float]]:
    """Time several things in turns; the first round is not counted."""
    times: dict[str, list[float]] = {name: [] for name in runs}
    for number in range(rounds + 1):
        for name in list(runs) if number % 2 else list(reversed(runs)):
            times[name].append(time_once(runs[name], clock))
    return {name: each[1:] for name, each in times.items()}


def measure_speed(rounds: int, sizes: Sizes) -> dict[str, list[float]]:
    """Time the three kernels at full size on one core."""
    return take_turns(
        {
            "matmul1024_s": make_matmul(sizes.matmul),
            "softmax_s": make_softmax(sizes.softmax),
            "reduce_s": make_reduce(sizes.reduce),
        },
        rounds,
    )


def measure_detectors(rounds: int, sizes: Sizes) -> dict[str, list[float]]:
    """Return check / fast of each kernel, round by round."""
    ratios = {}
    for name, size in sizes.checked.items():
        runs = {str(check): MAKERS[name](size, check=check) for check in (False, True)}
        times = take_turns(runs, rounds)
        ratios[name] = [
            slow / fast for fast, slow in zip(times["False"], times["True"], strict=True)
        ]
    return ratios


def spent() -> tuple[float, float]:
    """Return the processor time of this process, and of its children that have ended."""
    own, children = (
        resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    return own.ru_utime + own.ru_stime, children.ru_utime + children.ru_stime


def measure_compiler(rounds: int, sizes: Sizes) -> dict[str, list[float]]:
    """Time both builds together of each kernel, which has never been built as it stands."""
    from torchstone import cudasim

    times: dict[str, list[float]] = {name: [] for name in sizes.files}
    times |= {f"{name}, rewriter and loader": [] for name in sizes.files}
    for number in range(rounds + 1):
        for name in sizes.files:
            # A comment of its own, and the cache knows nothing of this text.
            text = f"{(KERNELS / name).with_suffix('.cu').read_text()}// {os.getpid()} {number}\n"
            before = spent()
            for check in (False, True):
                cudasim.compile(text, check=check, instantiate=FILES[name], name=f"{name}.cu")
            own, children = (
                later - earlier for later, earlier in zip(spent(), before, strict=True)
            )
            times[name].append(own + children)
            times[f"{name}, rewriter and loader"].append(own)
    return {name: each[1:] for name, each in times.items()}


def measure_cores(rounds: int, sizes: Sizes) -> dict[str, list[float]]:
    """Time the large product with one worker and with two: the time that passes."""
    runs = {workers: make_matmul(sizes.matmul, workers=workers) for workers in (1, 2)}
    given = "cores that two workers had"
    found: dict[str, list[float]] = {"gain": [], given: [], "gain by processor time": []}
    for number in range(rounds + 1):
        walls, cpus = {}, {}
        for workers in (1, 2) if number % 2 else (2, 1):
            begun, before = time.perf_counter(), time.process_time()
            runs[workers]()
            walls[workers] = time.perf_counter() - begun
            cpus[workers] = time.process_time() - before
        found["gain"].append(walls[1] / walls[2])
        found[given].append(cpus[2] / walls[2])
        found["gain by processor time"].append(2 * cpus[1] / cpus[2])
    return {name: each[1:] for name, each in found.items()}


def measure_numba(rounds: int, sizes: Sizes) -> dict[str, list[float]]:
    """Time a multiplication of a product in both simulators, round by round."""
    from benchmarks.cudasim_numba import TILE, make_numba_matmul

    runs = {
        "numba": make_numba_matmul(sizes.numba),
        "same size": make_matmul(sizes.numba, tile=TILE),
    }
    times = take_turns(runs, rounds)
    pairs = zip(times["numba"], times["same size"], strict=True)
    return {"ratio": [other / ours for other, ours in pairs]} | {
        f"{name}, ns each": [1e9 * each / sizes.numba**3 for each in found]
        for name, found in times.items()
    }


PARTS: dict[str, Callable[[int, Sizes], dict[str, list[float]]]] = {
    "speed": measure_speed,
    "detectors": measure_detectors,
    "compiler": measure_compiler,
    "numba": measure_numba,
    "cores": measure_cores,
}


def measure(rounds: int, *, is_quick: bool) -> dict[str, dict[str, list[float]]]:
    """Measure each part in a process of its own, bound to as many cores as it is to have."""
    flags = ["--quick"] if is_quick else []
    found = {}
    for part in PARTS:
        threads = 2 if part == "cores" else 1
        variables = {"NUMBA_ENABLE_CUDASIM": "1"} if part == "numba" else {}
        found[part] = in_process(
            part, threads, "--rounds", str(rounds), *flags, script=__file__, **variables
        )
    return found


def summarise(found: dict[str, dict[str, list[float]]]) -> dict[str, float]:
    """Return the figures."""
    middle = {
        part: {name: statistics.median(each) for name, each in series.items()}
        for part, series in found.items()
    }
    figures = middle["speed"] | {
        "detector_ratio_max": max(middle["detectors"].values()),
        "compile_s_median": statistics.median(
            each for name, each in middle["compiler"].items() if name in FILES
        ),
        "numba_ratio": middle["numba"]["ratio"],
        "cores_gain": middle["cores"]["gain"],
    }
    return {name: float(f"{figures[name]:.4g}") for name in GOALS}


def write_table(
    figures: dict[str, float], found: dict[str, dict[str, list[float]]], loads: tuple[float, float]
) -> None:
    """Print figures and goals, what is behind them with its spread, and the machine."""
    say = sys.stdout.write
    for name, goal in GOALS.items():
        is_met = figures[name] <= goal if name in UPPER else figures[name] >= goal
        sign = "<=" if name in UPPER else ">="
        say(f"{name:20} {figures[name]:>10.4g}  goal {sign} {goal}{'' if is_met else '  MISSED'}\n")
    say(f"\n{'':39} {'median':>10} {'lowest':>10} {'highest':>10}\n")
    for part, series in found.items():
        for name, each in series.items():
            numbers = (statistics.median(each), min(each), max(each))
            say(f"{part:10} {name:28} " + " ".join(f"{n:>10.4g}" for n in numbers) + "\n")
    say(
        f"\n{summary(describe(threads=1))}; part cores: two threads; "
        f"load {loads[0]:.1f} -> {loads[1]:.1f}\n"
    )
    if statistics.median(found["cores"]["cores that two workers had"]) < 1.8:
        say("cores_gain means nothing here: two workers did not get two cores\n")


def main() -> int:
    """Measure and print; 0 whether or not the goals are met."""
    parser = argparse.ArgumentParser(description="Measure the simulator of CUDA.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        series = PARTS[given.part](given.rounds, QUICK if given.quick else FULL)
        sys.stdout.write(json.dumps(series) + "\n")
        return 0
    need_compiler()
    before = os.getloadavg()[0]
    found = measure(1 if given.quick else given.rounds, is_quick=given.quick)
    figures = summarise(found)
    if given.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        write_table(figures, found, (before, os.getloadavg()[0]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
