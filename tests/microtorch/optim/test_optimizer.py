"""What all optimisers have in common; their steps are compared in the conformance suite."""

from copy import deepcopy
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

NEW = ["ASGD", "Adadelta", "Adamax", "NAdam", "RAdam", "Rprop"]


def steps(optimizer: Any, weight: Any, count: int) -> None:
    for _ in range(count):
        optimizer.zero_grad()
        (weight**2).sum().backward()
        optimizer.step()


@pytest.mark.parametrize("name", NEW)
def test_a_step_leaves_pytorchs_state_under_pytorchs_names(name: str) -> None:
    states, weights = [], []
    for space in (micro, torch):
        weight = space.linspace(-1, 2, 6).view(2, 3).requires_grad_()
        optimizer = getattr(space.optim, name)([weight])
        steps(optimizer, weight, 3)
        states.append({key: each.numpy() for key, each in optimizer.state[weight].items()})
        weights.append(weight.detach().numpy())
    assert set(states[0]) == set(states[1])
    for key, wanted in states[1].items():
        np.testing.assert_allclose(states[0][key], wanted, rtol=1e-5, atol=1e-7, err_msg=key)
    np.testing.assert_allclose(weights[0], weights[1], rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("name", ["Adam", "NAdam", "SGD"])
def test_a_copy_of_an_optimiser_goes_on_with_a_state_of_its_own(name: str) -> None:
    options = {"momentum": 0.9} if name == "SGD" else {}
    weight = micro.ones(3, requires_grad=True)
    optimizer = getattr(micro.optim, name)([weight], lr=0.1, **options)
    steps(optimizer, weight, 2)
    other = deepcopy(optimizer)
    (copied,) = other.param_groups[0]["params"]
    steps(other, copied, 2)
    steps(optimizer, weight, 2)
    assert copied is not weight
    np.testing.assert_array_equal(copied.detach().numpy(), weight.detach().numpy())
    for key, each in optimizer.state[weight].items():
        np.testing.assert_array_equal(other.state[copied][key].numpy(), each.numpy())


def test_an_optimiser_is_printed_as_pytorch_prints_it() -> None:
    def text(space: Any) -> str:
        groups = [{"params": [space.zeros(2)]}, {"params": [space.zeros(3)], "lr": 0.5}]
        return repr(space.optim.Adadelta(groups))

    assert text(micro) == text(torch)


@pytest.mark.parametrize(
    ("name", "options"),
    [("Adadelta", {"rho": 1.1}), ("Adamax", {"betas": (1.0, 0.9)}), ("ASGD", {"lr": -1}),
     ("NAdam", {"momentum_decay": -1}), ("RAdam", {"eps": -1}), ("Rprop", {"etas": (1.0, 0.5)})],
)  # fmt: skip
def test_an_option_that_makes_no_sense_is_refused_in_pytorchs_words(
    name: str, options: dict[str, Any]
) -> None:
    texts = []
    for space in (micro, torch):
        with pytest.raises(ValueError, match="Invalid") as caught:
            getattr(space.optim, name)([space.zeros(1)], **options)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
