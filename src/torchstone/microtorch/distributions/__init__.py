"""Probability distributions: Categorical, Bernoulli, Normal, as in ``torch.distributions``."""

from torchstone.microtorch.distributions.categorical import Bernoulli as Bernoulli
from torchstone.microtorch.distributions.categorical import Categorical as Categorical
from torchstone.microtorch.distributions.distribution import Distribution as Distribution
from torchstone.microtorch.distributions.kl import kl_divergence as kl_divergence
from torchstone.microtorch.distributions.normal import Normal as Normal
