"""Weights that are normalized or orthogonal have PyTorch's numbers, states and gradients."""

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


def test_what_is_nearly_orthogonal_is_made_so_in_float64_as_well() -> None:
    made = []
    for t in (micro, torch):
        layer = t.nn.Linear(3, 3, bias=False, dtype=t.float64)
        turn = np.array([[0.6, 0.8, 0.0], [-0.8, 0.6, 0.0], [0.0, 0.0, 1.0]]) + 1e-9
        layer.weight.data = t.tensor(turn)
        made.append(t.nn.utils.parametrizations.orthogonal(layer).weight.detach().numpy())
    np.testing.assert_allclose(made[0], made[1], atol=1e-13)


@pytest.mark.parametrize("options", [{}, {"use_trivialization": False}])
def test_a_matrix_of_another_shape_is_refused_in_pytorchs_words(options: dict[str, Any]) -> None:
    texts = []
    for t in (micro, torch):
        layer = t.nn.utils.parametrizations.orthogonal(t.nn.Linear(3, 4), **options)
        with pytest.raises(ValueError, match="Expected a matrix") as caught:
            layer.weight = t.ones(5, 4)
        texts.append(str(caught.value))
    assert texts[0] == texts[1]
