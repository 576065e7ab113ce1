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


@pytest.mark.parametrize(
    "name",
    ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD",
     "Rprop"],
)  # fmt: skip
def test_of_complex_parameters_each_part_goes_its_own_way(name: str) -> None:
    found = []
    for space in (micro, torch):
        weight = space.tensor([[1 + 2j, -2 - 0.5j]], requires_grad=True)
        optimizer = getattr(space.optim, name)([weight], lr=0.1)
        for _ in range(3):
            optimizer.zero_grad()
            weight.abs().pow(2).sum().backward()
            optimizer.step()
        state = {key: each.numpy() for key, each in optimizer.state[weight].items()}
        found.append({"weight": weight.detach().numpy(), **state})
    for key, wanted in found[1].items():
        np.testing.assert_allclose(found[0][key], wanted, rtol=1e-4, err_msg=key)


def momentum(space: Any, optimizer: Any, weight: Any) -> None:
    optimizer.param_groups[0]["momentum"] = 0.9


def empty_sum(space: Any, optimizer: Any, weight: Any) -> None:
    groups = optimizer.state_dict()["param_groups"]
    optimizer.load_state_dict({"state": {0: {"momentum_buffer": None}}, "param_groups": groups})
    optimizer.param_groups[0] |= {"momentum": 0.9, "dampening": 0.5}


def wider(space: Any, optimizer: Any, weight: Any) -> None:
    weight.grad, weight.data = None, space.tensor([0.1, 0.2, 0.3], dtype=space.float64)


def longer(space: Any, optimizer: Any, weight: Any) -> None:
    weight.grad, weight.data = None, space.ones(4)


def forgetful(space: Any, optimizer: Any, weight: Any) -> None:
    optimizer.state.clear()


@pytest.mark.parametrize(
    ("name", "change"),
    [("SGD", momentum), ("SGD", empty_sum), ("SGD", wider), ("SGD", longer), ("Adam", forgetful)],
)
def test_what_is_changed_between_two_steps_counts(name: str, change: Any) -> None:
    weights = []
    for space in (micro, torch):
        weight = space.tensor([1.0, -2.0, 0.5], requires_grad=True)
        optimizer = getattr(space.optim, name)([weight], lr=0.01)
        steps(optimizer, weight, 2)
        change(space, optimizer, weight)
        steps(optimizer, weight, 2)
        weights.append(weight.detach().numpy())
    assert weights[0].dtype == weights[1].dtype
    rtol = 1e-12 if weights[0].dtype == np.float64 else 1e-6
    np.testing.assert_allclose(weights[0], weights[1], rtol=rtol)


@pytest.mark.parametrize("name", ["Adam", "RMSprop"])
def test_a_gradient_whose_square_float16_cannot_hold_makes_a_step(name: str) -> None:
    weights = []
    for space in (micro, torch):
        weight = space.ones(2, dtype=space.float16, requires_grad=True)
        optimizer = getattr(space.optim, name)([weight], lr=0.1)
        for _ in range(3):
            weight.grad = space.tensor([300.0, 1.0], dtype=space.float16)
            optimizer.step()
        weights.append(weight.detach().numpy())
    np.testing.assert_allclose(weights[0], weights[1], rtol=2e-3)


def test_two_optimisers_share_nothing_that_one_of_them_loaded() -> None:
    weights = [micro.ones(3, requires_grad=True) for _ in range(2)]
    one, other = (micro.optim.LBFGS([each], lr=micro.tensor(0.5), max_iter=3) for each in weights)

    def closure(weight: Any) -> Any:
        weight.grad = None
        loss = (weight**4).sum()
        loss.backward()
        return loss

    one.step(lambda: closure(weights[0]))
    other.load_state_dict(one.state_dict())
    known = len(one.state[weights[0]]["old_dirs"])
    other.step(lambda: closure(weights[1]))
    other.param_groups[0]["lr"].fill_(9.0)
    assert len(one.state[weights[0]]["old_dirs"]) == known
    assert one.param_groups[0]["lr"].item() == 0.5


@pytest.mark.parametrize("of_module", [False, True])
def test_gradients_that_are_parts_of_one_tensor_are_set_to_zero_in_it(of_module: bool) -> None:
    layer, grads = micro.nn.Linear(2, 2, bias=False), micro.ones(6)
    layer.weight.grad = grads[:4].view(2, 2)
    owner = layer if of_module else micro.optim.SGD(layer.parameters())
    owner.zero_grad(set_to_none=False)
    assert grads.tolist() == [0, 0, 0, 0, 1, 1]


def test_hooks_see_what_the_step_was_given_and_what_cannot_be_done_is_refused() -> None:
    weight, seen = micro.ones(1, requires_grad=True), []
    optimizer = micro.optim.SGD([weight])
    optimizer.register_step_pre_hook(lambda own, args, kwargs: seen.append((own, args, kwargs)))
    optimizer.step(closure := lambda: None)
    assert seen == [(optimizer, (optimizer, closure), {})]
    with pytest.raises(RuntimeError, match="`fused` and `foreach` cannot be"):
        micro.optim.Adam([weight], fused=True, foreach=True)
    with pytest.raises(NotImplementedError, match="not recorded"):
        micro.optim.Adam([weight], differentiable=True)
