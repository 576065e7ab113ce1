"""A module with all that is awkward, its batches, and its training in one process."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator

import torch
from torch import Tensor, nn
from torch.nn import Parameter
from torch.optim import Optimizer

MakeOptimizer = Callable[[Iterable[Parameter]], Optimizer]
VOCABULARY, WIDTH, SEQ_LEN = 50, 32, 8
OPTIMIZERS: dict[str, MakeOptimizer] = {
    "sgd": lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9, weight_decay=0.01),
    "adam": lambda p: torch.optim.Adam(p, lr=1e-2),
    "adamw": lambda p: torch.optim.AdamW(p, lr=1e-2, weight_decay=0.1),
}


class Block(nn.Module):
    """A layer with a branch that is used in some steps only."""

    def __init__(self) -> None:
        super().__init__()
        self.up = nn.Linear(WIDTH, 2 * WIDTH)
        self.down = nn.Linear(2 * WIDTH, WIDTH)
        self.norm = nn.LayerNorm(WIDTH)
        self.rare = nn.Linear(WIDTH, WIDTH)
        self.never = nn.Parameter(torch.ones(7))

    def forward(self, x: Tensor, *, is_rare: bool) -> Tensor:
        """Return the input with what the layer adds."""
        y = self.down(nn.functional.gelu(self.up(self.norm(x))))
        return x + y + (self.rare(x) if is_rare else 0)


class Language(nn.Module):
    """A small language model: tied, frozen, unused and unlike parameters, and a buffer."""

    def __init__(self, num_layers: int = 3, dtype: torch.dtype = torch.float32) -> None:
        super().__init__()
        torch.manual_seed(0)
        self.embedding = nn.Embedding(VOCABULARY, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(num_layers))
        self.wide = nn.Parameter(torch.ones(WIDTH, dtype=torch.float64))
        self.head = nn.Linear(WIDTH, VOCABULARY, bias=False)
        self.head.weight = self.embedding.weight
        self.blocks[0].up.bias.requires_grad_(False)
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))
        if dtype is not torch.float32:
            self.to(dtype)

    def forward(self, tokens: Tensor, *, rare: tuple[int, ...] = ()) -> Tensor:
        """Return the loss of guessing each token from those before it."""
        self.calls += 1
        x = self.embedding(tokens[:, :-1])
        for number, block in enumerate(self.blocks):
            x = block(x, is_rare=number in rare)
        scores = self.head((x * self.wide).to(x.dtype))
        return nn.functional.cross_entropy(scores.flatten(0, 1).float(), tokens[:, 1:].flatten())


def batch(step: int, number: int) -> Tensor:
    """Return the micro-batch of a step with this number."""
    generator = torch.Generator().manual_seed(1000 * step + number)
    return torch.randint(0, VOCABULARY, (3, SEQ_LEN + 1), generator=generator)


def rare_of(step: int, rank: int) -> tuple[int, ...]:
    """Return the layers whose rare branch a rank uses in a step: other ranks use others."""
    return tuple(number for number in range(3) if (step + rank + number) % 3 == 0 and step % 2)


def train_alone(
    world_size: int, make: MakeOptimizer, *, num_steps: int = 4, accumulate: int = 1
) -> Language:
    """Train in one process: add the gradients in rank order, divide by the number of ranks."""
    module = Language()
    optimizer = make(module.parameters())
    for step in range(num_steps):
        totals: dict[str, Tensor] = {}
        for rank in range(world_size):
            copied = copy.deepcopy(module)
            for part in range(accumulate):
                tokens = batch(step, rank * accumulate + part)
                copied(tokens, rare=rare_of(step, rank)).backward()
            for name, grad in gradients(copied):
                totals[name] = totals[name] + grad if name in totals else grad
        for name, parameter in module.named_parameters():
            parameter.grad = totals[name] / world_size if name in totals else None
        optimizer.step()
        optimizer.zero_grad()
    return module


def gradients(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Yield the gradients that are there."""
    for name, parameter in module.named_parameters():
        if parameter.grad is not None:
            yield name, parameter.grad


def values(module: nn.Module) -> dict[str, Tensor]:
    """Return copies of the parameters."""
    return {name: each.detach().clone() for name, each in module.named_parameters()}


def differing(some: dict[str, Tensor], others: dict[str, Tensor]) -> list[str]:
    """Return the names of tensors that are not equal to the last bit."""
    assert some.keys() == others.keys()
    return [name for name, each in some.items() if not torch.equal(each, others[name])]
