"""Measure MicroTorch beside other frameworks that train on a processor: mygrad, tinygrad, jax.

``python benchmarks/microtorch_peers.py --peers PYTHON``, the interpreter of an environment that has
them (``python -m venv peers; peers/bin/pip install mygrad tinygrad jax``; tinygrad wants ``clang``
on the path). Each framework trains the network of ``microtorch.py``, written as its own manual
writes it, from the same weights on the same batch, in a process of its own; all processes are bound
to one core, and take turns. The figure is PyTorch's processor time over that of the framework in
the same round: higher is better. Each chain of additions is taken operation by operation; a
compiler would leave nothing of it. A framework that is not there is named.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import describe, summary
from benchmarks.microtorch import environment, make_model
from benchmarks.microtorch_frameworks import FRAMEWORKS, Given

TASKS = ("mlp", "cnn", "chain")
# Those that this interpreter has.
OWN = ("torch", "microtorch")
VARIABLES = {
    "DEV": "CPU",
    "JAX_PLATFORMS": "cpu",
    # What MicroTorch tells the C library: all keep freed memory, as in ``microtorch.py`` both do.
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**31 - 1),
}


def given_arrays(task: str) -> Given:
    """Return PyTorch's weights for the seed, and the batch: ``p0``, ``p1`` ..., x, labels."""
    import torchstone.microtorch as micro

    if task == "chain":
        return {}
    model, _, x, labels = make_model(micro, task)
    arrays = {f"p{n}": each.detach().numpy() for n, each in enumerate(model.parameters())}
    return arrays | {"x": x.numpy(), "labels": labels.numpy()}


class Worker:
    """A process that trains with one framework.

    Attributes:
        fault: Why it cannot, in a line; empty if it can.
        about: What it said of itself.
    """

    def __init__(self, name: str, python: str, task: str, path: str) -> None:
        self.name = name
        self._log: IO[str] = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(
            [python, str(Path(__file__).with_name("microtorch_frameworks.py")), name, task, path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=environment(1) | VARIABLES,
            text=True,
            preexec_fn=lambda: os.sched_setaffinity(0, [max(os.sched_getaffinity(0))]),
        )
        assert self._process.stdout is not None
        first = self._process.stdout.readline()
        self.about: dict[str, Any] = json.loads(first) if first else {}
        self.fault = "" if first else self._last_words()
        self.times: list[float] = []

    def take_turn(self) -> None:
        """Let it train, while the others wait."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{self.about['steps']}\n")
        self._process.stdin.flush()
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"{self.name} ended on its way: {self._last_words()}")
        self.times.append(float(answer))

    def close(self) -> None:
        """Let it end."""
        self._process.communicate()
        self._log.close()

    def _last_words(self) -> str:
        self._process.wait()
        self._log.seek(0)
        lines = self._log.read().strip().splitlines()
        self._log.close()
        return lines[-1] if lines else f"ended with {self._process.returncode}"


def measure(task: str, rounds: int, python: str) -> dict[str, dict[str, Any]]:
    """Let all frameworks train in turns; give what was found of each."""
    import numpy as np

    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "given.npz")
        np.savez(path, **given_arrays(task))
        workers = {
            name: Worker(name, sys.executable if name in OWN else python, task, path)
            for name in FRAMEWORKS
        }
    able = [worker for worker in workers.values() if not worker.fault]
    for number in range(rounds):
        # Nobody always follows the same one.
        first = number % len(able)
        for worker in able[first:] + able[:first]:
            worker.take_turn()
    for worker in able:
        worker.close()
    return {name: report(worker, workers["torch"]) for name, worker in workers.items()}


def report(worker: Worker, torch: Worker) -> dict[str, Any]:
    """Put the times of a framework beside PyTorch's."""
    if worker.fault or torch.fault:
        return {"fault": worker.fault or f"nothing to compare with: {torch.fault}"}
    ratios = [one / other for one, other in zip(torch.times, worker.times, strict=True)]
    pairs = zip(worker.about["losses"], torch.about["losses"], strict=True)
    return {
        "version": worker.about["version"].partition("+")[0],
        "ms": 1000 * statistics.median(worker.times),
        "ratio": statistics.median(ratios),
        "low": min(ratios),
        "high": max(ratios),
        "off_by": max(abs(one - other) for one, other in pairs),
    }


def lines_of(task: str, found: dict[str, dict[str, Any]]) -> list[str]:
    """Write a table: the frameworks of one task."""
    lines = [f"{task:10} {'version':9} {'ms a step':>9} {'ratio':>6}  {'spread':16} loss off by"]
    for name, each in found.items():
        if "fault" in each:
            lines.append(f"{name:10} not measured: {each['fault']}")
            continue
        spread = f"{each['low']:.3f} to {each['high']:.3f}"
        lines.append(
            f"{name:10} {each['version']:9.9} {each['ms']:9.3f} {each['ratio']:6.3f}  {spread:16} "
            f"{each['off_by']:.0e}"
        )
    return lines


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Measure MicroTorch beside other frameworks.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--peers", default=sys.executable, help="a Python that has the others")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    given = parser.parse_args()
    if not shutil.which(given.peers):
        parser.error(f"--peers: {given.peers} is no program")
    before = os.getloadavg()[0]
    tasks = TASKS[:1] if given.quick else TASKS
    found = {task: measure(task, 1 if given.quick else given.rounds, given.peers) for task in tasks}
    if given.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return 0
    for task in tasks:
        sys.stdout.write("\n".join(lines_of(task, found[task])) + "\n\n")
    sys.stdout.write(f"load {before:.1f} at the start; {summary(describe(threads=1))}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
