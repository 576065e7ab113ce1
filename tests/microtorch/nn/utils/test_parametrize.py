"""Parameters that are computed: what a module looks like with them, and without them again."""

import copy
import pickle
from typing import Any

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.nn.modules.test_state import outcome

pytestmark = pytest.mark.torch


def kinds(t: Any) -> Any:
    """Make some parametrizations."""

    class Kinds:
        class Symmetric(t.nn.Module):  # type: ignore[name-defined,misc]
            def forward(self, x: Any) -> Any:
                return x.triu() + x.triu(1).transpose(-1, -2)

            def right_inverse(self, x: Any) -> Any:
                return x.triu()

        class Twice(t.nn.Module):  # type: ignore[name-defined,misc]
            def forward(self, x: Any) -> Any:
                return x * 2

        class Halves(t.nn.Module):  # type: ignore[name-defined,misc]
            def forward(self, a: Any, b: Any) -> Any:
                return a + b

            def right_inverse(self, x: Any) -> Any:
                return x / 2, x / 2

        class Row(t.nn.Module):  # type: ignore[name-defined,misc]
            def forward(self, x: Any) -> Any:
                return x[:1]

    return Kinds


def made(t: Any, *names: str, **options: Any) -> Any:
    """Make a layer whose weight is computed."""
    t.manual_seed(0)
    layer = t.nn.Linear(2, 2)
    for name in names:
        register = t.nn.utils.parametrize.register_parametrization
        register(layer, "weight", getattr(kinds(t), name)(), **options)
    return layer


def shown(layer: Any) -> Any:
    """Return the observable state of a layer."""
    state = {key: value.tolist() for key, value in layer.state_dict().items()}
    return repr(layer), state, layer.weight.tolist(), type(layer).__name__


@pytest.mark.parametrize("names", [["Symmetric"], ["Symmetric", "Twice"], ["Halves"]])
def test_a_layer_looks_as_in_pytorch_with_and_without_them(names: list[str]) -> None:
    found = []
    for t in (micro, torch):
        layer = made(t, *names)
        layer(t.ones(1, 2)).sum().backward()
        grads = [each.grad.tolist() for each in layer.parameters()]
        before = shown(layer), shown(copy.deepcopy(layer)), grads
        t.nn.utils.parametrize.remove_parametrizations(layer, "weight")
        found.append((before, shown(layer)))
    assert found[0] == found[1]


def test_a_value_is_stored_by_the_way_back() -> None:
    layer = made(micro, "Symmetric")
    layer.weight = micro.tensor([[1.0, 2.0], [3.0, 4.0]])
    assert layer.weight.tolist() == [[1, 2], [2, 4]]
    assert layer.parametrizations.weight.original.tolist() == [[1, 2], [0, 4]]


@pytest.mark.parametrize(
    "call",
    [
        lambda t: made(t, "Row"),
        lambda t: made(t, "Twice", "Row"),
        lambda t: setattr(made(t, "Twice"), "weight", t.ones(2, 2)),
        lambda t: pickle.dumps(made(t, "Twice")),
        lambda t: t.nn.utils.parametrize.remove_parametrizations(made(t), "weight"),
        lambda t: t.nn.utils.parametrize.remove_parametrizations(
            made(t, "Halves"), "weight", False
        ),
        lambda t: t.nn.utils.parametrize.register_parametrization(made(t), "foo", kinds(t).Twice()),
    ],
    ids=["shape", "second shape", "no way back", "pickle", "none", "several", "no such name"],
)
def test_what_pytorch_refuses_is_refused_in_its_words(call: Any) -> None:
    ours, theirs = outcome(lambda: call(micro)), outcome(lambda: call(torch))
    assert ours == theirs
    assert isinstance(ours, tuple)


def test_a_tensor_is_computed_once_while_it_is_kept() -> None:
    layer = made(micro, "Twice")
    assert layer.weight is not layer.weight
    with micro.nn.utils.parametrize.cached():
        assert layer.weight is layer.weight
