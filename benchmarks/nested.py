"""Measure nested, quantized tensors: memory, error, time, torch's own samples, graphs.

    python benchmarks/nested.py --json [--quick] [--runs 9]

The object has

- ``memory``: for each format and block, how many times less memory than padded float32, than padded
  bfloat16 and than torch's own jagged float32, at a fill of .437; of storages of all that is
  reachable, offsets included;
- ``error``: the relative error of values and of a linear layer's result, on normal data;
- ``speed``: for each operation and fill, padded float32 over ours, and torch's own jagged over
  ours; medians of CPU time on one thread, in turns;
- ``coverage``: how many entries of torch's ``njt_op_db`` are right in all samples, and how many
  samples are right or wrong;
- ``compile``: the graphs of 20 batches of other lengths, with one and with several batch sizes.

Outputs stay below 32 MiB: above, the allocator maps and returns pages each time, and the padded
side alone pays for these.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import torch
from torch import Tensor
from torch.nn import functional as F

from benchmarks.machine import describe, need_compiler
from torchstone import kernels, nested

FORMATS = ("int8", "int4", "fp8")
BLOCKS = (32, 64, 128)
WIDTH, LONGEST = 512, 512
# Of uniform lengths, and of log-normal ones, as those of texts are.
FILLS = (0.437, 0.27)
Call = Callable[[], object]


def draw_lengths(batch: int, longest: int, fill: float) -> list[int]:
    """Draw lengths of which one is the longest, and scale the others to a fill."""
    drawn = torch.rand(batch - 1)
    rest = fill * batch * longest - longest
    scaled = (drawn * rest / drawn.sum()).round().long().clamp(1, longest)
    return [longest, *scaled.tolist()]


def plain_jagged(lengths: list[int], width: int) -> Tensor:
    """Make a jagged tensor of normal values."""
    rows = [torch.randn(n, width) for n in lengths]
    return torch.nested.nested_tensor(rows, layout=torch.jagged)


def storage_bytes(t: Any) -> int:
    """Count the bytes of all storages that a tensor reaches."""
    if not hasattr(t, "__tensor_flatten__"):
        return int(t.untyped_storage().nbytes())
    names, _ = t.__tensor_flatten__()
    return sum(storage_bytes(getattr(t, name)) for name in names)


def measure_memory(lengths: list[int], width: int) -> dict[str, Any]:
    """Compare the bytes of a batch with those of three others."""
    plain = plain_jagged(lengths, width)
    padded = len(lengths) * max(lengths) * width * 4
    result: dict[str, Any] = {}
    for format in FORMATS:
        for block in BLOCKS:
            ours = storage_bytes(nested.quantize(plain, format, block))
            result[f"{format}/{block}"] = {
                "vs_padded_fp32": round(padded / ours, 3),
                "vs_padded_bf16": round(padded / 2 / ours, 3),
                "vs_jagged_fp32": round(storage_bytes(plain) / ours, 3),
            }
    return result


def measure_error(width: int) -> dict[str, Any]:
    """Return relative errors of values and of a product, on normal data."""
    x, weight = torch.randn(4096, width), torch.randn(width, width) / width**0.5
    result: dict[str, Any] = {}
    for format in FORMATS:
        for block in BLOCKS:
            back = nested.dequantize(nested.quantize(x, format, block))
            result[f"{format}/{block}"] = {
                "values": relative(back, x),
                "linear": relative(back @ weight, x @ weight),
            }
    return result


def relative(got: Tensor, wanted: Tensor) -> float:
    """Return the norm of the difference over the norm."""
    return round(float((got - wanted).norm() / wanted.norm()), 5)


def in_turns(calls: dict[str, Call], runs: int) -> dict[str, float]:
    """Return the median CPU seconds of each call; they take turns.

    In its turn a call is made twice, and the second time counts: the first one runs at the clock
    rate and with the caches that the call before left.
    """
    times: dict[str, list[float]] = {name: [] for name in calls}
    for run in range(runs + 1):
        for name, call in calls.items():
            call()
            begin = time.process_time()
            call()
            if run:
                times[name].append(time.process_time() - begin)
    return {name: statistics.median(each) for name, each in times.items()}


def tasks(lengths: list[int], width: int, heads: int) -> dict[str, dict[str, Call]]:
    """Return, for each operation, the call on padded, torch's jagged and our tensor."""
    plain = plain_jagged(lengths, width)
    longest, batch = max(lengths), len(lengths)
    padded = plain.to_padded_tensor(0.0)
    ours = nested.quantize(plain)
    weight = torch.randn(width, width) / width**0.5
    is_key = torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)
    mask = is_key[:, None, None, :]

    def split(t: Tensor) -> Tensor:
        return t.unflatten(-1, (heads, width // heads))

    q_padded = padded.view(batch, longest, heads, -1).transpose(1, 2)
    q_plain, q_ours = split(plain).transpose(1, 2), split(ours)
    attend = F.scaled_dot_product_attention
    values = ours.values()
    return {
        "linear": {
            "padded": lambda: F.linear(padded, weight),
            "jagged": lambda: F.linear(plain, weight),
            "ours": lambda: F.linear(ours, weight),
        },
        "attention": {
            "padded": lambda: attend(q_padded, q_padded, q_padded, attn_mask=mask),
            "jagged": lambda: attend(q_plain, q_plain, q_plain),
            "ours": lambda: nested.attention(q_ours, q_ours, q_ours),
        },
        "layer_norm": {
            "padded": lambda: F.layer_norm(padded, (width,)),
            "jagged": lambda: F.layer_norm(plain, (width,)),
            "ours": lambda: F.layer_norm(ours, (width,)),
        },
        "to_padded": {
            "padded": padded.clone,
            "jagged": lambda: plain.to_padded_tensor(0.0),
            "ours": lambda: nested.to_padded(ours),
        },
        "quantize": {
            "padded": padded.clone,
            "jagged": plain.clone,
            "ours": lambda: nested.quantize(plain),
        },
        "dequantize": {
            "padded": padded.clone,
            "jagged": plain.clone,
            "ours": lambda: nested.dequantize(values),
        },
    }


def measure_speed(lengths: list[int], width: int, heads: int, runs: int) -> dict[str, Any]:
    """Compare the time of each operation with that of a padded and of a jagged tensor."""
    result: dict[str, Any] = {}
    num_values = sum(lengths) * width
    with torch.no_grad():
        for name, calls in tasks(lengths, width, heads).items():
            seconds = in_turns(calls, runs)
            result[name] = {
                "vs_padded": round(seconds["padded"] / seconds["ours"], 3),
                "vs_jagged": round(seconds["jagged"] / seconds["ours"], 3),
                "ours_ms": round(1e3 * seconds["ours"], 3),
                "ns_per_value": round(1e9 * seconds["ours"] / num_values, 3),
            }
    return result


def measure_coverage(share: slice) -> dict[str, int]:
    """Count what is right in torch's own samples."""
    from benchmarks.nested_oracle import outcomes

    found = [*outcomes(share)]
    return {
        "entries_full": sum(each.right > 0 and not each.wrong for each in found),
        "samples_ok": sum(each.right for each in found),
        "samples_wrong": sum(len(each.wrong) for each in found),
        "samples_with_gradients": sum(each.with_gradients for each in found),
        "samples_left_out": sum(each.left_out for each in found),
        "torch_itself_fails": sum(each.failing for each in found),
    }


def count_graphs(batches: list[int], width: int) -> int:
    """Return how many graphs serve batches of these sizes, forward and backward."""
    from torch._dynamo.utils import counters

    torch._dynamo.reset()
    counters.clear()
    weight = torch.randn(width, width, requires_grad=True)

    def loss(t: Tensor, weight: Tensor) -> Tensor:
        return F.layer_norm(F.linear(t, weight), (width,)).values().square().sum()

    compiled = torch.compile(loss, backend="aot_eager", fullgraph=True)
    for batch in batches:
        rows = [torch.randn(n, width) for n in torch.randint(1, 30, (batch,)).tolist()]
        torch.autograd.grad(compiled(nested.tensor(rows), weight), weight)
    return int(counters["stats"]["unique_graphs"])


def measure(quick: bool, runs: int) -> dict[str, Any]:
    """Measure everything; ``quick`` takes tiny sizes."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    width, longest, batch = (128, 16, 4) if quick else (WIDTH, LONGEST, 32)
    lengths = draw_lengths(batch, longest, FILLS[0])
    memory = measure_memory(lengths, width)
    # A block of 128 needs rows as wide.
    error = measure_error(max(width, 128))
    small = (64, 16, 4) if quick else (256, 256, 16)
    speed = {}
    for fill in FILLS:
        drawn = draw_lengths(small[2], small[1], fill)
        speed[f"fill {fill}"] = measure_speed(drawn, small[0], 2 if quick else 4, runs)
    steps = 4 if quick else 20
    return {
        "fill": round(sum(lengths) / (batch * longest), 3),
        "memory": memory,
        "error": error,
        "speed": speed,
        "coverage": measure_coverage(slice(3, None, 100) if quick else slice(None)),
        "compile": {
            "graphs_same_batch": count_graphs([4] * steps, 64),
            "graphs_all": count_graphs([3 + step % 4 for step in range(steps)], 64),
        },
    }


def main() -> None:
    """Print what is measured."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to check the script")
    parser.add_argument("--runs", type=int, default=9, help="timed runs of each call")
    given = parser.parse_args()
    need_compiler()
    kernels.load()
    result = measure(given.quick, 2 if given.quick else given.runs)
    result["machine"] = describe()
    sys.stdout.write(json.dumps(result, indent=None if given.json else 2) + "\n")


if __name__ == "__main__":
    main()
