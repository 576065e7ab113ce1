from dataclasses import dataclass

from torch import nn


@dataclass
class LayerStat:
    """What a layer cost, summed over the recorded steps; times are microseconds."""

    name: str
    type: str
    calls: int
    total_us: float
    self_us: float
    backward_us: float
    ops: dict[str, int]


class LayerProfiler:
    """Record what each layer of a model costs, forward and backward.

    ``with LayerProfiler(model) as prof:`` runs steps; ``prof.step()`` ends each of them.
    """

    def __init__(self, model: nn.Module, *, warmup: int = 1) -> None:
        raise NotImplementedError

    def __enter__(self) -> "LayerProfiler":
        raise NotImplementedError

    def __exit__(self, *exc) -> None:
        raise NotImplementedError

    def step(self) -> None:
        """End a step; the first ``warmup`` steps are not recorded."""
        raise NotImplementedError

    def stats(self) -> list[LayerStat]:
        """Return one row for each module, in the order of ``model.named_modules()``."""
        raise NotImplementedError

    def table(self) -> str:
        """Return a table with one line for each layer, names included."""
        raise NotImplementedError
