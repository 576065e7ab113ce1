"""The parts of a module: their paths, and what is said when there is none."""

from typing import Any

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.nn.modules.test_state import outcome

pytestmark = pytest.mark.torch


def shared(t: Any) -> Any:
    """Make a network that holds a module, a parameter and a buffer twice."""
    net = t.nn.Module()
    net.a = net.b = t.nn.Linear(1, 2)
    net.c = t.nn.Linear(1, 2)
    net.c.weight = net.a.weight
    net.register_buffer("x", t.ones(1))
    net.register_buffer("y", net.x)
    return net


@pytest.mark.parametrize("kind", ["modules", "parameters", "buffers"])
@pytest.mark.parametrize("once", [True, False])
def test_what_is_held_twice_is_named_as_in_pytorch(kind: str, once: bool) -> None:
    ours, theirs = (
        [name for name, _ in getattr(shared(t), f"named_{kind}")(prefix="p", remove_duplicate=once)]
        for t in (micro, torch)
    )
    assert ours == theirs


@pytest.mark.parametrize(
    "call",
    [
        lambda t, n: n.get_parameter("a.weight").shape,
        lambda t, n: n.get_parameter("a.foo"),
        lambda t, n: n.get_parameter("foo.bar"),
        lambda t, n: n.get_parameter("x"),
        lambda t, n: n.get_buffer("a.weight"),
        lambda t, n: n.get_submodule("a.weight"),
        lambda t, n: n.set_submodule("", t.nn.ReLU()),
        lambda t, n: n.set_submodule("a", 3),
        lambda t, n: n.set_submodule("a.q", t.nn.ReLU(), strict=True),
        lambda t, n: n.set_submodule("a.weight", t.nn.ReLU()),
        lambda t, n: (n.set_submodule("a.q", t.nn.ReLU()), repr(n)),
    ],
    ids=lambda call: "-".join(map(str, call.__code__.co_names + call.__code__.co_consts[1:3])),
)
def test_paths_lead_where_pytorchs_lead(call: Any) -> None:
    ours, theirs = (outcome(lambda t=t: call(t, shared(t))) for t in (micro, torch))
    assert str(ours) == str(theirs)
