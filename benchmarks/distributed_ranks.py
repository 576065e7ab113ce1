"""The ranks of ``distributed.py``: train variants in turns, and write what was sent and how long.

torchrun starts it. All variants live in the same processes, with the same weights and batches.

    torchrun --nproc-per-node 2 benchmarks/distributed_ranks.py gpt times OUT.json
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import sys
import threading
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.optim import ZeroRedundancyOptimizer
from torch.nn.parallel import DistributedDataParallel

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from torchstone.distributed import Comm, DataParallel, World, Zero, init, wire_bytes

LR = 1e-3
STAGES = {"zero1": 1, "zero2": 2, "zero3": 3}


class Block(nn.Module):
    """A layer of GPT-2."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return the stream with what attention and the two products add."""
        shape = (*x.shape[:2], 3, self.heads, -1)
        q, k, v = self.qkv(self.norm1(x)).view(shape).permute(2, 0, 3, 1, 4)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(mixed.transpose(1, 2).reshape(x.shape))
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    """A GPT; of the default size it has 13.82 M parameters in 77 tensors."""

    def __init__(
        self, vocabulary: int = 4096, width: int = 384, depth: int = 6, seq_len: int = 64
    ) -> None:
        super().__init__()
        self.vocabulary, self.seq_len = vocabulary, seq_len
        self.tokens = nn.Embedding(vocabulary, width)
        self.places = nn.Embedding(seq_len, width)
        self.layers = nn.ModuleList(Block(width, max(1, width // 64)) for _ in range(depth))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the loss of guessing each token."""
        x = self.tokens(tokens[:, :-1]) + self.places.weight[: tokens.shape[1] - 1]
        for layer in self.layers:
            x = layer(x)
        scores = self.head(self.norm(x)).flatten(0, 1)
        return nn.functional.cross_entropy(scores, tokens[:, 1:].flatten())

    def batch(self, number: int, size: int) -> Tensor:
        """Return the batch with a number."""
        generator = torch.Generator().manual_seed(number)
        return torch.randint(0, self.vocabulary, (size, self.seq_len + 1), generator=generator)


class MLP(nn.Module):
    """Products alone: 20.98 M parameters in 10 tensors."""

    def __init__(self, width: int = 2048, depth: int = 5) -> None:
        super().__init__()
        self.width = width
        self.layers = nn.ModuleList(nn.Linear(width, width) for _ in range(depth))

    def forward(self, x: Tensor) -> Tensor:
        """Return the mean square of what comes out."""
        for layer in self.layers:
            x = nn.functional.gelu(layer(x))
        return x.square().mean()

    def batch(self, number: int, size: int) -> Tensor:
        """Return the batch with a number."""
        generator = torch.Generator().manual_seed(number)
        return torch.randn(size, self.width, generator=generator)


MODELS: dict[str, Callable[[], GPT | MLP]] = {
    "gpt": GPT,
    "mlp": MLP,
    # 201 MB of parameters.
    "wide": lambda: MLP(depth=12),
    "tiny": lambda: GPT(vocabulary=128, width=64, depth=2, seq_len=16),
}
# Of a rank: computing is then about a third of a step at 1 Gbit/s, as in the trainings for which
# overlap matters.
BATCHES = {"gpt": 4, "mlp": 256, "wide": 16, "tiny": 4}
Step = Callable[[Tensor], None]


def adam(parameters: Any) -> torch.optim.Optimizer:
    """Return the optimiser of all variants."""
    return torch.optim.Adam(parameters, lr=LR)


def sgd(parameters: Any) -> torch.optim.Optimizer:
    """Return an optimiser with a momentum."""
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


def adamw(parameters: Any) -> torch.optim.Optimizer:
    """Return an optimiser with weight decay."""
    return torch.optim.AdamW(parameters, lr=LR)


def make(name: str, model: str, world: World) -> Step:
    """Return a function that trains a variant by one step."""
    torch.manual_seed(0)
    module = MODELS[model]()
    stage, _, serial = name.partition("_serial")
    is_serial = name.endswith("_serial")
    if stage in STAGES and (is_serial or not serial):
        zero = Zero(
            module, adam, stage=STAGES[stage], overlap=not is_serial, prefetch=int(not is_serial)
        )
        return _step_of(module, zero)
    wrapped: nn.Module = module
    if name == "ddp":
        wrapped = DataParallel(module)
    elif name in ("torch_ddp", "torch_zero"):
        wrapped = DistributedDataParallel(module)
    elif name == "fsdp2":
        mesh = init_device_mesh("cpu", (world.world_size,))
        for layer in module.layers:
            fully_shard(layer, mesh=mesh)
        fully_shard(module, mesh=mesh)
    if name == "torch_zero":
        return _step_of(
            wrapped, ZeroRedundancyOptimizer(module.parameters(), torch.optim.Adam, lr=LR)
        )
    optimizer = adam(module.parameters())
    if name in ("flat", "flat_alone"):
        return _flat_step_of(module, optimizer, world.comm() if name == "flat" else None)
    return _step_of(wrapped, optimizer, reduce=_reduce_each if name == "naive" else None)


def _step_of(
    module: nn.Module, optimizer: Any, *, reduce: Callable[[nn.Module], None] | None = None
) -> Step:
    def step(batch: Tensor) -> None:
        """Take one step; a variant without an exchange shows what computing alone takes."""
        optimizer.zero_grad()
        module(batch).backward()
        if reduce is not None:
            reduce(module)
        optimizer.step()

    return step


def _reduce_each(module: nn.Module) -> None:
    """Average the gradients with an all-reduce for each tensor."""
    for parameter in module.parameters():
        assert parameter.grad is not None, "the loss uses all parameters"
        dist.all_reduce(parameter.grad)
        parameter.grad /= dist.get_world_size()


def _flat_step_of(module: nn.Module, optimizer: Any, comm: Comm | None) -> Step:
    """Return a step with one all-reduce of all gradients, which lie in one buffer.

    Without the exchange each rank does the same work: what is between the two, a formula can say.
    """
    parameters = list(module.parameters())
    flat = torch.zeros(sum(each.numel() for each in parameters))
    parts = flat.split([each.numel() for each in parameters])
    for parameter, part in zip(parameters, parts, strict=True):
        parameter.grad = part.view(parameter.shape)

    def step(batch: Tensor) -> None:
        optimizer.zero_grad(set_to_none=False)
        module(batch).backward()
        if comm is not None:
            comm.all_reduce(flat).wait()
        flat.div_(dist.get_world_size())
        optimizer.step()

    return step


def measure(world: World, model: str, names: list[str], *, num_runs: int, batch: int) -> Any:
    """Train the variants in turns, in another order each time; return bytes and seconds."""
    plain = MODELS[model]()
    steps = {name: make(name, model, world) for name in names}
    barrier = world.comm().barrier
    sent: dict[str, int] = {}
    for name, step in steps.items():
        for number in range(2):
            step(plain.batch(1000 * number + world.rank, batch))
        barrier()
        before = wire_bytes()
        step(plain.batch(2000 + world.rank, batch))
        barrier()
        sent[name] = wire_bytes() - before
    seconds: dict[str, list[float]] = {name: [] for name in names}
    chance = random.Random(0)
    for number in range(num_runs):
        for name in chance.sample(names, len(names)):
            tokens = plain.batch(1000 * number + world.rank, batch)
            barrier()
            begin = time.perf_counter()
            steps[name](tokens)
            barrier()
            seconds[name].append(time.perf_counter() - begin)
    size = sum(each.numel() for each in plain.parameters()) * 4
    theory = 2 * (world.world_size - 1) / world.world_size * size
    return {
        "bytes_ratio": {name: count / theory for name, count in sent.items()},
        "seconds": seconds,
        "parameters_bytes": size,
    }


class Watched:
    """Watch what a process holds, by itself and as its share of what it shares.

    Attributes:
        peak_bytes: The most that was seen.
    """

    def __init__(self) -> None:
        self.peak_bytes = pss_bytes()
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self) -> Watched:
        self._thread.start()
        return self

    def __exit__(self, *raised: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(0.005):
            self.peak_bytes = max(self.peak_bytes, pss_bytes())


def pss_bytes() -> int:
    """Return the proportional set size of this process."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return 1024 * next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))


def measure_memory(world: World, model: str, name: str, *, batch: int) -> dict[str, int]:
    """Train by three steps; return the most bytes above those of an idle rank, on any rank.

    While the variant is made each rank has the whole model, and what comes of it.
    """
    comm = world.comm()
    # The connections between all ranks belong to an idle rank.
    comm.all_reduce(torch.ones(world.world_size)).wait()
    comm.barrier()
    idle = pss_bytes()
    comm.barrier()
    with Watched() as watched:
        step = make(name, model, world)
    made = watched.peak_bytes
    # Its weights are never written, so that they take no memory.
    with torch.device("meta"):
        plain = MODELS[model]()
    comm.barrier()
    with Watched() as watched:
        for number in range(3):
            step(plain.batch(1000 * number + world.rank, batch))
    held = torch.tensor([made - idle, watched.peak_bytes - idle], dtype=torch.int64)
    comm.all_reduce(held, op="max").wait()
    return {"made_bytes": int(held[0]), "held_bytes": int(held[1])}


def _clip(grads: list[Tensor], max_norm: float) -> float:
    """Clip as torch does, but for the norm: torch sums in float32, where the order decides bits."""
    total = sum(float(each.double().square().sum()) for each in grads)
    norm = torch.tensor(total**0.5, dtype=torch.float32)
    coefficient = torch.clamp(max_norm / (norm + 1e-6), max=1.0)
    for each in grads:
        each.mul_(coefficient)
    return float(norm)


def compare(world: World, model: str, num_steps: int) -> dict[str, dict[str, bool]]:
    """Return, by variant and kind of training, whether it ends with the bits of one process."""
    result: dict[str, dict[str, bool]] = {name: {} for name in ("ddp", *STAGES)}
    for kind in ("sgd", "adamw", "clipping", "accumulation"):
        training = Training(world=world, model=model, kind=kind, num_steps=num_steps)
        wanted = training.run_alone()
        for name, each in result.items():
            parameters, norms = training.run(name)
            each[kind] = norms == wanted[1] and all(map(torch.equal, parameters, wanted[0]))
    return result


@dataclass(frozen=True, kw_only=True)
class Training:
    """One training, of several ranks or of one process that is given all batches."""

    world: World
    model: str
    kind: str
    num_steps: int

    @property
    def accumulate(self) -> int:
        """Return the number of micro-batches of a step."""
        return 2 if self.kind == "accumulation" else 1

    def make_optimizer(self, parameters: Any) -> torch.optim.Optimizer:
        """Return the optimiser of this kind."""
        return (sgd if self.kind == "sgd" else adamw)(parameters)

    def run(self, name: str) -> tuple[list[Tensor], list[float]]:
        """Train a variant; return its parameters and the norms of its gradients."""
        torch.manual_seed(0)
        module = MODELS[self.model]()
        # Several buckets, of which no parameter is as large.
        bucket_mb = 0.05 if self.model == "tiny" else 4.0
        stage = STAGES.get(name, 0)
        zero = Zero(module, self.make_optimizer, stage=stage, bucket_mb=bucket_mb)
        norms: list[float] = []
        for step in range(self.num_steps):
            for part in range(self.accumulate):
                is_last = part + 1 == self.accumulate
                with contextlib.nullcontext() if is_last else zero.no_sync():
                    module(self._batch(module, step, self.world.rank, part)).backward()
            if self.kind == "clipping":
                norms.append(float(zero.clip_grad_norm_(0.5)))
            zero.step()
            zero.zero_grad()
        with zero.full_parameters():
            return [each.detach().clone() for each in module.parameters()], norms

    def run_alone(self) -> tuple[list[Tensor], list[float]]:
        """Train with torch alone on the batches of all ranks; return parameters and norms."""
        torch.manual_seed(0)
        module = MODELS[self.model]()
        optimizer = self.make_optimizer(module.parameters())
        norms: list[float] = []
        for step in range(self.num_steps):
            totals: list[Tensor] = []
            for rank in range(self.world.world_size):
                module.zero_grad()
                for part in range(self.accumulate):
                    module(self._batch(module, step, rank, part)).backward()
                grads = [each.grad for each in module.parameters() if each.grad is not None]
                pairs = zip(totals, grads, strict=True)
                totals = [total.add_(grad) for total, grad in pairs] if totals else grads
            for parameter, total in zip(module.parameters(), totals, strict=True):
                parameter.grad = total.div_(self.world.world_size)
            if self.kind == "clipping":
                norms.append(_clip(totals, 0.5))
            optimizer.step()
        return list(module.parameters()), norms

    def _batch(self, module: GPT | MLP, step: int, rank: int, part: int) -> Tensor:
        return module.batch(100 * step + rank * self.accumulate + part, 2)


def main() -> None:
    """Run what is asked for as one rank; rank 0 writes the object."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model", choices=MODELS)
    parser.add_argument("what", choices=("equal", "times", "memory"))
    parser.add_argument("out", type=Path)
    parser.add_argument("--names", default="torch_ddp,ddp,zero1,zero2,zero3")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--batch", type=int, help="samples of a rank in a step")
    given = parser.parse_args()
    warnings.filterwarnings("ignore", category=FutureWarning)
    torch.set_num_threads(1)
    with init(timeout_s=180) as world:
        os.sched_setaffinity(0, {world.rank % (os.cpu_count() or 1)})
        if given.what == "equal":
            result: Any = compare(world, given.model, given.steps)
        elif given.what == "memory":
            batch = given.batch or BATCHES[given.model]
            result = measure_memory(world, given.model, given.names, batch=batch)
        else:
            names_given = given.names.split(",")
            batch = given.batch or BATCHES[given.model]
            result = measure(world, given.model, names_given, num_runs=given.runs, batch=batch)
        if world.rank == 0:
            given.out.write_text(json.dumps(result))


if __name__ == "__main__":
    main()
