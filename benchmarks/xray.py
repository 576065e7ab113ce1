"""Measure the x-ray: whether it is true, whether it is complete, and what it costs.

    python benchmarks/xray.py --json [--samples 4] [--entries 0:40] [--nets 20] [--programs 15]
        [--keep FILE] [--quick]

With ``--keep`` each entry of the table of operators is written to a file as soon as it is done, and
is not run again by a second call with the same file. The object has

- ``fidelity``: of ``entries`` operators of torch's own table of tests, ``samples`` of their inputs,
  forward and backward, run with and without the tracer: ``mismatches`` of values, gradients,
  strides or kinds of error, ``crashes`` (each entry has a process of its own), and the ``stops``
  that were seen. Samples whose plain runs differ are left out, as ``unrepeatable``.
- ``graph``: on ``nets`` networks, how often the bytes that the graph has saved are those that
  ``saved_tensors_hooks`` sees (``bytes_equal``).
- ``memory``: on ``programs`` whose peak is known by construction, the largest ``peak_error``.
- ``compile``: on ``programs`` that Inductor compiles, in how many every stage is there
  (``stages_complete``), and the share of kernels that have their lines (``lines_mapped``).
- ``overhead``: how many times as long a traced layer takes as an untraced one; ``start_s``: until
  the scene of a small program is there, with the start of Python and torch; ``page_kb``: the script
  of the page, gzipped file by file, null where the page was not built.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import torch

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from torchstone import xray
from torchstone.core.i18n import LANGS
from torchstone.web.shell import Bundle
from torchstone.xray.dispatch_tree import DispatchTrace
from torchstone.xray.fidelity import hash_tensor
from torchstone.xray.lines import LineFinder
from torchstone.xray.passes import Limits, run_pass

Facts = dict[str, Any]
SECONDS = 600
# Runs without the tracer of a sample that differs: it may repeat itself by chance, twice.
AGAIN = 20
# Their results are whatever stood in memory: only how they lie there can be compared.
UNFILLED = (
    "empty", "empty_like", "empty_permuted", "empty_strided", "new_empty", "new_empty_strided",
)  # fmt: skip


# --- fidelity -------------------------------------------------------------------------------------


def measure_fidelity(entries: slice, samples: int, keep: Path | None) -> Facts:
    """Compare traced with untraced runs, each entry in a process of its own."""
    from torch.testing._internal.common_methods_invocations import op_db

    done = _read_kept(keep)
    for entry in op_db[entries]:
        name = f"{entry.name} {entry.variant_test_name}".strip()
        if name in done or torch.float32 not in entry.supported_dtypes("cpu"):
            continue
        outcome = run_pass(
            lambda entry=entry: _compare_entry(entry, samples),
            Limits(seconds=SECONDS, memory_bytes=8 << 30, idle_seconds=120),
        )
        is_done = outcome.end == "done"
        done[name] = outcome.answer if is_done else {"crash": [outcome.end, outcome.output[-200:]]}
        if keep is not None:
            with keep.open("a") as file:
                file.write(json.dumps([name, done[name]]) + "\n")
    return _sum(done)


def _read_kept(keep: Path | None) -> dict[str, Facts]:
    if keep is None or not keep.exists():
        return {}
    return dict(json.loads(line) for line in keep.read_text().splitlines())


def _sum(done: dict[str, Facts]) -> Facts:
    counts = ("samples", "mismatches", "unrepeatable", "stops")
    odd = [[name, *each["crash"]] for name, each in done.items() if "crash" in each]
    return {
        "entries": len(done),
        **{key: sum(each.get(key, 0) for each in done.values()) for key in counts},
        "crashes": len(odd),
        "odd": odd + [[name, "differs"] for name, each in done.items() if each.get("mismatches")],
    }


def _compare_entry(entry: Any, most: int) -> Facts:
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    found = dict.fromkeys(("samples", "mismatches", "unrepeatable", "stops"), 0)
    try:
        drawn = entry.sample_inputs("cpu", torch.float32, requires_grad=entry.supports_autograd)
        samples = [sample for sample, _ in zip(drawn, range(most), strict=False)]
    except (RuntimeError, ImportError):
        # The table makes no sample on this machine.
        return found
    for sample in samples:
        plain, again = _run(entry, sample), _run(entry, sample)
        if plain != again:
            found["unrepeatable"] += 1
            continue
        trace = DispatchTrace(LineFinder(None), limit=10**9)
        with trace.on():
            traced = _run(entry, sample)
        if traced != plain and any(_run(entry, sample) != plain for _ in range(AGAIN)):
            found["unrepeatable"] += 1
            continue
        found["samples"] += 1
        found["stops"] += trace.num_stops
        found["mismatches"] += traced != plain
    return found


def _run(entry: Any, sample: Any) -> Any:
    """Return hashes of results and gradients, or the kind of the error."""
    from torch.utils._pytree import tree_leaves, tree_map

    torch.manual_seed(0)
    given = tree_map(_copy, (sample.input, sample.args, sample.kwargs))
    try:
        result = entry.op(given[0], *given[1], **given[2])
        tensors = [each for each in tree_leaves(result) if isinstance(each, torch.Tensor)]
        if entry.name in UNFILLED:
            tensors = [each.detach().zero_() for each in tensors]
        leaves = [t for t in tree_leaves(given) if isinstance(t, torch.Tensor) and t.requires_grad]
        roots = [t for t in tensors if t.requires_grad and t.dtype.is_floating_point]
        if roots and leaves:
            sums = [root.sum() for root in roots]
            tensors += [
                each for each in torch.autograd.grad(sums, leaves, allow_unused=True)
                if each is not None
            ]  # fmt: skip
    except Exception as error:  # noqa: BLE001  any error must be the same with the tracer
        return type(error).__name__
    return [hash_tensor(tensor) for tensor in tensors]


def _copy(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return value
    # It keeps the strides; a sparse tensor has none.
    copied = value.detach().clone()
    return copied.requires_grad_(value.requires_grad)


# --- graph ----------------------------------------------------------------------------------------


def nets() -> Iterator[tuple[torch.nn.Module, tuple[torch.Tensor, ...]]]:
    """Yield twenty networks of different layers, with their inputs."""
    n, x, image = torch.nn, torch.randn(6, 8), torch.randn(2, 3, 8, 8)
    for activation in (n.ReLU(), n.GELU(), n.SiLU(), n.Tanh(), n.Sigmoid(), n.Softplus()):
        yield n.Sequential(n.Linear(8, 16), activation, n.Linear(16, 4)), (x,)
    for norm in (n.LayerNorm(16), n.RMSNorm(16), n.BatchNorm1d(16), n.GroupNorm(4, 16)):
        yield n.Sequential(n.Linear(8, 16), norm, n.ReLU()), (x,)
    for pool in (n.MaxPool2d(2), n.AvgPool2d(2), n.AdaptiveAvgPool2d(1)):
        yield n.Sequential(n.Conv2d(3, 4, 3), n.BatchNorm2d(4), pool), (image,)
    yield n.Sequential(n.ConvTranspose2d(3, 4, 3), n.PReLU()), (image,)
    yield n.Embedding(10, 4), (torch.arange(6),)
    yield n.Sequential(n.Linear(8, 8), n.Softmax(-1)), (x,)
    yield n.Sequential(n.Linear(8, 8), n.LogSoftmax(-1)), (x,)
    yield n.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True), (x[None],)
    yield n.Bilinear(8, 8, 4), (x, x)
    yield n.Sequential(n.Linear(8, 8, bias=False), n.Hardswish()), (x,)


def measure_graph(most: int) -> Facts:
    """Compare the bytes of the graph with those that hooks see."""
    found = {"nets": 0, "bytes_equal": 0}
    for net, inputs in nets():
        if found["nets"] == most:
            break
        packed = []

        def pack(tensor: torch.Tensor, packed: list[int] = packed) -> torch.Tensor:
            packed.append(tensor.numel() * tensor.element_size())
            return tensor

        with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
            net(*inputs).square().mean()
        saved = xray.graph(net(*inputs).square().mean())["totals"]["saved_bytes"]
        found["nets"] += 1
        found["bytes_equal"] += saved == sum(packed)
    return found


# --- memory ---------------------------------------------------------------------------------------


def measure_memory() -> Facts:
    """Run programs that make tensors and drop them by a plan, and compare the peak."""
    programs, worst = 0, 0
    for held in (1, 2, 3, 5):
        for size in (16, 1024, 100_000):

            def step(held: int = held, size: int = size) -> None:
                tensors = [torch.zeros(size) for _ in range(held)]
                while len(tensors) > 1:
                    tensors.pop()
                tensors.append(torch.zeros(size))

            scene = xray.memory(step)
            worst = max(worst, abs(scene["peak"]["bytes"] - max(held, 2) * size * 4))
            programs += 1
    return {"programs": programs, "peak_error": worst}


# --- torch.compile --------------------------------------------------------------------------------


def functions() -> list[Callable[[torch.Tensor], torch.Tensor]]:
    """Return fifteen functions that Inductor compiles, of one argument."""
    f = torch.nn.functional
    return [
        lambda x: (x * 2 + 1).relu(),
        lambda x: torch.softmax(f.gelu(x), -1),
        lambda x: x.sin() + x.cos(),
        lambda x: f.layer_norm(x, x.shape[-1:]),
        lambda x: (x @ x.t()).tanh(),
        lambda x: x.sum(0) * x.mean(0),
        lambda x: f.silu(x) * x,
        lambda x: torch.cat([x, x * 2]).exp(),
        lambda x: x[:, 1:] - x[:, :-1],
        lambda x: torch.where(x > 0, x, x * 0.1),
        lambda x: x.clamp(-1, 1).square(),
        lambda x: f.log_softmax(x, -1),
        lambda x: x.var(-1).sqrt(),
        lambda x: x.t().contiguous() + 1,
        lambda x: f.mse_loss(x, x * 2),
    ]


def measure_compile(most: int) -> Facts:
    """Compile functions, and see whether every stage and every line is there."""
    found: Facts = {"programs": 0, "stages_complete": 0, "lines_mapped": None}
    kernels = with_lines = 0
    for function in functions()[:most]:
        torch._dynamo.reset()
        with xray.compile() as watch:
            torch.compile(function)(torch.randn(16, 16, requires_grad=True)).sum().backward()
        found["programs"] += 1
        graphs = watch.scene["graphs"]
        stages = ("dynamo", "pre_grad", "joint", "forward", "backward", "post_grad", "kernels")
        found["stages_complete"] += bool(graphs) and all(
            graph[stage] for graph in graphs for stage in stages
        )
        for graph in graphs:
            kernels += len(graph["kernels"])
            with_lines += sum(1 for kernel in graph["kernels"] if kernel["lines"])
    found["lines_mapped"] = round(with_lines / kernels, 4) if kernels else None
    return found


# --- cost -----------------------------------------------------------------------------------------


def measure_overhead(runs: int = 5) -> float:
    """Return how many times as long a layer takes with the tracer, in turns."""
    layer = torch.nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    x = torch.randn(2, 4, 16)
    ratios = []
    for _ in range(runs):
        plain = _time(lambda: layer(x), 20)
        with DispatchTrace(LineFinder(None), limit=10**9).on():
            traced = _time(lambda: layer(x), 2)
        ratios.append(traced / plain)
    return round(statistics.median(ratios), 1)


def _time(run: Callable[[], object], times: int) -> float:
    run()
    begin = time.perf_counter()
    for _ in range(times):
        run()
    return (time.perf_counter() - begin) / times


def measure_start() -> float:
    """Return the seconds until the scene of a small program is there."""
    program = Path(__file__).with_name("xray_small.py")
    command = [sys.executable, "-m", "torchstone.xray", "scene", str(program)]
    begin = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return round(time.perf_counter() - begin, 2)


def weigh_page() -> float | None:
    """Return the script that the page loads by itself, in the heavier language."""
    bundle = Bundle()
    if not bundle.is_built:
        return None
    frame = [name for name in bundle.files if f"/{name}" in bundle.template]
    weights = []
    for lang in LANGS:
        assets = [bundle.asset(name) for name in (*frame, *bundle.preloads("Xray", lang))]
        scripts = [each for each in assets if each and each.media_type.endswith("javascript")]
        weights.append(sum(len(each.compressed) for each in scripts))
    return round(max(weights) / 1000, 1)


def main() -> None:
    """Print what was measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="what is printed is JSON anyway")
    parser.add_argument("--samples", type=int, default=4, help="of each operator")
    parser.add_argument("--entries", default=":", metavar="A:B", help="of the table of operators")
    parser.add_argument("--nets", type=int, default=20)
    parser.add_argument("--programs", type=int, default=15, help="compiled; 0 leaves them out")
    parser.add_argument("--keep", type=Path, metavar="FILE", help="what is done, entry by entry")
    parser.add_argument("--quick", action="store_true", help="a few of each")
    given = parser.parse_args()
    if given.quick:
        given.samples, given.entries, given.nets, given.programs = 1, "0:5", 3, 0
    torch.set_num_threads(1)
    begin, _, end = given.entries.partition(":")
    entries = slice(int(begin or 0), int(end) if end else None)
    found = {
        "torch": torch.__version__,
        "fidelity": measure_fidelity(entries, given.samples, given.keep),
        "graph": measure_graph(given.nets),
        "memory": measure_memory(),
        "compile": measure_compile(given.programs),
        "overhead": measure_overhead(),
        "start_s": measure_start(),
        "page_kb": weigh_page(),
    }
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
