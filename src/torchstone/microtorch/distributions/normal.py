"""``Normal``: the normal (Gaussian) distribution."""

import math
from typing import Any

import torchstone.microtorch as torch
from torchstone.microtorch.distributions.distribution import Distribution, as_tensors


class Normal(Distribution):
    """Normal distribution with mean ``loc`` and standard deviation ``scale``."""

    _names = ("loc", "scale")
    has_rsample = True

    def __init__(self, loc: Any, scale: Any, validate_args: bool | None = None) -> None:
        self.loc, self.scale = as_tensors(loc, scale)
        super().__init__(self.loc.shape, validate_args)
        self._require("loc", self.loc == self.loc, "Real()")
        self._require("scale", self.scale > 0, "GreaterThan(lower_bound=0.0)")

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale**2)

    def _draw(self, shape: Any) -> Any:
        return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draw samples that are differentiable functions of ``loc`` and ``scale``."""
        zeros = torch.zeros((*sample_shape, *self.batch_shape), dtype=self.loc.dtype)
        return self.loc + torch.normal(zeros, zeros + 1) * self.scale

    def _support(self, value: Any) -> tuple[Any, str]:
        return value == value, "Real()"

    def _log_prob(self, value: Any) -> Any:
        square = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -square - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def entropy(self) -> Any:
        """Return the entropy, in nats."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()
