"""Distributions draw PyTorch's numbers and give its probabilities."""

from collections.abc import Callable, Iterator
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


@pytest.fixture(autouse=True)
def validating() -> Iterator[None]:
    """Let PyTorch's distributions refuse; ``torch.compile`` ends that for the whole process."""
    torch.distributions.Distribution.set_default_validate_args(True)
    yield
    torch.distributions.Distribution.set_default_validate_args(__debug__)


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


@pytest.mark.parametrize(
    "use",
    [
        lambda t, d: d.Normal(t.zeros(2), t.tensor([1.0, -1.0])),
        lambda t, d: d.Normal(t.tensor([0.0, float("nan")]), 1.0),
        lambda t, d: d.Normal(0.0, 1.0).log_prob(t.tensor(float("nan"))),
        lambda t, d: d.Normal(0.0, 1.0).log_prob(0.5),
        lambda t, d: d.Normal(t.zeros(2), 1.0).log_prob(t.zeros(3)),
        lambda t, d: d.Categorical(logits=t.tensor([0.0, float("nan")])),
        lambda t, d: d.Categorical(t.tensor([0.5, -0.5])),
        lambda t, d: d.Categorical(t.tensor(0.5)),
        lambda t, d: d.Categorical(t.ones(2)).log_prob(t.tensor(2)),
        lambda t, d: d.Bernoulli(1.5),
        lambda t, d: d.Bernoulli(logits=t.tensor(float("nan"))),
        lambda t, d: d.Bernoulli(0.5).log_prob(t.tensor([1.0, 0.5])),
    ],
)
def test_what_makes_no_sense_is_refused_in_pytorchs_words(use: Any) -> None:
    texts = []
    for t in (micro, torch):
        with pytest.raises(ValueError) as caught:  # noqa: PT011 - the message is compared below
            use(t, t.distributions)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]


def test_whole_numbers_make_distributions_of_floats_and_nothing_is_looked_at_if_so_wished() -> None:
    for t in (micro, torch):
        t.manual_seed(0)
        d = t.distributions
        found = [d.Normal(0, 1).sample(), d.Bernoulli(1).sample(), d.Bernoulli(1).variance]
        assert [each.dtype for each in found] == [t.float32] * 3
        assert found[0].item() == pytest.approx(1.5409961)
        assert d.Categorical(t.ones(0, 3)).sample().shape == (0,)
        assert d.Normal(0.0, -1.0, validate_args=False).stddev.item() == -1


@pytest.mark.parametrize("scale", [1.0, None])
def test_a_parameter_stays_the_tensor_that_was_given_and_gets_its_gradient(scale: Any) -> None:
    for t in (torch, micro):
        mu, sigma = t.zeros(3, requires_grad=True), t.ones(3)
        normal = t.distributions.Normal(mu, sigma if scale is None else scale)
        assert normal.loc is mu
        assert normal.mean is mu
        (normal.loc * 2).sum().backward()
        assert mu.grad.tolist() == [2.0, 2.0, 2.0]
        assert t.distributions.Bernoulli(logits=mu).logits is mu
