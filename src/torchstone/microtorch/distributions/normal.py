"""The normal distribution."""

import math
from typing import Any

import torchstone.microtorch as torch
from torchstone.microtorch.distributions.distribution import Distribution


class Normal(Distribution):
    """Numbers around ``loc`` with the standard deviation ``scale``."""

    _names = ("loc", "scale")

    def __init__(self, loc: Any, scale: Any, validate_args: Any = None) -> None:
        self.loc, self.scale = torch.broadcast_tensors(*map(torch.as_tensor, (loc, scale)))
        if not (self.scale > 0).all():
            raise ValueError(f"Expected parameter scale of Normal to be positive, got {scale}")
        super().__init__(self.loc.shape)

    mean = mode = property(lambda self: self.loc)
    stddev = property(lambda self: self.scale)
    variance = property(lambda self: self.scale**2)

    def _draw(self, shape: Any) -> Any:
        return torch.normal(self.loc.expand(shape), self.scale.expand(shape))

    def rsample(self, sample_shape: Any = ()) -> Any:
        """Draw as a differentiable function of ``loc`` and ``scale``."""
        zeros = torch.zeros((*sample_shape, *self.batch_shape), dtype=self.loc.dtype)
        return self.loc + torch.normal(zeros, zeros + 1) * self.scale

    def log_prob(self, value: Any) -> Any:
        """Give the logarithm of the density."""
        square = (value - self.loc) ** 2 / (2 * self.scale**2)
        return -square - self.scale.log() - math.log(math.sqrt(2 * math.pi))

    def entropy(self) -> Any:
        """Give the entropy, in nats."""
        return 0.5 + 0.5 * math.log(2 * math.pi) + self.scale.log()
