"""Hooks around a module are called when, and with what, PyTorch calls them."""

from typing import Any

import pytest
import torch

import torchstone.microtorch as micro

pytestmark = [
    pytest.mark.torch,
    # PyTorch thinks that one may not have meant it.
    pytest.mark.filterwarnings("ignore:Full backward hook is firing"),
]


def seen_by(space: Any) -> list[Any]:
    space.manual_seed(0)
    linear = space.nn.Linear(2, 3).double()
    seen: list[Any] = []

    def note(name: str) -> Any:
        def hook(module: Any, *values: Any) -> None:
            assert module is linear
            parts = [
                each
                for value in values
                for each in (value if isinstance(value, tuple) else (value,))
            ]
            seen.append((name, [None if part is None else part.tolist() for part in parts]))

        return hook

    linear.register_forward_pre_hook(note("before"))
    linear.register_forward_hook(note("after, second"))
    linear.register_forward_hook(note("after, first"), prepend=True)
    linear.register_full_backward_pre_hook(note("gradient in"))
    linear.register_full_backward_hook(note("gradient out"))
    x = space.tensor([[1.0, 2.0]], dtype=space.float64, requires_grad=True)
    linear(x).sum().backward()
    linear(x.detach()).sum().backward()
    return seen


def test_all_kinds_are_called_in_pytorchs_order_with_its_values() -> None:
    ours, theirs = seen_by(micro), seen_by(torch)
    assert [name for name, _ in ours] == [name for name, _ in theirs]
    for (_, mine), (_, other) in zip(ours, theirs, strict=True):
        assert len(mine) == len(other)
        for one, wanted in zip(mine, other, strict=True):
            assert (one is None) == (wanted is None)
            assert one is None or micro.tensor(one).allclose(micro.tensor(wanted))


def test_what_a_hook_returns_takes_the_place() -> None:
    module = micro.nn.Identity()
    module.register_forward_pre_hook(lambda module, args: (args[0] + 1,))
    module.register_forward_hook(lambda module, args, output: output * 10)
    module.register_full_backward_hook(lambda module, grad_in, grad_out: (grad_in[0] * 5,))
    x = micro.ones(1, requires_grad=True)
    y = module(x)
    assert y.tolist() == [20.0]
    y.backward()
    assert x.grad.tolist() == [50.0]


def test_keywords_are_shown_to_those_who_ask() -> None:
    class Scaled(micro.nn.Module):
        def forward(self, x: Any, *, scale: float) -> Any:
            return x * scale

    module = Scaled()
    module.register_forward_pre_hook(
        lambda module, args, kwargs: (args, {"scale": kwargs["scale"] + 1}), with_kwargs=True
    )
    seen = []
    module.register_forward_hook(
        lambda module, args, kwargs, output: seen.append(kwargs), with_kwargs=True
    )
    assert module(micro.ones(1), scale=2.0).tolist() == [3.0]
    assert seen == [{"scale": 3.0}]


def test_a_failure_is_told_to_those_who_ask() -> None:
    class Fails(micro.nn.Module):
        def forward(self, x: Any) -> Any:
            raise ValueError("broken")

    module, seen = Fails(), []
    module.register_forward_hook(lambda module, args, output: seen.append("never"))
    module.register_forward_hook(lambda module, args, output: seen.append(output), always_call=True)
    with pytest.raises(ValueError, match="broken"):
        module(micro.ones(1))
    assert seen == [None]


def test_a_hook_is_gone_when_it_is_removed() -> None:
    module = micro.nn.Identity()
    handle = module.register_forward_hook(lambda module, args, output: output + 1)
    with handle:
        assert module(micro.zeros(1)).item() == 1.0
    assert module(micro.zeros(1)).item() == 0.0


def test_hooks_of_all_modules_are_called_until_they_are_removed() -> None:
    logs: list[list[str]] = []
    for t in (micro, torch):
        log: list[str] = []
        places = t.nn.modules.module
        kinds = ("forward_pre", "forward", "full_backward_pre", "full_backward")
        handles = [
            getattr(places, f"register_module_{kind}_hook")(
                lambda *args, kind=kind, log=log: log.append(kind)
            )
            for kind in kinds
        ]
        net = t.nn.Linear(1, 1)
        net(t.ones(1, 1, requires_grad=True)).sum().backward()
        for handle in handles:
            handle.remove()
        net(t.ones(1, 1))
        logs.append(log)
    assert logs[0] == logs[1] == ["forward_pre", "forward", "full_backward_pre", "full_backward"]


def test_what_is_entered_may_be_replaced() -> None:
    handle = micro.nn.modules.module.register_module_parameter_registration_hook(
        lambda module, name, value: micro.nn.Parameter(value * 0) if name == "bias" else None
    )
    with handle:
        net = micro.nn.Linear(2, 2)
    assert isinstance(net.bias, micro.nn.Parameter)
    assert net.weight.any()
    net.reset_parameters()
    assert net.bias.any()


def test_the_backward_hook_of_old_sees_the_last_operation() -> None:
    seen: list[list[Any]] = []
    for t in (micro, torch):
        grads: list[Any] = []
        net = t.nn.ReLU()
        net.register_backward_hook(
            lambda m, gi, go, grads=grads: grads.append([gi[0].tolist(), go[0].tolist()])
        )
        x = t.tensor([1.0, -1.0], requires_grad=True)
        net(x * 2).sum().backward()
        seen.append(grads)
        with pytest.raises(RuntimeError, match="Cannot use both regular backward hooks and full"):
            net.register_full_backward_hook(print)
    assert seen[0] == seen[1] == [[[1.0, 0.0], [1.0, 1.0]]]


def test_wrong_numbers_of_gradients_are_refused() -> None:
    x = micro.ones(1, 1, requires_grad=True)
    for kind, what in (("", "Backward hook"), ("_pre", "Backward pre hook")):
        net = micro.nn.Linear(1, 1)
        getattr(net, f"register_full_backward{kind}_hook")(lambda *args: (x, x))
        with pytest.raises(RuntimeError, match=f"{what} returned an invalid number of grad_"):
            net(x).sum().backward()
