"""Measure the kernels beside plain PyTorch, eager and compiled, and beside the machine's limit.

    python benchmarks/kernels.py --json

All that is compared runs in one process, interleaved, in another order each round. With one thread
a time is CPU time of the process, which others on the machine disturb least; with several it is
wall time. ``limit_share`` is the time of a copy of the input (forward) or of an addition of two
such tensors (backward), as torch does them, divided by ours: a yardstick rather than a bound, for
stores past the caches may do better. For attention it is a product of matrices with as many
multiplications: 1 would be the speed of the best one that torch has.

The default allocator of glibc gives what is larger than 32 MiB back to the system at once, so that
each call pays for new pages: then no kernel can win, see the handbook. This script starts itself
again with thresholds that keep memory; ``--default-allocator`` leaves them as they are.

``--isa avx2`` limits torch and the kernels to AVX2, as ``isa.py`` says.
"""

import argparse
import json
import math
import os
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import isa
from benchmarks.kernel_tasks import Task, tasks_of
from benchmarks.machine import describe, need_compiler
from torchstone import kernels
from torchstone.kernels.library import instruction_set

TUNABLES = "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=8589934592"

Times = dict[str, list[float]]
Results = dict[str, dict[str, Any]]


def measure(task: Task, rounds: int, clock: Callable[[], float]) -> Times:
    """Time everything in each round, in an order that is drawn."""
    calls = {name: getattr(task, name) for name in ("ours", "eager", "compiled", "limit")}
    for call in calls.values():
        call()
    times: Times = {name: [] for name in calls}
    for _ in range(rounds):
        for name in random.sample(sorted(calls), len(calls)):
            start = clock()
            calls[name]()
            times[name].append(clock() - start)
    return times


def tell(task: Task, times: Times) -> dict[str, float]:
    """Return ratios of medians, the spread of ours, and the errors."""
    median = {name: statistics.median(each) for name, each in times.items()}
    lower, _, upper = statistics.quantiles(times["ours"], n=4)
    error, torch_error = task.errors()
    return {
        "ratio_eager": median["eager"] / median["ours"],
        "ratio_compiled": median["compiled"] / median["ours"],
        "limit_share": median["limit"] / median["ours"],
        "ms": median["ours"] * 1e3,
        "spread": (upper - lower) / median["ours"],
        "error": error,
        "torch_error": torch_error,
    }


def run(rounds: int, num_threads: int, names: list[str]) -> Results:
    """Measure everything with a number of threads."""
    torch.set_num_threads(num_threads)
    clock = time.process_time if num_threads == 1 else time.perf_counter
    result: Results = {}
    for dtype in (torch.float32, torch.bfloat16):
        for shape, name, task in tasks_of(dtype, names):
            told = tell(task, measure(task, rounds, clock))
            of_dtype = result.setdefault(name, {}).setdefault(str(dtype)[6:], {})
            of_dtype["x".join(map(str, shape))] = told
            values = "  ".join(f"{key} {value:.3g}" for key, value in told.items())
            _say(f"{name} {dtype} {shape}: {values}")
    for of_op in result.values():
        for of_dtype in of_op.values():
            best = [min(each["ratio_eager"], each["ratio_compiled"]) for each in of_dtype.values()]
            of_dtype["geometric_mean"] = math.exp(statistics.mean(map(math.log, best)))
            of_dtype["smallest"] = min(best)
    return result


def run_quickly() -> None:
    """Measure the first task once; what takes torch.compile is left out."""
    kernels.load()
    torch.set_num_threads(1)
    _, name, task = next(tasks_of(torch.float32, []))
    times: Times = {each: [] for each in ("ours", "eager", "limit")}
    for each, seconds in times.items():
        start = time.process_time()
        getattr(task, each)()
        seconds.append(time.process_time() - start)
    _say(f"{name}: " + "  ".join(f"{each} {seconds[0]:.3g} s" for each, seconds in times.items()))
    machine = describe_machine(keeps_memory=False, is_quick=True)
    _say(" ".join(f"{key}={value}" for key, value in machine.items()))


def describe_machine(*, keeps_memory: bool, is_quick: bool = False) -> dict[str, Any]:
    """Print the machine and its load."""
    return {
        **describe(),
        "instruction_set": instruction_set(),
        "libraries": isa.told(isa.in_force(is_quick=is_quick)),
        "allocator": "keeps memory" if keeps_memory else "default",
    }


def main() -> None:
    """Parse the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="operators; all by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--isa", choices=isa.CHOICES, default=isa.chosen())
    parser.add_argument("--default-allocator", action="store_true")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    options = parser.parse_args()
    need_compiler()
    # By default the library has the best set alone.
    sets = {} if options.isa == "native" else {"TORCHSTONE_KERNEL_SETS": "all"}
    wanted = (
        isa.VARIABLES[options.isa]
        | sets
        | ({} if options.default_allocator or options.quick else {"GLIBC_TUNABLES": TUNABLES})
    )
    if not wanted.items() <= os.environ.items():
        isa.limit(options.isa)
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | wanted)
    kernels.load()
    if options.isa != "native":
        instruction_set(options.isa)
    if options.quick:
        run_quickly()
        return
    about = describe_machine(keeps_memory=not options.default_allocator)
    _say(" ".join(f"{key}={value}" for key, value in about.items()))
    told = {
        f"threads_{count}": run(options.rounds, count, options.names)
        for count in dict.fromkeys(options.threads)
    }
    if options.json:
        # What one thread does stands at the top, by the names of the operators.
        whole = {**told.pop("threads_1", {}), **told, "about": about}
        sys.stdout.write(json.dumps(whole) + "\n")


def _say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
