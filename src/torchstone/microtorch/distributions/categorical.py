"""Discrete distributions: Categorical and Bernoulli."""

from typing import Any

import torchstone.microtorch as torch
from torchstone.microtorch.distributions.distribution import Distribution, as_tensors, derived
from torchstone.microtorch.dtypes import finfo


def _one_of(probs: Any, logits: Any) -> tuple[str, Any]:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return ("logits", logits) if probs is None else ("probs", probs)


class Categorical(Distribution):
    """Categorical distribution over classes, from ``probs`` or ``logits`` (*batch, num_classes)."""

    _names = ("probs", "logits")

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, given = _one_of(probs, logits)
        if given.dim() < 1:
            raise ValueError(f"`{name}` parameter must be at least one-dimensional.")
        super().__init__(given.shape[:-1], validate_args)
        if probs is None:
            self.logits = given - given.logsumexp(-1, keepdim=True)
            self._require(name, self.logits == self.logits, "IndependentConstraint(Real(), 1)")
        else:
            self.probs = given / given.sum(-1, keepdim=True)
            self._require(name, self.probs >= 0, "Simplex()")

    @derived
    def probs(self) -> Any:
        """Return the probabilities."""
        return self.logits.softmax(-1)

    @derived
    def logits(self) -> Any:
        """Return the logarithms of the probabilities."""
        eps = finfo(self.probs.dtype).eps
        return self.probs.clamp(eps, 1 - eps).log()

    def _draw(self, shape: Any) -> Any:
        rows = self.probs.reshape(-1, self.probs.shape[-1])
        count = shape[: len(shape) - len(self.batch_shape)].numel()
        return rows.multinomial(count, True).T.reshape(shape)

    def _support(self, value: Any) -> tuple[Any, str]:
        last = self.probs.shape[-1] - 1
        holds = (value % 1 == 0) & (value >= 0) & (value <= last)
        return holds, f"IntegerInterval(lower_bound=0, upper_bound={last})"

    def _log_prob(self, value: Any) -> Any:
        value = value.long().unsqueeze(-1)
        shape = (value + self.logits).shape
        return self.logits.expand(shape).gather(-1, value.expand(*shape[:-1], 1)).squeeze(-1)

    def entropy(self) -> Any:
        """Return the entropy, in nats."""
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)


class Bernoulli(Distribution):
    """Bernoulli distribution, from the probability ``probs`` of 1 or its log-odds ``logits``."""

    _names = ("probs", "logits")

    def __init__(
        self, probs: Any = None, logits: Any = None, validate_args: bool | None = None
    ) -> None:
        name, given = _one_of(probs, logits)
        (given,) = as_tensors(given)
        super().__init__(given.shape, validate_args)
        vars(self)[name] = given
        if probs is None:
            self._require(name, given == given, "Real()")
        else:
            holds = (given >= 0) & (given <= 1)
            self._require(name, holds, "Interval(lower_bound=0.0, upper_bound=1.0)")

    @derived
    def probs(self) -> Any:
        """Return the probability of 1."""
        return self.logits.sigmoid()

    @derived
    def logits(self) -> Any:
        """Return the log-odds."""
        eps = finfo(self.probs.dtype).eps
        probs = self.probs.clamp(eps, 1 - eps)
        return probs.log() - (-probs).log1p()

    def _draw(self, shape: Any) -> Any:
        return self.probs.expand(shape).bernoulli()

    mean = property(lambda self: self.probs)
    variance = property(lambda self: self.probs * (1 - self.probs))

    def _support(self, value: Any) -> tuple[Any, str]:
        return (value == 0) | (value == 1), "Boolean()"

    def _log_prob(self, value: Any) -> Any:
        cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits
        logits, value = self.logits + 0 * value, value + 0 * self.logits.detach()
        return -cross_entropy(logits, value, reduction="none")

    def entropy(self) -> Any:
        """Return the entropy, in nats."""
        return -self._log_prob(self.probs)
