"""Measure the kernels on a card: in Triton and in CUDA C++, beside PyTorch, eager and compiled.

    python benchmarks/gpu/kernels.py --json

Times are those of the card, between two events, after the cache was overwritten, and while the card
is behind what it is asked for, so that no launch is waited for; everything is interleaved, in
another order each round. ``copy_share`` is the share of the bandwidth of a copy of a GiB that the
bytes of an operator reach which it cannot do without; ``tflops`` are those of the multiplications
that a causal mask leaves. Without a card nothing is measured: one line says so, and the exit status
is 77.
"""

import argparse
import json
import math
import random
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from benchmarks.machine import describe, need_gpu
from torchstone import kernels
from torchstone.kernels import gpu, library

OURS, ATEN = torch.ops.torchstone, torch.ops.aten
# Rows and columns of norms and softmax; some 64 Mi numbers each.
SHAPES = ((65536, 1024), (16384, 4096), (8192, 8192), (4096, 16384))
# Batch, heads, places, head_dim; causal.
ATTENTION_SHAPES = ((2, 16, 4096, 64), (2, 16, 4096, 128), (1, 16, 16384, 128))
# The same to see that it works.
QUICK_SHAPES, QUICK_ATTENTION_SHAPES = ((64, 256),), ((1, 2, 128, 64),)
CACHE_BYTES = 256 << 20
# Of the product that is the limit of those of attention.
PRODUCT_WIDTH = 8192
# Cycles for which the card waits before each call: half a millisecond, more than Python takes.
WAIT_CYCLES = 1_000_000

Call = Callable[[], object]


@dataclass(frozen=True)
class Task:
    """An operator of ours, and PyTorch's.

    Attributes:
        name: The operator.
        ours: Our own; which backend serves it is chosen from outside.
        eager: PyTorch's own.
        compiled: The same under ``torch.compile``; none where that changes nothing.
        num_bytes: What has to be read and written at least.
        num_flops: Of the products.
    """

    name: str
    ours: Call
    eager: Call
    compiled: Call | None
    num_bytes: int
    num_flops: int = 0


def rows(shape: tuple[int, int], dtype: torch.dtype) -> list[Task]:
    """Make the tasks of the operators that work on rows."""
    x, grad = (torch.randn(shape, device="cuda").to(dtype) for _ in range(2))
    w, b = (torch.randn(shape[1], device="cuda").to(dtype) for _ in range(2))
    size, width = x.numel() * x.element_size(), [shape[1]]
    _, mean, rstd = OURS.layer_norm(x, w, b, 1, 1e-5)
    _, root = OURS.rms_norm(x, w, 1, 1e-5)
    theirs = ATEN.native_layer_norm(x, width, w, b, 1e-5)[1:]
    layer_norm = torch.compile(functional.layer_norm)
    rms_norm = torch.compile(functional.rms_norm)
    leaves = [each.clone().requires_grad_() for each in (x, w)]
    normalised = functional.rms_norm(leaves[0], width, leaves[1], 1e-5)
    backward = (grad, x, width, *theirs, w, b, [True] * 3)
    norms = [
        Task(
            "layer_norm_forward",
            lambda: OURS.layer_norm(x, w, b, 1, 1e-5),
            lambda: functional.layer_norm(x, width, w, b),
            lambda: layer_norm(x, width, w, b),
            2 * size,
        ),
        Task(
            "layer_norm_backward",
            lambda: OURS.layer_norm_backward(grad, None, x, mean, rstd, w, 1, True),
            lambda: ATEN.native_layer_norm_backward(*backward),
            None,
            3 * size,
        ),
        Task(
            "rms_norm_forward",
            lambda: OURS.rms_norm(x, w, 1, 1e-5),
            lambda: functional.rms_norm(x, width, w, 1e-5),
            lambda: rms_norm(x, width, w, 1e-5),
            2 * size,
        ),
        Task(
            "rms_norm_backward",
            lambda: OURS.rms_norm_backward(grad, None, x, root, w, 1, True),
            lambda: torch.autograd.grad(normalised, leaves, grad, retain_graph=True),
            None,
            3 * size,
        ),
    ]
    return norms + pointwise(x, grad, b)


def pointwise(x: Tensor, grad: Tensor, bias: Tensor) -> list[Task]:
    """Make the tasks of softmax and of GELU with a bias."""
    y, size = torch.softmax(x, -1), x.numel() * x.element_size()
    softmax, gelu = torch.compile(torch.softmax), torch.compile(_bias_gelu)
    return [
        Task(
            "softmax_forward",
            lambda: OURS.softmax(x),
            lambda: torch.softmax(x, -1),
            lambda: softmax(x, -1),
            2 * size,
        ),
        Task(
            "softmax_backward",
            lambda: OURS.softmax_backward(grad, y),
            lambda: ATEN._softmax_backward_data(grad, y, -1, x.dtype),
            None,
            3 * size,
        ),
        Task(
            "bias_gelu_forward",
            lambda: OURS.bias_gelu(x, bias),
            lambda: _bias_gelu(x, bias),
            lambda: gelu(x, bias),
            2 * size,
        ),
    ]


def _bias_gelu(x: Tensor, bias: Tensor) -> Tensor:
    return functional.gelu(x + bias, approximate="tanh")


def attention(shape: tuple[int, ...], dtype: torch.dtype) -> list[Task]:
    """Make the tasks of causal attention."""
    batch, heads, places, head_dim = shape
    leaves = [torch.randn(shape, device="cuda").to(dtype) for _ in range(3)]
    grad = torch.randn(shape, device="cuda").to(dtype)
    mask = (*[None] * 5, places, places, -1, 0, 1 / math.sqrt(head_dim), 0.0)
    kept = OURS.flash_attention(*leaves, *mask)
    theirs = [each.clone().requires_grad_() for each in leaves]
    out = _attend(*theirs)
    flops = 2 * batch * heads * places * places * head_dim
    size = grad.numel() * grad.element_size()
    return [
        Task(
            "flash_attention_forward",
            lambda: OURS.flash_attention(*leaves, *mask),
            lambda: _attend(*leaves),
            None,
            4 * size,
            flops,
        ),
        Task(
            "flash_attention_backward",
            lambda: OURS.flash_attention_backward(grad, *leaves, *kept, *mask),
            lambda: torch.autograd.grad(out, theirs, grad, retain_graph=True),
            None,
            8 * size,
            flops * 5 // 2,
        ),
    ]


def _attend(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    return functional.scaled_dot_product_attention(query, key, value, is_causal=True)


def milliseconds(call: Call, cache: Tensor) -> float:
    """Time one call on the card, with nothing of its inputs in the cache."""
    cache.zero_()
    torch.cuda._sleep(WAIT_CYCLES)
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    call()
    end.record()
    torch.cuda.synchronize()
    return float(begin.elapsed_time(end))


def copy_bandwidth(cache: Tensor) -> float:
    """Return the bytes a second that a copy of a GiB reads and writes."""
    source = torch.empty(1 << 30, dtype=torch.uint8, device="cuda")
    target = torch.empty_like(source)
    times = [milliseconds(lambda: target.copy_(source), cache) for _ in range(20)]
    return 2 * source.numel() / (statistics.median(times) / 1e3)


def product_rate(dtype: torch.dtype, cache: Tensor) -> float:
    """Return the operations a second of a product of large matrices, by PyTorch."""
    left, right = (
        torch.randn(PRODUCT_WIDTH, PRODUCT_WIDTH, device="cuda").to(dtype) for _ in range(2)
    )
    times = [milliseconds(lambda: left @ right, cache) for _ in range(13)]
    return 2 * PRODUCT_WIDTH**3 / (statistics.median(times[3:]) / 1e3)


def measure(task: Task, backends: list[str], rounds: int, cache: Tensor) -> dict[str, list[float]]:
    """Time everything in each round, in an order that is drawn."""
    operator = task.name.removesuffix("_forward")
    backends = [name for name in backends if operator in gpu.own_operators(name)]
    calls: dict[str, Call] = {"eager": task.eager}
    if task.compiled is not None:
        calls["compiled"] = task.compiled
    calls |= dict.fromkeys(backends, task.ours)
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(rounds + 3):
        for name in random.sample(sorted(calls), len(calls)):
            if name in backends:
                gpu.use(name, library._library)
            time = milliseconds(calls[name], cache)
            # The first ones compile, and choose what they run.
            if turn >= 3:
                times[name].append(time)
    return times


def tell(task: Task, times: dict[str, list[float]], bandwidth: float) -> dict[str, Any]:
    """Return medians, spreads, ratios, and shares of the limits."""
    median = {name: statistics.median(each) for name, each in times.items()}
    told: dict[str, Any] = {"eager_ms": median["eager"], "compiled_ms": median.get("compiled")}
    for name in median.keys() - {"eager", "compiled"}:
        lower, _, upper = statistics.quantiles(times[name], n=4)
        seconds = median[name] / 1e3
        told[name] = {
            "ms": median[name],
            "spread": (upper - lower) / median[name],
            "ratio_eager": median["eager"] / median[name],
            "ratio_compiled": median["compiled"] / median[name] if "compiled" in median else None,
            "copy_share": task.num_bytes / seconds / bandwidth,
            "tflops": task.num_flops / seconds / 1e12,
        }
    return told


def about(bandwidth: float, cache: Tensor) -> dict[str, Any]:
    """Return the machine, the card, and its limits."""
    import triton

    driver = "unknown"
    if tool := shutil.which("nvidia-smi"):
        command = [tool, "--query-gpu=driver_version", "--format=csv,noheader"]
        driver = subprocess.run(command, capture_output=True, text=True).stdout.strip()
    return {
        **describe(),
        "card": torch.cuda.get_device_name(),
        "driver": driver,
        "cuda": torch.version.cuda,
        "triton": triton.__version__,
        "copy_bytes_per_second": bandwidth,
        "product_flops_per_second": {
            str(dtype)[6:]: product_rate(dtype, cache) for dtype in (torch.float32, torch.bfloat16)
        },
    }


def main() -> int:
    """Parse the arguments, measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help="operators; all by default")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--backends", nargs="*", default=list(gpu.BACKENDS))
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    options = parser.parse_args()
    need_gpu()
    row_shapes: tuple[Any, ...] = SHAPES
    attention_shapes: tuple[Any, ...] = ATTENTION_SHAPES
    if options.quick:
        options.rounds = 2
        row_shapes, attention_shapes = QUICK_SHAPES, QUICK_ATTENTION_SHAPES
    kernels.load()
    cache = torch.empty(CACHE_BYTES, dtype=torch.uint8, device="cuda")
    bandwidth = copy_bandwidth(cache)
    result: dict[str, Any] = {}
    for dtype in (torch.float32, torch.bfloat16):
        groups: list[tuple[Callable[[Any, Any], list[Task]], tuple[Any, ...]]] = [
            (rows, row_shapes),
            (attention, attention_shapes),
        ]
        for make, shapes in groups:
            for shape in shapes:
                for task in make(shape, dtype):
                    if options.names and task.name not in options.names:
                        continue
                    times = measure(task, options.backends, options.rounds, cache)
                    told = tell(task, times, bandwidth)
                    of_dtype = result.setdefault(task.name, {}).setdefault(str(dtype)[6:], {})
                    of_dtype["x".join(map(str, shape))] = told
                    sys.stderr.write(f"{task.name} {dtype} {shape}: {json.dumps(told)}\n")
    result["about"] = about(bandwidth, cache)
    if options.json:
        sys.stdout.write(json.dumps(result) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
