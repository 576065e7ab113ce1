"""Measure distributed training beside torch's own: bits, bytes, memory, and time on a shaped link.

    python benchmarks/distributed.py --json

Ranks are processes of gloo with one thread each. Times are those of two hosts, network namespaces
with a link of 1 Gbit/s, where this machine allows these (root, ``ip``, ``tc``); otherwise of two
ranks on loopback, which ``link`` says. Variants run in turns in the same processes, and a ratio is
the median of the ratios within a turn. Of two models the worse one counts. The object has

- ``equal``: by variant and number of ranks, whether SGD, AdamW, accumulation and clipping end with
  the bits of one process after 20 steps of each model;
- ``bytes_ratio``: what a rank sends in a step over 2 (N - 1) / N times the parameters, as the
  kernel counts it, the largest of N = 2, 3, 4;
- ``state_share``, ``state_share_torch_max``: bytes of Adam's states on the fullest of 8 ranks over
  an equal share, for GPT-2 small; torch's cuts whole parameters;
- ``memory_share``: by variant, the most that a rank of four holds above an idle rank while it
  trains a model of 201 MB with Adam, over that of our DDP; ``memory_bytes`` has the bytes, which
  are proportional set sizes, and those while the variant is made. The allocator gives back what is
  freed: otherwise what it keeps for later would count as held;
- ``time_ratio``: a step over one of torch's DDP; ``naive_ratio`` with an all-reduce a tensor;
- ``zero1_over_torch_zero``, ``zero3_over_fsdp2``: their time over ours;
- ``overlap_gain``: the time without overlap and prefetch over that with both, of the MLP;
- ``link_error``, ``link_error_max``, of hosts only: by number of ranks, how far a step of the MLP
  with one all-reduce of ours is from one without, plus its bytes over the rate: nothing is fitted;
- ``threads_16_ranks_s``: sixteen ranks as threads of one process, with a training of three steps.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import describe
from benchmarks.shaped_hosts import Hosts, can_make_hosts
from torchstone.distributed import World, Zero, run_threads

ROOT = Path(__file__).resolve().parent.parent
RANKS = ROOT / "benchmarks" / "distributed_ranks.py"
RATE_BITS_S = 1e9
OURS = ("ddp", "zero1", "zero2", "zero3")
PEERS = ("torch_ddp", "torch_zero", "fsdp2")
SIZES = (2, 3, 4)
SERIAL = ("zero1_serial", "zero3_serial")
# What a segment of TCP carries with time stamps, and what the link counts for it: headers of TCP,
# IP and Ethernet beside the payload (RFC 894, 9293 and 7323).
PAYLOAD_BYTES, FRAME_BYTES = 1448, 1514
LAUNCH_S = 1200.0


def environment(**variables: str) -> dict[str, str]:
    """Return the environment of ranks, with some more variables."""
    binaries = os.path.dirname(sys.executable)
    return {
        **os.environ,
        "PATH": f"{binaries}:{os.environ['PATH']}",
        # The sources beside this file, not an installed copy.
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)]),
        "OMP_NUM_THREADS": "1",
        **variables,
    }


def launch(size: int, arguments: list[str], folder: Path, **variables: str) -> Any:
    """Run the ranks on this host; return what rank 0 wrote."""
    out = folder / "out.json"
    command = ["torchrun", "--standalone", f"--nproc-per-node={size}", str(RANKS)]
    command += [*arguments[:2], str(out), *arguments[2:]]
    run([command], None, folder, **variables)
    return json.loads(out.read_text())


def launch_on_hosts(
    hosts: Hosts, arguments: list[str], folder: Path, *, ranks_per_host: int = 1
) -> Any:
    """Run ranks on each of two hosts; return what rank 0 wrote."""
    out = folder / "out.json"
    run(
        [
            [
                *hosts.torchrun(host, ranks_per_host=ranks_per_host),
                *[str(RANKS), *arguments[:2], str(out), *arguments[2:]],
            ]
            for host in range(2)
        ],
        hosts,
        folder,
    )
    return json.loads(out.read_text())


def run(commands: list[list[str]], hosts: Hosts | None, folder: Path, **variables: str) -> None:
    """Run programs at once; raise what they printed if one fails."""
    logs = [folder / f"log-{number}" for number in range(len(commands))]
    programs: list[subprocess.Popen[bytes]] = []
    for number, command in enumerate(commands):
        with logs[number].open("wb") as log:
            if hosts is None:
                made = subprocess.Popen(
                    command, env=environment(**variables), stdout=log, stderr=log
                )
            else:
                made = hosts.start(
                    number, command, environment(**variables), stdout=log, stderr=log
                )
        programs.append(made)
    codes = [program.wait(LAUNCH_S) for program in programs]
    if any(codes):
        raise RuntimeError("\n".join(log.read_text(errors="replace")[-3000:] for log in logs))


def measure_bits_and_bytes(folder: Path, model: str, *, is_quick: bool) -> dict[str, Any]:
    """Compare with one process, and count bytes, on this host without a shaped link."""
    compared = ("tiny",) if is_quick else ("tiny", "gpt", "mlp")
    equal: dict[str, dict[str, bool]] = {name: {} for name in OURS}
    ratios: dict[str, float] = {}
    for size in SIZES[:1] if is_quick else SIZES:
        equals = [launch(size, [each, "equal"], folder) for each in compared]
        for name in OURS:
            equal[name][str(size)] = all(all(found[name].values()) for found in equals)
        names = [*PEERS, *OURS] if size == SIZES[0] or not is_quick else list(OURS)
        told = launch(size, [model, "times", "--names", ",".join(names), "--runs", "1"], folder)
        for name, ratio in told["bytes_ratio"].items():
            ratios[name] = max(ratios.get(name, 0.0), ratio)
    return {"equal": equal, "bytes_ratio": ratios}


def measure_times(
    hosts: Hosts | None, folder: Path, *, models: list[str], runs: int
) -> dict[str, Any]:
    """Time the variants on two hosts, else on loopback; of the models the worse counts."""
    names = [*PEERS, *OURS, *SERIAL, "naive", "alone"]
    arguments = ["--names", ",".join(names), "--runs", str(runs)]
    told = {
        model: launch(2, [model, "times", *arguments], folder)
        if hosts is None
        else launch_on_hosts(hosts, [model, "times", *arguments], folder)
        for model in models
    }
    ratios: dict[str, list[float]] = {}
    for found in told.values():
        for name in names:
            ratios.setdefault(name, []).append(ratio_of(found, name, "torch_ddp"))
    last = told[models[-1]]
    return {
        "time_ratio": {name: max(ratios[name]) for name in (*OURS, "torch_zero", "fsdp2")},
        "naive_ratio": max(ratios["naive"]),
        "zero1_over_torch_zero": min(
            ratio_of(each, "torch_zero", "zero1") for each in told.values()
        ),
        "zero3_over_fsdp2": min(ratio_of(each, "fsdp2", "zero3") for each in told.values()),
        "overlap_gain": {
            name: ratio_of(last, f"{name}_serial", name) for name in ("zero1", "zero3")
        },
        "seconds": {
            model: {name: statistics.median(each) for name, each in found["seconds"].items()}
            for model, found in told.items()
        },
        "spread": {
            model: {name: [min(each), max(each)] for name, each in found["seconds"].items()}
            for model, found in told.items()
        },
    }


def measure_link(hosts: Hosts, folder: Path, *, model: str, runs: int) -> dict[str, Any]:
    """Compare steps with one all-reduce with what its bytes take on a link of this rate.

    A rank sends each other one its part of the gradients, and then its part of the mean.
    """
    found: dict[str, Any] = {"link_error": {}, "link_seconds": {}}
    for size in (2, 4):
        arguments = [model, "times", "--names", "flat,flat_alone", "--runs", str(runs)]
        told = launch_on_hosts(hosts, arguments, folder, ranks_per_host=size // 2)
        seconds = {name: statistics.median(each) for name, each in told["seconds"].items()}
        # Of each host half of the ranks send to the other half, twice.
        parts = 2 * (size // 2) ** 2
        sent = parts / size * told["parameters_bytes"] * FRAME_BYTES / PAYLOAD_BYTES
        predicted = seconds["flat_alone"] + 8 * sent / RATE_BITS_S
        found["link_error"][str(size)] = seconds["flat"] / predicted - 1
        found["link_seconds"][str(size)] = {**seconds, "predicted": predicted}
    return {**found, "link_error_max": max(map(abs, found["link_error"].values()))}


def ratio_of(found: dict[str, Any], name: str, other: str) -> float:
    """Return the median of the ratios within each turn."""
    pairs = zip(found["seconds"][name], found["seconds"][other], strict=True)
    return statistics.median(mine / theirs for mine, theirs in pairs)


def measure_states() -> dict[str, float]:
    """Compare the states of the fullest of eight ranks with an equal share, for GPT-2 small."""
    width, depth, num_ranks = 768, 12, 8
    block = [3 * width * width, 3 * width, width * width, width, 4 * width * width, 4 * width]
    block += [4 * width * width, width, width, width, width, width]
    sizes = [50257 * width, 1024 * width, *block * depth, width, width]
    whole = sum(sizes)
    # torch gives each parameter, the largest first, to the rank that has the least.
    loads = [0] * num_ranks
    for size in sorted(sizes, reverse=True):
        loads[loads.index(min(loads))] += size

    def hold(world: World) -> int:
        module = nn.ParameterList(torch.empty(size // 64 + 1) for size in sizes)
        zero = Zero(module, lambda p: torch.optim.Adam(p), stage=1, comm=world.comm())
        sum(each.sum() for each in module).backward()
        zero.step()
        return zero.memory()["optimizer"]

    small = sum(size // 64 + 1 for size in sizes)
    held = max(run_threads(hold, num_ranks))
    return {
        "state_share": held / (8 * small / num_ranks),
        "state_share_torch_max": max(loads) / (whole / num_ranks),
    }


def measure_memory(folder: Path, model: str, *, is_quick: bool) -> dict[str, Any]:
    """Compare what ranks hold, each variant in processes of its own."""
    names, size = (["ddp", "zero3"], 2) if is_quick else ([*OURS, *PEERS], 4)
    # Large blocks are then mapped, and unmapped when they are freed.
    variables = {"MALLOC_MMAP_THRESHOLD_": str(1 << 20)}
    told = {
        name: launch(size, [model, "memory", "--names", name], folder, **variables)
        for name in names
    }
    of_ddp = told["ddp"]["held_bytes"]
    return {
        "memory_share": {name: told[name]["held_bytes"] / of_ddp for name in names},
        "memory_bytes": told,
    }


def time_threads() -> float:
    """Return the seconds of sixteen ranks as threads."""

    def train(world: World) -> None:
        module = nn.Linear(32, 32)
        zero = Zero(module, lambda p: torch.optim.SGD(p, lr=0.1), stage=2, comm=world.comm())
        for _ in range(3):
            module(torch.ones(2, 32)).sum().backward()
            zero.step()
            zero.zero_grad()

    begin = time.perf_counter()
    run_threads(train, 16)
    return time.perf_counter() - begin


def main() -> None:
    """Measure all, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--json", action="store_true", help="print one object")
    parser.add_argument("--quick", action="store_true", help="tiny sizes")
    parser.add_argument("--runs", type=int, default=7)
    given = parser.parse_args()
    torch.set_num_threads(1)
    models = ["tiny"] if given.quick else ["gpt", "mlp"]
    found: dict[str, Any] = {"machine": describe(threads=1), "link": "loopback"}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        found |= measure_bits_and_bytes(folder, models[0], is_quick=given.quick)
        found |= measure_memory(folder, "tiny" if given.quick else "wide", is_quick=given.quick)
        runs = 2 if given.quick else given.runs
        if can_make_hosts():
            found["link"] = f"two namespaces, {RATE_BITS_S:g} bit/s"
            with Hosts(RATE_BITS_S) as hosts:
                found |= measure_times(hosts, folder, models=models, runs=runs)
                found |= measure_link(hosts, folder, model=models[-1], runs=runs)
        else:
            found |= measure_times(None, folder, models=models, runs=runs)
    found |= measure_states()
    found["threads_16_ranks_s"] = time_threads()
    if given.json:
        lines = [json.dumps(found)]
    else:
        lines = [f"{name}: {json.dumps(value)}" for name, value in found.items()]
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
