"""Weights that are normalized have PyTorch's numbers, states and gradients."""

from operator import attrgetter
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
    ],
)
def test_numbers_states_and_gradients_agree(
    kind: str, name: str, sizes: tuple[int, ...], options: dict[str, Any]
) -> None:
    found = [followed(t, kind, name, sizes, **options) for t in (micro, torch)]
    for ours, theirs in zip(*found, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("of", ["nn.utils", "nn.utils.parametrizations"])
def test_a_transposed_convolution_of_ones_own_is_one(of: str) -> None:
    for t in (micro, torch):

        class Up(t.nn.ConvTranspose2d):  # type: ignore[name-defined,misc]
            pass

        layer = attrgetter(of)(t).spectral_norm(Up(2, 3, 2))
        (u,) = [each for name, each in layer.named_buffers() if name.endswith("_u")]
        assert tuple(u.shape) == (3,)


def test_a_dimension_is_counted_from_the_end_as_well() -> None:
    for t in (micro, torch):
        layer = t.nn.utils.parametrizations.weight_norm(t.nn.Linear(2, 3), dim=-2)
        assert tuple(layer.parametrizations.weight.original0.shape) == (3, 1)
