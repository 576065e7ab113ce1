"""A small network trained on ranks and in one process, for comparison in a simulation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from torchstone.distributed.comm.activity import Activity
from torchstone.distributed.comm.ledger import Entry
from torchstone.distributed.comm.threads import current
from torchstone.distributed.data_parallel import DataParallel
from torchstone.distributed.shards import num_bytes
from torchstone.distributed.simulated_time import spend
from torchstone.distributed.world import World
from torchstone.distributed.zero import Zero

# With these sizes, the shards, in multiples of 1,024 elements, need little or no padding.
VOCABULARY, WIDTH, DEPTH = 256, 128, 4
SEQUENCES, SEQ_LEN = 4, 16
# Half of the parameters, so that one half is exchanged while the other one is computed.
BUCKET_MB = 1.125


class Layer(nn.Module):
    """A residual layer: norm, up, GELU, down."""

    def __init__(self) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH, elementwise_affine=False)
        self.up = nn.Linear(WIDTH, 4 * WIDTH, bias=False)
        self.down = nn.Linear(4 * WIDTH, WIDTH, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        """Return the input plus the output of the layer."""
        up, down = flops_of(self.up.weight, x), flops_of(self.down.weight, x)
        inner = spend(nn.functional.gelu(self.up(self.norm(x))), forward=up + down, backward=up)
        added: Tensor = self.down(inner)
        return spend(x + added, forward=0, backward=down)


class Network(nn.Module):
    """Network that predicts the next token from the last one; its initialization is fixed."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.layers = nn.ModuleList(Layer() for _ in range(DEPTH))
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)

    def forward(self, tokens: Tensor) -> Tensor:
        """Return the mean loss of a batch of sequences."""
        x = self.embedding(tokens[:, :-1])
        for layer in self.layers:
            x = layer(x)
        flops = flops_of(self.head.weight, x)
        scores = spend(self.head(x), forward=flops, backward=flops)
        return nn.functional.cross_entropy(scores.flatten(0, 1), tokens[:, 1:].flatten())


def flops_of(weight: Tensor, x: Tensor) -> float:
    """Return the floating-point operations of a matrix product with each row of the input."""
    return 2.0 * weight.numel() * (x.numel() // x.shape[-1])


@dataclass(slots=True, kw_only=True)
class Trained:
    """Measurements and results of the training on one rank.

    Attributes:
        entries: The ledger entries of the steps.
        ends: The number of entries before the first step and at the end of each step.
        clock_s: The time before the first step and at the end of each step, in seconds.
        ledger_s: The same times by the ledger, which uses simulated time if a link is simulated:
            the end of the last exchange until then.
        activity: Its computing and waiting times, if simulated.
        losses: The losses of this rank, by step.
        memory: The peak number of bytes of each kind.
        parameters: The whole parameters at the end.
    """

    entries: list[Entry] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    clock_s: list[float] = field(default_factory=list)
    ledger_s: list[float] = field(default_factory=list)
    activity: Activity = field(default_factory=Activity)
    losses: list[float] = field(default_factory=list)
    memory: dict[str, int] = field(default_factory=dict)
    parameters: dict[str, Tensor] = field(default_factory=dict)

    def hold(self, memory: dict[str, int]) -> None:
        """Update the peak memory with the current values."""
        for name, held in memory.items():
            self.memory[name] = max(held, self.memory.get(name, 0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Report of a rank at the end of a step: its loss, and the times of start and end."""

    loss: float
    start_s: float
    end_s: float


# Called at the end of each step with its number, from 0.
Report = Callable[[int, Part], None]


def batch(step: int, rank: int) -> Tensor:
    """Return the training batch of a rank in a step.

    Shapes:
        (sequences, tokens + 1)
    """
    generator = torch.Generator().manual_seed(10_000 * step + rank)
    return torch.randint(0, VOCABULARY, (SEQUENCES, SEQ_LEN + 1), generator=generator)


def make_optimizer(parameters: Iterable[Tensor]) -> Optimizer:
    """Return the optimizer, which has states that show in the memory."""
    return torch.optim.AdamW(parameters, lr=1e-3)


def train_alone(world_size: int, num_steps: int) -> dict[str, Tensor]:
    """Train in one process, averaging the gradients of all ranks' batches in rank order."""
    network = Network()
    optimizer = make_optimizer(network.parameters())
    for step in range(num_steps):
        for rank in range(world_size):
            network(batch(step, rank)).backward()
        for parameter in network.parameters():
            assert parameter.grad is not None, "every parameter of the network is used"
            parameter.grad /= world_size
        optimizer.step()
        optimizer.zero_grad()
    return values_of(network)


def train_data_parallel(world: World, num_steps: int, report: Report | None = None) -> Trained:
    """Train one rank with ``DataParallel``."""
    network = Network()
    model = DataParallel(network, comm=world.comm(), bucket_mb=BUCKET_MB, first_bucket_mb=BUCKET_MB)
    optimizer = make_optimizer(network.parameters())

    def run(step: int) -> float:
        return backward(model, batch(step, world.rank))

    def memory() -> dict[str, int]:
        return memory_of(network, optimizer)

    steps = Steps(run, optimizer.step, optimizer.zero_grad, memory)
    trained = train(world, num_steps, steps, report)
    trained.parameters = values_of(network)
    return trained


def train_zero(stage: int) -> Callable[[World, int, Report], Trained]:
    """Return a function that trains one rank with ``Zero`` in a stage."""

    def train_rank(world: World, num_steps: int, report: Report | None = None) -> Trained:
        zero = Zero(Network(), make_optimizer, stage=stage, comm=world.comm(), bucket_mb=BUCKET_MB)

        def run(step: int) -> float:
            return backward(zero.module, batch(step, world.rank))

        steps = Steps(run, zero.step, zero.zero_grad, zero.memory)
        trained = train(world, num_steps, steps, report)
        with zero.full_parameters():
            trained.parameters = values_of(zero.module)
        return trained

    return train_rank


@dataclass(frozen=True, slots=True)
class Steps:
    """Functions of a rank that make up a step.

    Attributes:
        run: Computes the gradients of a step, and returns its loss.
        finish: Updates the parameters.
        clear: Discards the gradients.
        memory: Returns the number of bytes in use, by kind.
    """

    run: Callable[[int], float]
    finish: Callable[[], object]
    clear: Callable[[], None]
    memory: Callable[[], dict[str, int]]


def train(world: World, num_steps: int, steps: Steps, report: Report | None = None) -> Trained:
    """Train one rank, and record its communication, memory and computing times."""
    trained = Trained()
    place = current()
    assert place is not None, "the ranks of a simulation are threads"
    simulation, rank = place
    ledger, activity = world.comm().ledger, simulation.activities[rank]
    begin = len(ledger.entries)
    activity.clear()

    def note() -> None:
        trained.ends.append(len(ledger.entries) - begin)
        trained.clock_s.append(time.perf_counter())
        ends = (each.end_s for each in ledger.entries)
        trained.ledger_s.append(max(simulation.clock_s[rank], *ends, 0.0))

    note()
    for step in range(num_steps):
        loss = steps.run(step)
        trained.hold(steps.memory())
        steps.finish()
        trained.hold(steps.memory())
        steps.clear()
        trained.losses.append(loss)
        note()
        if report is not None:
            clock_s = trained.clock_s if simulation.link is None else trained.ledger_s
            report(step, Part(loss=loss, start_s=clock_s[-2], end_s=clock_s[-1]))
    trained.entries = ledger.entries[begin:]
    trained.activity = activity.copy()
    return trained


def backward(model: Callable[[Tensor], Tensor], tokens: Tensor) -> float:
    """Compute the gradients of a batch; return its loss."""
    loss = model(tokens)
    loss.backward()
    return loss.item()


def memory_of(module: nn.Module, optimizer: Optimizer) -> dict[str, int]:
    """Return the number of bytes of a module and its optimizer, by kind."""
    parameters = list(module.parameters())
    states = [each for state in optimizer.state.values() for each in state.values()]
    return {
        "parameters": num_bytes(parameters),
        "gradients": num_bytes([p.grad for p in parameters if p.grad is not None]),
        "optimizer": num_bytes(states),
        "buffers": num_bytes(list(module.buffers())),
    }


def values_of(module: nn.Module) -> dict[str, Tensor]:
    """Return copies of the parameters, by name."""
    return {name: each.detach().clone() for name, each in module.named_parameters()}
