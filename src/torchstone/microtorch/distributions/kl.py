"""Kullback-Leibler divergence: kl_divergence."""

from typing import Any

from torchstone.microtorch.distributions.categorical import Bernoulli, Categorical
from torchstone.microtorch.distributions.distribution import Distribution
from torchstone.microtorch.distributions.normal import Normal


def kl_divergence(p: Distribution, q: Distribution) -> Any:
    """Compute the Kullback-Leibler divergence of two distributions of one kind."""
    if isinstance(p, Normal) and isinstance(q, Normal):
        ratio = (p.scale / q.scale) ** 2
        return 0.5 * (ratio + ((p.loc - q.loc) / q.scale) ** 2 - 1 - ratio.log())
    if isinstance(p, Categorical) and isinstance(q, Categorical):
        terms = (p.probs * (p.logits - q.logits)).masked_fill(q.probs == 0, float("inf"))
        return terms.masked_fill(p.probs == 0, 0.0).sum(-1)
    if isinstance(p, Bernoulli) and isinstance(q, Bernoulli):
        impossible = ((q.probs == 0) & (p.probs > 0)) | ((q.probs == 1) & (p.probs < 1))
        return (-q._log_prob(p.probs) - p.entropy()).masked_fill(impossible, float("inf"))
    kinds = f"{type(p).__name__} and q type {type(q).__name__}"
    raise NotImplementedError(f"No KL(p || q) is implemented for p type {kinds}")
