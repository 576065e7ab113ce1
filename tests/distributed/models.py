"""Modules, micro-batches, and what one process makes of them, for the tests of data parallelism."""

import hashlib
from collections.abc import Callable, Iterable

import torch
from torch import Tensor, nn

Optimiser = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]

OPTIMISERS: dict[str, Optimiser] = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9, weight_decay=0.01),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.01),
    "adamw": lambda parameters: torch.optim.AdamW(parameters, lr=0.01),
}


class Net(nn.Module):
    """Two tied matrices, a frozen one, a scalar, and a normalisation of rows."""

    def __init__(self, seed: int = 0) -> None:
        super().__init__()
        random = torch.Generator().manual_seed(seed)
        self.first = nn.Linear(5, 7)
        self.tied = nn.Linear(7, 7)
        self.again = nn.Linear(7, 7, bias=False)
        self.again.weight = self.tied.weight
        self.norm = nn.LayerNorm(7)
        self.frozen = nn.Linear(7, 7)
        self.frozen.requires_grad_(False)
        self.scale = nn.Parameter(torch.tensor(1.0))
        self.last = nn.Linear(7, 3)
        with torch.no_grad():
            for each in self.parameters():
                each.copy_(torch.randn(each.shape, generator=random) / 2)

    def forward(self, x: Tensor) -> Tensor:
        x = torch.tanh(self.tied(torch.tanh(self.first(x))))
        x = self.frozen(self.norm(self.again(x))) * self.scale
        return self.last(x)


class Branches(nn.Module):
    """Layers that a caller chooses, in the order that it chooses."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(0)
        self.layers = nn.ModuleList(nn.Linear(3, 3) for _ in range(4))

    def forward(self, x, chosen):
        for each in chosen:
            x = torch.tanh(self.layers[each](x))
        return x


def batch(step: int, rank: int, micro: int = 0, *, rows: int = 4) -> Tensor:
    """Return the samples of a rank, which the seed alone decides."""
    random = torch.Generator().manual_seed(1000 * step + 10 * rank + micro)
    return torch.randn(rows, 5, generator=random)


def loss(module: nn.Module, x: Tensor) -> Tensor:
    """Return a loss that is no linear function of the outputs."""
    return module(x).square().mean()


def train_alone(
    num_ranks: int, optimiser: Optimiser, *, steps: int = 3, micro: int = 1, seed: int = 0
) -> list[Tensor]:
    """Train in one process, which adds the gradients of all ranks in rank order and divides."""
    module = Net(seed)
    trained = [each for each in module.parameters() if each.requires_grad]
    optimizer = optimiser(trained)
    for step in range(steps):
        total = [torch.zeros_like(each) for each in trained]
        for rank in range(num_ranks):
            module.zero_grad()
            for number in range(micro):
                loss(module, batch(step, rank, number)).backward()
            for place, each in zip(total, trained, strict=True):
                place += each.grad if rank else each.grad - place
        for place, each in zip(total, trained, strict=True):
            each.grad = place / num_ranks
        optimizer.step()
    return [each.detach().clone() for each in module.parameters()]


def digest(tensors: Iterable[Tensor]) -> str:
    """Return a hash of the bits of tensors."""
    state = hashlib.sha256()
    for each in tensors:
        state.update(bytes(each.detach().contiguous().view(-1).view(torch.uint8).tolist()))
    return state.hexdigest()


def grads_of(module: nn.Module) -> list[Tensor | None]:
    """Return copies of the gradients of all parameters."""
    return [None if each.grad is None else each.grad.clone() for each in module.parameters()]


def are_equal(one: list[Tensor | None], other: list[Tensor | None]) -> bool:
    """Return whether two lists have the same bits, and nothing in the same places."""
    return len(one) == len(other) and all(
        a is b is None or (a is not None and b is not None and torch.equal(a, b))
        for a, b in zip(one, other, strict=True)
    )
