"""Weights that are normalized or orthogonal have PyTorch's numbers, states and gradients."""

from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def followed(t: Any, kind: str, name: str, sizes: tuple[int, ...], **options: Any) -> list[Any]:
    """Go forwards twice, back once, and once more in use; give all numbers."""
    t.manual_seed(0)
    layer = getattr(t.nn, name)(*sizes)
    layer = getattr(t.nn.utils.parametrizations, kind)(layer, **options)
    x = t.ones(1, sizes[0], *(3,) * (len(sizes) - 2 + ("Conv" in name)))
    layer(x)
    layer(x).pow(2).sum().backward()
    found = [each.grad for each in layer.parameters()]
    found += [layer.weight, layer.eval()(x), *layer.state_dict().values()]
    return [each.detach().numpy() for each in found]


@pytest.mark.parametrize(
    ("kind", "name", "sizes", "options"),
    [
        ("weight_norm", "Linear", (3, 2), {}),
        ("weight_norm", "Linear", (3, 2), {"dim": None}),
        ("spectral_norm", "Linear", (3, 4), {"n_power_iterations": 2}),
        ("orthogonal", "Linear", (4, 4), {}),
        ("orthogonal", "Linear", (5, 3), {}),
        ("orthogonal", "Linear", (3, 5), {"orthogonal_map": "cayley"}),
        ("orthogonal", "Linear", (3, 3), {"use_trivialization": False}),
    ],
)
def test_numbers_states_and_gradients_agree(
    kind: str, name: str, sizes: tuple[int, ...], options: dict[str, Any]
) -> None:
    found = [followed(t, kind, name, sizes, **options) for t in (micro, torch)]
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)


def test_the_columns_are_orthogonal_after_a_step_as_well() -> None:
    layer = micro.nn.utils.parametrizations.orthogonal(micro.nn.Linear(3, 5))
    optimizer = micro.optim.SGD(layer.parameters(), lr=0.1)
    layer(micro.randn(4, 3)).pow(2).sum().backward()
    optimizer.step()
    np.testing.assert_allclose(
        (layer.weight.mT @ layer.weight).detach().numpy(), np.eye(3), atol=1e-5
    )
