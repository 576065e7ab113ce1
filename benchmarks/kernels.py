"""Measure the kernels beside plain PyTorch, eager and compiled, and beside the machine's limit.

    python benchmarks/kernels.py --json

All that is compared runs in one process, interleaved, in another order each round. With one thread
a time is CPU time of the process, which others on the machine disturb least; with several it is
wall time. ``limit_share`` is the time of a copy (forward) or an addition (backward) of the same
tensors, divided by ours: 1 would be the speed of memory.

The default allocator of glibc gives what is larger than 32 MiB back to the system at once, so that
each call pays for new pages: then no kernel can win, see the handbook. This script starts itself
again with thresholds that keep memory; ``--default-allocator`` leaves them as they are.
"""

import argparse
import json
import math
import os
import platform
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from torchstone import kernels
from torchstone.kernels.library import instruction_set

OURS, ATEN = torch.ops.torchstone, torch.ops.aten
TUNABLES = "glibc.malloc.mmap_threshold=4294967296:glibc.malloc.trim_threshold=8589934592"
SHAPES = ((4096, 768), (4096, 4096), (16384, 768))

Call = Callable[..., Tensor]
Times = dict[str, list[float]]
Results = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Task:
    """What is measured for an operator, a dtype and a shape.

    Attributes:
        ours: The kernel.
        eager: PyTorch's own.
        compiled: The same under ``torch.compile``.
        limit: What moves the same bytes and computes nothing.
        errors: The largest relative errors of a result of ours and of PyTorch's, against float64.
    """

    ours: Callable[[], object]
    eager: Callable[[], object]
    compiled: Callable[[], object]
    limit: Callable[[], object]
    errors: Callable[[], tuple[float, float]]


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
    """Give ratios of medians, the spread of ours, and the errors."""
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


class LayerNorm:
    """Tensors of a shape and a dtype, and what is done with them."""

    def __init__(self, shape: tuple[int, int], dtype: Any) -> None:
        width = shape[1]
        self.shape = [width]
        self.x, self.grad = torch.randn(shape).to(dtype), torch.randn(shape).to(dtype)
        self.weight, self.bias = torch.randn(width).to(dtype), torch.randn(width).to(dtype)
        _, mean, rstd = OURS.layer_norm(self.x, self.weight, self.bias, 1, 1e-5)
        self.arguments = (self.grad, None, self.x, mean, rstd, self.weight, 1, True)
        _, mean, rstd = ATEN.native_layer_norm(self.x, self.shape, self.weight, self.bias, 1e-5)
        self.theirs = (
            self.grad,
            self.x,
            self.shape,
            mean,
            rstd,
            self.weight,
            self.bias,
            [True] * 3,
        )
        self.compiled_forward = torch.compile(self.forward)
        self.compiled_backward = torch.compile(ATEN.native_layer_norm_backward)

    def forward(self, x: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Call PyTorch's own."""
        return functional.layer_norm(x, self.shape, weight, bias)

    def errors_forward(self) -> tuple[float, float]:
        """Give our relative error and PyTorch's."""
        leaves = (self.x, self.weight, self.bias)
        truth = self.forward(*(each.double() for each in leaves))
        ours = OURS.layer_norm(*leaves, 1, 1e-5)[0]
        return _relative(ours, truth), _relative(self.forward(*leaves), truth)

    def errors_backward(self) -> tuple[float, float]:
        """Give those of the gradients of the parameters; those of the input are smaller."""
        leaves = [each.double().requires_grad_() for each in (self.x, self.weight, self.bias)]
        truths = torch.autograd.grad(self.forward(*leaves), leaves, self.grad.double())[1:]
        ours = OURS.layer_norm_backward(*self.arguments)[1:]
        theirs = ATEN.native_layer_norm_backward(*self.theirs)[1:]
        return max(map(_relative, ours, truths)), max(map(_relative, theirs, truths))

    def tasks(self) -> dict[str, Task]:
        """Give what is measured, by the name of the operator."""
        leaves = (self.x, self.weight, self.bias)
        return {
            "layer_norm_forward": Task(
                ours=lambda: OURS.layer_norm(*leaves, 1, 1e-5),
                eager=lambda: self.forward(*leaves),
                compiled=lambda: self.compiled_forward(*leaves),
                limit=self.x.clone,
                errors=self.errors_forward,
            ),
            "layer_norm_backward": Task(
                ours=lambda: OURS.layer_norm_backward(*self.arguments),
                eager=lambda: ATEN.native_layer_norm_backward(*self.theirs),
                compiled=lambda: self.compiled_backward(*self.theirs),
                limit=lambda: torch.add(self.grad, self.x),
                errors=self.errors_backward,
            ),
        }


def _forwards(shape: tuple[int, int], dtype: Any) -> dict[str, Task]:
    """Make the tasks of the other operators, forward."""
    rows, width = shape
    x, y = torch.randn(shape).to(dtype), torch.randn(shape).to(dtype)
    weight, bias = torch.randn(width).to(dtype), torch.randn(width).to(dtype)
    target = torch.randint(width, (rows,))
    pairs: dict[str, tuple[Call, Call, tuple[Tensor, ...]]] = {
        "rms_norm_forward": (
            lambda x, w: OURS.rms_norm(x, w, 1, 1e-5)[0],
            lambda x, w: functional.rms_norm(x, (width,), w, 1e-5),
            (x, weight),
        ),
        "add_rms_norm_forward": (
            lambda x, y, w: OURS.add_rms_norm(x, y, w, 1, 1e-5)[0],
            lambda x, y, w: functional.rms_norm(x + y, (width,), w, 1e-5),
            (x, y, weight),
        ),
        "softmax_forward": (OURS.softmax, lambda x: functional.softmax(x, -1), (x,)),
        "bias_gelu_forward": (
            OURS.bias_gelu,
            lambda x, b: functional.gelu(x + b, approximate="tanh"),
            (x, bias),
        ),
        "swiglu_forward": (OURS.swiglu, lambda x, y: functional.silu(x) * y, (x, y)),
        "cross_entropy_forward": (
            lambda x: OURS.cross_entropy(x, target, -100, 0.0)[0],
            lambda x: functional.cross_entropy(x, target, reduction="none"),
            (x,),
        ),
    }
    return {name: _forward(*pair) for name, pair in pairs.items()}


def _forward(ours: Call, theirs: Call, tensors: tuple[Tensor, ...]) -> Task:
    compiled = torch.compile(theirs)

    def errors() -> tuple[float, float]:
        truth = theirs(*(each.double() for each in tensors))
        return _relative(ours(*tensors), truth), _relative(theirs(*tensors), truth)

    return Task(
        ours=lambda: ours(*tensors),
        eager=lambda: theirs(*tensors),
        compiled=lambda: compiled(*tensors),
        limit=tensors[0].clone,
        errors=errors,
    )


def _relative(result: Any, truth: Any) -> float:
    """Give the error in the norm: one number for all of a tensor."""
    return float((result.double() - truth).norm() / truth.norm())


def run(rounds: int, num_threads: int, names: list[str]) -> Results:
    """Measure everything with a number of threads."""
    torch.set_num_threads(num_threads)
    clock = time.process_time if num_threads == 1 else time.perf_counter
    result: Results = {}
    for dtype in (torch.float32, torch.bfloat16):
        for shape in SHAPES:
            tasks = LayerNorm(shape, dtype).tasks() | _forwards(shape, dtype)
            for name, task in tasks.items():
                if names and name not in names:
                    continue
                told = tell(task, measure(task, rounds, clock))
                of_dtype = result.setdefault(name, {}).setdefault(str(dtype)[6:], {})
                of_dtype[f"{shape[0]}x{shape[1]}"] = told
                values = "  ".join(f"{key} {value:.3g}" for key, value in told.items())
                _say(f"{name} {dtype} {shape}: {values}")
    for of_op in result.values():
        for of_dtype in of_op.values():
            best = [min(each["ratio_eager"], each["ratio_compiled"]) for each in of_dtype.values()]
            of_dtype["geometric_mean"] = math.exp(statistics.mean(map(math.log, best)))
            of_dtype["smallest"] = min(best)
    return result


def main() -> None:
    """Parse the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="operators; all by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, nargs="*", default=[1, os.cpu_count() or 1])
    parser.add_argument("--default-allocator", action="store_true")
    options = parser.parse_args()
    if not options.default_allocator and os.environ.get("GLIBC_TUNABLES") != TUNABLES:
        os.environ["GLIBC_TUNABLES"] = TUNABLES
        os.execv(sys.executable, [sys.executable, *sys.argv])
    kernels.load()
    about = {
        "machine": platform.machine(),
        "instruction_set": instruction_set(),
        "torch": torch.__version__,
        "load": os.getloadavg()[0],
        "allocator": "default" if options.default_allocator else "keeps memory",
    }
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
