"""Measure what limits MicroTorch's training steps, and whether they leak memory.

``python benchmarks/microtorch_limits.py`` takes a step of each task of ``microtorch.py`` apart, and
times in the same process, in turns with the step, what no implementation in NumPy can do without:

- products: the very matrix products of the step, by ``np.matmul`` alone, and a large square one;
- traffic: copies of as many bytes as the other operations read and write, each array once;
- Python: the same step on next to no data, which is the overhead of its calls.

What is left of the step beyond their sum is passes that are made more than once, or slower than a
copy. Of the chain, NumPy's additions are the limit and everything else is Python. With one thread
it is processor time, with two the time that passes; medians over rounds.

``--steady`` trains a small network 100 000 steps, and prints memory and live objects on the way.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import os
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks import isa
from benchmarks.machine import describe, summary
from benchmarks.microtorch import CHAIN_LENGTH, in_process, make_model, make_step

TASKS = ("mlp", "cnn", "conv", "chain")
SQUARE = 1024
# How long each measurement of a round takes at least.
TURN_SECONDS = 0.05
STEADY_STEPS = 100_000
# Parts of the way at which memory is looked at.
STATIONS = (0.1, 0.5, 1.0)

Product = tuple[Any, Any, Any]
# Bytes that an operation reads and writes.
Pass = tuple[str, int]


def record_products(step: Callable[[], Any]) -> list[Product]:
    """Return operands and results of all matrix products of a step, with their memory layout."""
    import numpy as np

    found: list[Product] = []
    kept = {name: getattr(np, name) for name in ("dot", "matmul")}

    def recording(multiply: Any) -> Any:
        def record(left: Any, right: Any, out: Any = None) -> Any:
            result = multiply(left, right) if out is None else multiply(left, right, out=out)
            if np.ndim(left) and np.ndim(right):
                found.append((left, right, result))
            return result

        return record

    for name, multiply in kept.items():
        setattr(np, name, recording(multiply))
    try:
        step()
    finally:
        for name, multiply in kept.items():
            setattr(np, name, multiply)
    return found


def count_flops(products: list[Product]) -> int:
    """Count multiplications and additions."""
    return sum(2 * result.size * left.shape[-1] for left, _, result in products)


def _convolution(module: Any, inputs: int, outputs: int, is_first: bool) -> list[int]:
    kernel = math.prod(module.kernel_size)
    patches, own_patches = inputs * (1 + kernel), outputs * (1 + kernel)
    # Patches for the value and for the gradient of the weight, those of the gradient; the bias.
    return [patches, patches, 0 if is_first else own_patches, 2 * outputs]


def _passes_of(module: Any, inputs: int, outputs: int, is_first: bool) -> list[int]:
    """Return the bytes that the passes of a layer move, there and back, its products aside."""
    name = type(module).__name__
    if name == "Conv2d":
        return _convolution(module, inputs, outputs, is_first)
    if name == "Linear":
        # The bias; its gradient is a product.
        return [2 * outputs]
    if name == "Flatten":
        # Channels lie last, and have to be turned round.
        return [2 * inputs, 2 * inputs]
    # ReLU and MaxPool2d: back, they look at the gradient, and at what came in and out.
    back = 2 * outputs + 2 * inputs if name == "MaxPool2d" else 3 * inputs
    return [inputs + outputs, back]


def count_traffic(model: Any, x: Any, task: str) -> list[Pass]:
    """List what the operations of a step read and write, each array once."""
    found: list[Pass] = []
    layers = [layer for layer in model if task != "conv" or type(layer).__name__ == "Conv2d"]
    for number, layer in enumerate(layers):
        y = layer(x)
        inputs, outputs = (each.numel() * each.element_size() for each in (x, y))
        for moved in _passes_of(layer, inputs, outputs, number == 0):
            found.append((type(layer).__name__, moved))
        x = y
    if task != "conv":
        weights = sum(each.numel() * each.element_size() for each in model.parameters())
        # SGD reads weights and gradients and writes weights; Adam has two means besides.
        found.append(("optimizer", weights * (3 if task == "mlp" else 7)))
    return [each for each in found if each[1]]


def make_copies(passes: list[Pass]) -> Callable[[], None]:
    """Return a function that copies as many bytes as the passes move, one after the other."""
    import numpy as np

    from torchstone.microtorch.ops.correlation import CHUNK_BYTES

    counts: list[int] = []
    for name, moved in passes:
        # A copy of n bytes reads n and writes n. Patches are made a few at a time, in the cache.
        pieces = -(-moved // (2 * CHUNK_BYTES)) if name == "Conv2d" else 1
        counts += [moved // (8 * pieces)] * pieces
    source, target = np.ones(max(counts), np.float32), np.ones(max(counts), np.float32)
    pairs = [(target[:count], source[:count]) for count in counts]

    def copy() -> None:
        for into, out_of in pairs:
            np.copyto(into, out_of)

    return copy


def make_products(products: list[Product]) -> Callable[[], None]:
    """Return a function that makes the products again, those of one shape in the same memory."""
    import numpy as np

    known: dict[Any, Product] = {}
    places: list[Product] = []
    for left, right, result in products:
        key = left.shape, left.strides, right.shape, right.strides
        if key not in known:
            known[key] = left, right, np.empty_like(result)
        places.append(known[key])

    def multiply() -> None:
        for left, right, place in places:
            np.matmul(left, right, out=place)

    return multiply


def make_additions() -> Callable[[], None]:
    """Return a function that makes the additions of the chain: there new arrays, back in place."""
    import numpy as np

    one, add = np.ones(1, np.float32), np.add

    def additions() -> None:
        for _ in range(CHAIN_LENGTH):
            y = add(one, one)
        for _ in range(CHAIN_LENGTH):
            add(y, one, out=y)

    return additions


def seconds_of(function: Callable[[], Any], clock: Callable[[], float]) -> float:
    """Time a call, repeated until the clock has moved enough."""
    begun, count = clock(), 0
    while (passed := clock() - begun) < TURN_SECONDS:
        function()
        count += 1
    return passed / count


def take_apart(task: str, rounds: int, clock: Callable[[], float]) -> dict[str, Any]:
    """Time a step and its parts in turns."""
    import numpy as np

    import torchstone.microtorch as micro

    step = make_step(micro, task)
    square = np.ones((SQUARE, SQUARE), np.float32)
    subjects: dict[str, Callable[[], Any]] = {"step": step}
    amounts: dict[str, Any] = {"mflop": 0.0, "mb": 0.0}
    if task == "chain":
        subjects["additions"] = make_additions()
    else:
        step()
        products = record_products(step)
        model, _, x, _ = make_model(micro, task)
        passes = count_traffic(model, x, task)
        totals: Counter[str] = Counter()
        for name, moved in passes:
            totals[name] += moved
        amounts = {
            "mflop": count_flops(products) / 1e6,
            "mb": sum(totals.values()) / 1e6,
            "mb_of": {name: moved / 1e6 for name, moved in totals.items()},
        }
        subjects["products"] = make_products(products)
        subjects["traffic"] = make_copies(passes)
        subjects["Python"] = make_step(micro, task, is_tiny=True)
        subjects["square"] = lambda: square @ square
    times: dict[str, list[float]] = {name: [] for name in subjects}
    for _ in range(rounds):
        for name, function in subjects.items():
            times[name].append(seconds_of(function, clock))
    medians = {name: statistics.median(each) for name, each in times.items()}
    return amounts | {"seconds": medians, "low": min(times["step"]), "high": max(times["step"])}


def lines_of(task: str, found: dict[str, Any]) -> list[str]:
    """Write what limits one task."""
    seconds = dict(found["seconds"])
    step, square = seconds.pop("step"), seconds.pop("square", None)
    if task == "chain":
        seconds["Python"] = step - seconds["additions"]
    notes = {"additions": f"{2 * CHAIN_LENGTH} calls of np.add", "Python": ""}
    if square is not None:
        peak, rate = 2e-9 * SQUARE**3 / square, found["mflop"] / seconds["products"] / 1e3
        notes["products"] = (
            f"{found['mflop']:.0f} MFLOP at {rate:.0f} GFLOP/s; a square one of {SQUARE} at "
            f"{peak:.0f}, the whole step at {found['mflop'] / step / 1e3:.0f}"
        )
        notes["traffic"] = (
            f"{found['mb']:.1f} MB at {found['mb'] / seconds['traffic'] / 1e3:.0f} GB/s"
        )
    lines = [
        f"{task:10} {1000 * step:9.3f} ms   [{1000 * found['low']:.3f} to "
        f"{1000 * found['high']:.3f}]"
    ]
    seconds["sum"] = sum(seconds.values())
    for name, each in seconds.items():
        lines.append(f"  {name:10} {1000 * each:7.3f} ms {each / step:5.0%}  {notes.get(name, '')}")
    return lines


def resident_mb() -> float:
    """Return the memory that the process has now."""
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def look(steps: int) -> dict[str, Any]:
    """Weigh the process and count the objects that live, before anything is collected."""
    from torchstone.microtorch.autograd.node import Node
    from torchstone.microtorch.tensor import Tensor

    objects = gc.get_objects()
    return {
        "steps": steps,
        "mb": resident_mb(),
        "tensors": sum(isinstance(each, Tensor) for each in objects),
        "nodes": sum(isinstance(each, Node) for each in objects),
    }


def train_steadily(steps: int) -> dict[str, Any]:
    """Train a small network for long; nothing may be left behind, with no collector to help."""
    import torchstone.microtorch as micro

    nn = micro.nn
    micro.manual_seed(0)
    model = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Dropout(0.1), nn.Linear(32, 4))
    optimizer = micro.optim.Adam(model.parameters(), lr=1e-3)
    x, labels = micro.randn(8, 16), micro.randint(0, 4, (8,))
    gc.collect()
    # What goes when its last reference goes needs no collector; cycles would pile up.
    gc.disable()
    begun, stations, looks = time.perf_counter(), [int(part * steps) for part in STATIONS], []
    for number in range(1, steps + 1):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), labels).backward()
        optimizer.step()
        if number in stations:
            looks.append(look(number))
    seconds = time.perf_counter() - begun
    gc.enable()
    return {"looks": looks, "seconds": seconds, "in_cycles": gc.collect()}


def print_steady(found: dict[str, Any]) -> None:
    """Write how memory went on."""
    first, *_, last = found["looks"]
    for each in found["looks"]:
        sys.stdout.write(
            f"{each['steps']:8} steps  {each['mb']:7.2f} MB  {each['tensors']} tensors, "
            f"{each['nodes']} nodes\n"
        )
    sys.stdout.write(
        f"growth {last['mb'] - first['mb']:.2f} MB; {found['in_cycles']} objects in cycles; "
        f"{found['seconds']:.0f} s\n"
    )


def run_part(what: str, rounds: int) -> Any:
    """Do in this process what ``in_process`` asks for."""
    if what == "steady":
        return train_steadily(rounds)
    is_alone = os.environ["OMP_NUM_THREADS"] == "1"
    return take_apart(what, rounds, time.process_time if is_alone else time.perf_counter)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Say what limits MicroTorch's training steps.")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--isa", choices=isa.CHOICES, default=isa.chosen())
    parser.add_argument("--steady", action="store_true", help="train 100 000 steps instead")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs="*", help=argparse.SUPPRESS)
    given = parser.parse_args()
    isa.limit(given.isa)
    if given.part:
        sys.stdout.write(json.dumps(run_part(given.part, int(given.arguments[0]))) + "\n")
        return 0
    before = os.getloadavg()[0]
    shown = TASKS[:1] if given.quick else TASKS
    tasks = ("steady",) if given.steady else shown
    count = STEADY_STEPS if given.steady else given.rounds
    if given.quick:
        count = 100 if given.steady else 1
    found = {task: in_process(task, given.threads, str(count), script=__file__) for task in tasks}
    if given.json:
        sys.stdout.write(json.dumps(found) + "\n")
        return 0
    if given.steady:
        print_steady(found["steady"])
    else:
        sys.stdout.write("\n".join(line for task in shown for line in lines_of(task, found[task])))
        sys.stdout.write("\n")
    sys.stdout.write(
        f"load {before:.1f} at the start; {summary(describe(threads=given.threads))}\n"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
