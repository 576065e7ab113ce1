"""Weights that a hook normalizes before each call, as in PyTorch."""

from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.nn.modules.test_state import outcome

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore:`torch.nn.utils.weight_norm` is deprecated"),
]


@pytest.mark.parametrize("kind", ["weight_norm", "spectral_norm"])
def test_numbers_agree_until_it_is_removed(kind: str) -> None:
    found: list[dict[str, Any]] = []
    for t in (micro, torch):
        t.manual_seed(0)
        layer = getattr(t.nn.utils, kind)(t.nn.Linear(3, 4))
        layer(t.ones(1, 3))
        layer(t.ones(1, 3)).pow(2).sum().backward()
        numbers = {f"grad of {name}": each.grad for name, each in layer.named_parameters()}
        numbers |= {name: each.clone() for name, each in layer.state_dict().items()}
        numbers["eval"] = layer.eval()(t.ones(1, 3))
        getattr(t.nn.utils, f"remove_{kind}")(layer)
        numbers |= {f"{name} at last": each for name, each in layer.state_dict().items()}
        found.append(numbers)
    assert list(found[0]) == list(found[1])
    for name, ours in found[0].items():
        theirs = found[1][name].detach().numpy()
        np.testing.assert_allclose(ours.detach().numpy(), theirs, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("kind", ["weight_norm", "spectral_norm"])
def test_a_second_one_and_the_removal_of_none_are_refused(kind: str) -> None:
    def second(t: Any) -> Any:
        norm = getattr(t.nn.utils, kind)
        return norm(norm(t.nn.Linear(2, 2)))

    def none(t: Any) -> Any:
        return getattr(t.nn.utils, f"remove_{kind}")(t.nn.Linear(2, 2))

    for call in (second, none):
        assert outcome(lambda call=call: call(micro)) == outcome(lambda call=call: call(torch))
