"""Measure MicroTorch beside PyTorch: time of training steps, memory, start-up.

``python benchmarks/microtorch.py --json`` prints one object; without ``--json`` a table with the
goals. Every ratio is PyTorch's time over ours: higher is better. Both train the same network, in
the same plain source, from the same weights, on the same resident batch; their runs alternate in
one process. With one thread it is the CPU time of the process, with two the time that passes. The
figure is the median over rounds, with the lowest and highest. ``--isa avx2`` limits all libraries
to AVX2, as ``isa.py`` says.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import isa
from benchmarks.machine import describe, summary

ROOT = Path(__file__).resolve().parent.parent

# Key of the result -> its goal; those in UPPER are upper bounds, the others lower ones.
GOALS = {
    "mlp_ratio_1t": 1.05,
    "mlp_ratio_2t": 1.05,
    "cnn_ratio_1t": 0.85,
    "cnn_ratio_2t": None,
    "cnn_numba_ratio_1t": 1.05,
    "conv_ratio_1t": None,
    "chain_ratio": 1.18,
    "mlp_peak_mb": 6,
    "cnn_peak_mb": 45,
    "import_s": 0.15,
    "import_mb": 50,
}
UPPER = ("mlp_peak_mb", "cnn_peak_mb", "import_s", "import_mb")
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
)
# Steps in a row of one framework before the other's turn.
STEPS = {"mlp": 100, "cnn": 10, "conv": 10, "chain": 10}
CHAIN_LENGTH = 1000


def make_model(torch: Any, task: str, *, is_tiny: bool = False) -> tuple[Any, Any, Any, Any]:
    """Return a network, its optimiser and a batch; ``tiny`` makes all of them small."""
    nn = torch.nn
    torch.manual_seed(0)
    if task == "mlp":
        batch, *widths = (1, 1, 1, 1, 1) if is_tiny else (128, 784, 256, 128, 10)
        model = nn.Sequential(
            nn.Linear(widths[0], widths[1]),
            nn.ReLU(),
            nn.Linear(widths[1], widths[2]),
            nn.ReLU(),
            nn.Linear(widths[2], widths[3]),
        )
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        x, labels = torch.randn(batch, widths[0]), torch.randint(0, widths[3], (batch,))
        return model, optimizer, x, labels
    batch, side, *channels = (1, 4, 4, 4) if is_tiny else (64, 28, 16, 32)
    model = nn.Sequential(
        nn.Conv2d(1, channels[0], 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(channels[0], channels[1], 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(channels[1] * (side // 4) ** 2, 10),
    )
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    return model, optimizer, torch.randn(batch, 1, side, side), torch.randint(0, 10, (batch,))


def make_step(torch: Any, task: str, *, is_tiny: bool = False) -> Callable[[], Any]:
    """Return one training step of a task in one framework."""
    if task == "chain":
        x = torch.ones(1, requires_grad=True)

        def chain() -> Any:
            y = x
            for _ in range(CHAIN_LENGTH):
                y = y + x
            y.backward()
            x.grad = None

        return chain
    model, optimizer, x, labels = make_model(torch, task, is_tiny=is_tiny)
    if task == "conv":
        convolutions = torch.nn.Sequential(model[0], model[3])

        def conv() -> Any:
            convolutions.zero_grad()
            convolutions(x).sum().backward()

        return conv

    def step() -> Any:
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), labels)
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def compare(task: str, rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Time both frameworks in turn."""
    import torch

    import torchstone.microtorch as micro

    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    steps = {"torch": make_step(torch, task), "micro": make_step(micro, task)}
    losses = {name: [step() for _ in range(3)] for name, step in steps.items()}
    times: dict[str, list[float]] = {name: [] for name in steps}
    for number in range(rounds):
        order = list(steps) if number % 2 else list(reversed(steps))
        for name in order:
            # The threads of the other spin for a while before they sleep, on a core that is needed.
            for _ in range(STEPS[task] // 2):
                steps[name]()
            begun = clock()
            for _ in range(STEPS[task]):
                steps[name]()
            times[name].append((clock() - begun) / STEPS[task])
    ratios = [one / other for one, other in zip(times["torch"], times["micro"], strict=True)]
    return {
        "ratio": statistics.median(ratios),
        "low": min(ratios),
        "high": max(ratios),
        "torch_ms": 1000 * statistics.median(times["torch"]),
        "micro_ms": 1000 * statistics.median(times["micro"]),
        "losses": losses,
    }


def peak(task: str) -> float:
    """Return how many MB a few steps take over what the import took."""
    import torchstone.microtorch as micro

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    step = make_step(micro, task)
    for _ in range(6):
        step()
    return (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024


def start_up() -> dict[str, float]:
    """Time the import, and weigh the process after it."""
    begun = time.perf_counter()
    import torchstone.microtorch  # noqa: F401

    seconds = time.perf_counter() - begun
    return {"s": seconds, "mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}


def environment(threads: int) -> dict[str, str]:
    """Return the variables of a process that has so many threads."""
    given = os.environ | dict.fromkeys(THREAD_VARIABLES, str(threads))
    # Each library chooses kernels for the processor by itself, unless ``--isa`` limits them all.
    free = {name: value for name, value in given.items() if not name.startswith("OPENBLAS_CORE")}
    return free | isa.variables()


def in_process(
    what: str, threads: int, *arguments: str, script: str = __file__, **variables: str
) -> Any:
    """Run a part of the measurement in a process of its own, bound to as many cores."""
    cores = sorted(os.sched_getaffinity(0))[-threads:]
    result = subprocess.run(
        [sys.executable, script, "--part", what, *arguments],
        env=environment(threads) | variables,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )
    if result.returncode:
        raise SystemExit(f"{what}: {result.stderr}")
    return json.loads(result.stdout)


def measure_quickly() -> tuple[dict[str, float | None], dict[str, Any]]:
    """Return the figures of the shortest measurement alone, from one process."""
    both = in_process("quick", 1, "1")
    sys.stderr.write(isa.told(both["isa"]) + "\n")
    found = both["chain"]
    ratio = {"chain_ratio": round(found["ratio"], 3)}
    return {name: ratio.get(name) for name in GOALS}, {"chain_ratio": found}


def measure(rounds: int) -> tuple[dict[str, float | None], dict[str, Any]]:
    """Measure everything; give the figures, and what stands behind them."""
    details: dict[str, Any] = {}
    for task in ("mlp", "cnn"):
        for threads in (1, 2):
            details[f"{task}_ratio_{threads}t"] = in_process(task, threads, str(rounds))
    details["conv_ratio_1t"] = in_process("conv", 1, str(rounds))
    details["chain_ratio"] = in_process("chain", 1, str(rounds))
    if importlib.util.find_spec("numba") is None:
        sys.stderr.write("cnn_numba_ratio_1t is not measured: numba is not installed\n")
    else:
        details["cnn_numba_ratio_1t"] = in_process("cnn_numba", 1, str(rounds))
    figures: dict[str, float | None] = {
        name: round(found["ratio"], 3) for name, found in details.items()
    }
    for task in ("mlp", "cnn"):
        figures[f"{task}_peak_mb"] = round(in_process("peak", 1, task), 1)
    # The first run writes the bytecode, as an installation does.
    starts = [in_process("start", 1, PYTHONDONTWRITEBYTECODE="") for _ in range(6)][1:]
    figures["import_s"] = round(statistics.median(each["s"] for each in starts), 3)
    figures["import_mb"] = round(statistics.median(each["mb"] for each in starts), 1)
    return {name: figures.get(name) for name in GOALS}, details


def run_part(what: str, arguments: list[str]) -> Any:
    """Do what ``in_process`` asks for."""
    if what == "start":
        return start_up()
    if what == "isa":
        return isa.in_force()
    if what == "quick":
        return {"chain": run_part("chain", arguments), "isa": isa.in_force(is_quick=True)}
    if what == "peak":
        return peak(arguments[0])
    if what == "cnn_numba":
        from torchstone.microtorch import backends

        what = "cnn"
        backends.numba.enabled = True
    is_alone = os.environ["OMP_NUM_THREADS"] == "1"
    return compare(what, int(arguments[0]), time.process_time if is_alone else time.perf_counter)


def main() -> int:
    """Measure and print; 0 whether or not the goals are met."""
    parser = argparse.ArgumentParser(description="Measure MicroTorch beside PyTorch.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    parser.add_argument("--isa", choices=isa.CHOICES, default=isa.chosen())
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part:
        sys.stdout.write(json.dumps(run_part(given.part, given.arguments)) + "\n")
        return 0
    isa.limit(given.isa)
    if not given.quick:
        sys.stderr.write(isa.told(in_process("isa", 1)) + "\n")
    before = os.getloadavg()[0]
    figures, details = measure_quickly() if given.quick else measure(given.rounds)
    if given.json:
        sys.stdout.write(json.dumps(figures) + "\n")
        return 0
    for name, goal in GOALS.items():
        value, found = figures[name], details.get(name, {})
        spread = (
            f"  [{found['low']:.3f} to {found['high']:.3f}]  "
            f"{found['torch_ms']:.3f} / {found['micro_ms']:.3f} ms"
            if found
            else ""
        )
        wanted = "" if goal is None else f"  goal {'<=' if name in UPPER else '>='} {goal}"
        sys.stdout.write(f"{name:20} {value}{spread}{wanted}\n")
    sys.stdout.write(f"load {before:.1f} at the start; {summary(describe(threads=1))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
