"""Distributions draw PyTorch's numbers and give its probabilities."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch
WEIGHTS = [[0.2, 0.5, 0.0, 0.3], [1.0, 2.0, 3.0, 4.0], [0.1, 0.1, 0.1, 0.1]]
MAKERS: dict[str, Callable[[Any, Any], Any]] = {
    "categorical_of_probs": lambda d, w: d.Categorical(w),
    "categorical_of_logits": lambda d, w: d.Categorical(logits=w),
    "bernoulli_of_probs": lambda d, w: d.Bernoulli(w / 5),
    "bernoulli_of_logits": lambda d, w: d.Bernoulli(logits=w - 1),
    "normal": lambda d, w: d.Normal(w, w.exp()),
    "normal_of_numbers": lambda d, w: d.Normal(0.5, 2.0),
}


def described(torch: Any, name: str) -> tuple[str, list[Any]]:
    weights = torch.tensor(WEIGHTS, requires_grad=True)
    torch.manual_seed(3)
    it = MAKERS[name](torch.distributions, weights)
    drawn, several = it.sample(), it.sample((5,))
    found = [drawn, several, it.log_prob(drawn), it.log_prob(several), it.entropy()]
    shown = f"{it} {it.batch_shape} {drawn.requires_grad}"
    if it.entropy().requires_grad:
        (it.log_prob(several).sum() + it.entropy().sum()).backward()
        found.append(weights.grad)
    if hasattr(it, "scale"):
        found += [it.rsample((2,)), it.mean, it.stddev, it.variance]
    return shown, [each.detach().numpy() for each in found]


@pytest.mark.parametrize("name", MAKERS)
def test_samples_probabilities_and_gradients_are_those_of_pytorch(name: str) -> None:
    (shown, ours), (wanted, theirs) = described(micro, name), described(torch, name)
    assert shown == wanted
    for one, two in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


def test_divergences_are_those_of_pytorch() -> None:
    def divergences(torch: Any) -> list[Any]:
        weights = torch.tensor(WEIGHTS)
        pairs = [(make(torch.distributions, weights), make(torch.distributions, weights.flip(0)))
                 for make in MAKERS.values()]  # fmt: skip
        return [torch.distributions.kl_divergence(p, q).numpy() for p, q in pairs]

    for one, two in zip(divergences(micro), divergences(torch), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-5, atol=1e-6)


def test_what_makes_no_distribution_is_refused() -> None:
    with pytest.raises(ValueError, match="scale"):
        micro.distributions.Normal(0.0, -1.0)
    for kind in (micro.distributions.Categorical, micro.distributions.Bernoulli):
        with pytest.raises(ValueError, match="Either `probs` or `logits`"):
            kind()
    one, other = micro.distributions.Normal(0.0, 1.0), micro.distributions.Bernoulli(0.5)
    with pytest.raises(NotImplementedError, match="p type Normal and q type Bernoulli"):
        micro.distributions.kl_divergence(one, other)
