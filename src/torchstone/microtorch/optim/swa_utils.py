"""Weight averaging: AveragedModel, SWALR, update_bn, as in ``torch.optim.swa_utils``."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from typing import Any

from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.nn.modules.normalization import _BatchNorm
from torchstone.microtorch.ops.creation import tensor
from torchstone.microtorch.optim.cycles import for_each
from torchstone.microtorch.optim.optimizer import Optimizer
from torchstone.microtorch.optim.schedule import LRScheduler
from torchstone.microtorch.tensor import Tensor

Average = Callable[[Tensor, Tensor, Any], Tensor]
AverageMany = Callable[[Sequence[Tensor], Sequence[Tensor], Any], None]


def get_ema_avg_fn(decay: float = 0.999) -> Average:
    """Return the function that updates an exponential moving average."""
    if not 0.0 <= decay <= 1.0:
        raise ValueError(
            f"Invalid decay value {decay} provided. Please provide a value in [0,1] range."
        )

    @no_grad()
    def average(mean: Tensor, value: Tensor, number: Any) -> Tensor:
        return decay * mean + (1 - decay) * value

    return average


def get_swa_avg_fn() -> Average:
    """Return the function that updates an equally weighted average."""

    @no_grad()
    def average(mean: Tensor, value: Tensor, number: Any) -> Tensor:
        return mean + (value - mean) / (number + 1)

    return average


def get_ema_multi_avg_fn(decay: float = 0.999) -> AverageMany:
    """Return ``get_ema_avg_fn`` for lists of tensors, which are updated in place."""
    return _for_lists(get_ema_avg_fn(decay))


def get_swa_multi_avg_fn() -> AverageMany:
    """Return ``get_swa_avg_fn`` for lists of tensors, which are updated in place."""
    return _for_lists(get_swa_avg_fn())


def _for_lists(average: Average) -> AverageMany:
    @no_grad()
    def average_all(means: Sequence[Tensor], values: Sequence[Tensor], number: Any) -> None:
        for mean, value in zip(means, values, strict=True):
            mean.copy_(average(mean, value, number))

    return average_all


class AveragedModel(Module):
    """Copy of a model whose parameters are averages of those of the model.

    Args:
        model: The model.
        device: The CPU.
        avg_fn: Returns the new average from the average, a value, and the number of previous
            values; by default that of ``get_swa_avg_fn``.
        multi_avg_fn: Updates lists of averages in place, instead of ``avg_fn``.
        use_buffers: Average the buffers instead of copying them.

    Source:
        Izmailov et al., Averaging weights leads to wider optima (2018), algorithm 1.
    """

    def __init__(
        self,
        model: Module,
        device: Any = None,
        avg_fn: Average | None = None,
        multi_avg_fn: AverageMany | None = None,
        use_buffers: bool = False,
    ) -> None:
        super().__init__()
        if avg_fn is not None and multi_avg_fn is not None:
            raise AssertionError("Only one of avg_fn and multi_avg_fn should be provided")
        self.module = deepcopy(model)
        self.register_buffer("n_averaged", tensor(0))
        self.avg_fn, self.multi_avg_fn, self.use_buffers = avg_fn, multi_avg_fn, use_buffers

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Call the averaged model."""
        return self.module(*args, **kwargs)

    @no_grad()
    def update_parameters(self, model: Module) -> None:
        """Update the average with the parameters of a model."""
        pairs: list[tuple[Tensor, Tensor]]
        pairs = list(zip(self.module.parameters(), model.parameters(), strict=True))
        buffers = list(zip(self.module.buffers(), model.buffers(), strict=True))
        if self.use_buffers:
            pairs, buffers = pairs + buffers, []
        if self.n_averaged == 0:
            pairs, buffers = [], pairs + buffers
        average = self.multi_avg_fn or _for_lists(self.avg_fn or get_swa_avg_fn())
        # Grouped by dtype.
        for dtype in {mean.dtype for mean, _ in pairs}:
            same = [pair for pair in pairs if pair[0].dtype == dtype]
            means, values = zip(*same, strict=True)
            average(
                [each.detach() for each in means],
                [each.detach() for each in values],
                self.n_averaged,
            )
        for mean, value in buffers:
            mean.detach().copy_(value)
        self.n_averaged += 1


@no_grad()
def update_bn(loader: Iterable[Any], model: Module, device: Any = None) -> None:
    """Recompute the BatchNorm statistics of a model from all batches."""
    norms = [each for each in model.modules() if isinstance(each, _BatchNorm)]
    momenta = [each.momentum for each in norms]
    if not norms:
        return
    was_training = model.training
    model.train()
    for each in norms:
        each.reset_running_stats()
        # momentum=None averages all batches equally.
        each.momentum = None
    for batch in loader:
        model(batch[0] if isinstance(batch, list | tuple) else batch)
    for each, momentum in zip(norms, momenta, strict=True):
        each.momentum = momentum
    model.train(was_training)


class SWALR(LRScheduler):
    """Schedule that anneals the learning rate to a constant value."""

    def __init__(
        self,
        optimizer: Optimizer,
        swa_lr: float | Sequence[float],
        anneal_epochs: int = 10,
        anneal_strategy: str = "cos",
        last_epoch: int = -1,
    ) -> None:
        if anneal_strategy not in ("cos", "linear"):
            raise ValueError(
                f"anneal_strategy must be one of 'cos' or 'linear', instead got {anneal_strategy}"
            )
        if not isinstance(anneal_epochs, int) or anneal_epochs < 0:
            raise ValueError(f"anneal_epochs must be equal or greater than 0, got {anneal_epochs}")
        rates = for_each(optimizer, "swa_lr", swa_lr)
        for group, lr in zip(optimizer.param_groups, rates, strict=True):
            group["swa_lr"] = lr
        self.anneal_epochs, self.anneal_strategy = anneal_epochs, anneal_strategy
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list[float]:
        """Compute the learning rates of this step by annealing the current ones."""
        before, now = self._share(self.last_epoch - 1), self._share(self.last_epoch)
        rest = 0.0 if before == 1 else (1 - now) / (1 - before)
        return [
            group["swa_lr"] + (group["lr"] - group["swa_lr"]) * rest
            for group in self.optimizer.param_groups
        ]

    def _share(self, step: int) -> float:
        """Return the fraction of the annealing that is done."""
        if self.anneal_epochs == 0:
            return float(step >= 0)
        share = max(0.0, min(1.0, step / self.anneal_epochs))
        return share if self.anneal_strategy == "linear" else (1 - math.cos(math.pi * share)) / 2
