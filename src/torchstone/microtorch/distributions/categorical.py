"""Choices: among classes, and between zero and one."""

from typing import Any

import torchstone.microtorch as torch
from torchstone.microtorch.distributions.distribution import Distribution, derived
from torchstone.microtorch.dtypes import finfo


def _one_of(probs: Any, logits: Any) -> Any:
    if (probs is None) == (logits is None):
        raise ValueError("Either `probs` or `logits` must be specified, but not both.")
    return torch.as_tensor(logits if probs is None else probs)


class Categorical(Distribution):
    """A class; of (*batch, num_classes) weights or unnormalised logarithms one is given."""

    _names = ("probs", "logits")

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        given = _one_of(probs, logits)
        super().__init__(given.shape[:-1])
        if probs is None:
            self.logits = given - given.logsumexp(-1, keepdim=True)
        else:
            self.probs = given / given.sum(-1, keepdim=True)

    @derived
    def probs(self) -> Any:
        """The probabilities."""
        return self.logits.softmax(-1)

    @derived
    def logits(self) -> Any:
        """The logarithms of the probabilities."""
        eps = finfo(self.probs.dtype).eps
        return self.probs.clamp(eps, 1 - eps).log()

    def _draw(self, shape: Any) -> Any:
        rows = self.probs.reshape(-1, self.probs.shape[-1])
        return rows.multinomial(shape.numel() // rows.shape[0], True).T.reshape(shape)

    def log_prob(self, value: Any) -> Any:
        """Give the logarithm of the probability of a class."""
        value = value.long().unsqueeze(-1)
        shape = (value + self.logits).shape
        return self.logits.expand(shape).gather(-1, value.expand(*shape[:-1], 1)).squeeze(-1)

    def entropy(self) -> Any:
        """Give the entropy, in nats."""
        logits = self.logits.clamp(min=finfo(self.logits.dtype).min)
        return -(logits * self.probs).sum(-1)


class Bernoulli(Distribution):
    """One with the probability ``probs``, of which ``logits`` are the log-odds; or zero."""

    _names = ("probs", "logits")

    def __init__(self, probs: Any = None, logits: Any = None, validate_args: Any = None) -> None:
        given = _one_of(probs, logits)
        super().__init__(given.shape)
        vars(self)["logits" if probs is None else "probs"] = given

    @derived
    def probs(self) -> Any:
        """The probability of one."""
        return self.logits.sigmoid()

    @derived
    def logits(self) -> Any:
        """The logarithm of the odds."""
        eps = finfo(self.probs.dtype).eps
        probs = self.probs.clamp(eps, 1 - eps)
        return probs.log() - (-probs).log1p()

    def _draw(self, shape: Any) -> Any:
        return self.probs.expand(shape).bernoulli()

    def log_prob(self, value: Any) -> Any:
        """Give the logarithm of the probability of one or zero."""
        cross_entropy = torch.nn.functional.binary_cross_entropy_with_logits
        logits, value = self.logits + 0 * value, value + 0 * self.logits.detach()
        return -cross_entropy(logits, value, reduction="none")

    def entropy(self) -> Any:
        """Give the entropy, in nats."""
        return -self.log_prob(self.probs)
