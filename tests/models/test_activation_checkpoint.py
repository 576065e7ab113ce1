"""Checkpointing: the same gradients, less memory, and what it refuses."""

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from torchstone.models import Layer, Mask
from torchstone.models.activation_checkpoint import checkpoint

pytestmark = pytest.mark.torch


def gradients(function: Callable[[Tensor], Tensor], module: nn.Module, x: Tensor) -> list[Tensor]:
    leaf = x.clone().requires_grad_()
    out = function(leaf)
    return [out.detach(), *torch.autograd.grad(out.square().sum(), [leaf, *module.parameters()])]


def saved_bytes(function: Callable[[], object]) -> int:
    """Count the bytes that a graph holds: each storage once."""
    storages = {}

    def note(tensor: Tensor) -> Tensor:
        storages[tensor.untyped_storage().data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor):
        function()
    return sum(storages.values())


@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize("autocast", [False, True])
def test_gradients_are_the_same_bits(autocast: bool, dropout: float) -> None:
    layer = Layer(32, 4, dropout=dropout)
    x, mask = torch.randn(2, 6, 32), Mask(is_causal=True)

    def plain(x: Tensor) -> Tensor:
        out: Tensor = layer(x, mask=mask)
        return out

    def run(function: Callable[[Tensor], Tensor]) -> list[Tensor]:
        torch.manual_seed(3)

        def call(x: Tensor) -> Tensor:
            with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
                return function(x).float()

        return gradients(call, layer, x)

    want, got = run(plain), run(lambda x: checkpoint(plain, x))
    assert all(torch.equal(a, b) for a, b in zip(got, want, strict=True))


def test_random_numbers_go_on_as_if_nothing_was_computed_twice() -> None:
    x = torch.randn(8, requires_grad=True)
    torch.manual_seed(1)
    out = checkpoint(lambda x: torch.dropout(x, 0.5, True).sin(), x)
    state = torch.get_rng_state()
    out.sum().backward()
    assert torch.equal(torch.get_rng_state(), state)


def test_only_inputs_are_held_in_between() -> None:
    layers = [Layer(32, 4) for _ in range(3)]
    x = torch.randn(4, 16, 32, requires_grad=True)

    def forward(wrap: Callable[[Layer, Tensor], Tensor]) -> Tensor:
        hidden = x
        for layer in layers:
            hidden = wrap(layer, hidden)
        return hidden

    whole = saved_bytes(lambda: forward(lambda layer, h: layer(h)))
    # What a checkpoint forgets never comes to the hooks around it; its inputs do.
    left = saved_bytes(lambda: forward(checkpoint))
    assert left == 3 * x.numel() * 4
    assert whole > 20 * x.numel() * 4


def test_what_is_kept_is_not_computed_again() -> None:
    layer = Layer(32, 4)
    x = torch.randn(2, 6, 32, requires_grad=True)
    attention = torch.ops.torchstone.flash_attention.default
    calls = []

    class Count(torch.utils._python_dispatch.TorchDispatchMode):
        def __torch_dispatch__(self, function, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            calls.append(function)
            return function(*args, **(kwargs or {}))

    def run(keep: Callable[[object], bool] | None) -> tuple[int, list[Tensor]]:
        calls.clear()
        out = checkpoint(layer, x, keep=keep)
        with Count():
            found = torch.autograd.grad(out.square().sum(), [x, *layer.parameters()])
        return calls.count(attention), list(found)

    again, all_anew = run(None)
    kept, some_kept = run(lambda operator: operator is attention)
    assert (again, kept) == (1, 0)
    assert all(torch.equal(a, b) for a, b in zip(all_anew, some_kept, strict=True))


def test_a_part_of_backward_may_be_asked_for_twice() -> None:
    x = torch.randn(5, requires_grad=True)
    out = checkpoint(lambda x: (x.sin() * x.exp()).sum(), x)
    first = torch.autograd.grad(out, x, retain_graph=True)
    second = torch.autograd.grad(out, x)
    assert torch.equal(first[0], second[0])


def test_a_function_that_changes_its_mind_is_refused() -> None:
    turns = []

    def other_count(x: Tensor) -> Tensor:
        turns.append(1)
        return x.sin() if len(turns) > 1 else x.sin().exp()

    def other_shape(x: Tensor) -> Tensor:
        turns.append(1)
        return x[: len(turns)].sin().sum()

    x = torch.randn(4, requires_grad=True)
    out = checkpoint(other_count, x)
    with pytest.raises(RuntimeError, match="saves 1 tensors, and 2 before"):
        out.sum().backward()
    turns.clear()
    out = checkpoint(other_shape, x)
    with pytest.raises(RuntimeError, match="called again, the function saves"):
        out.backward()


def test_the_second_call_ends_when_nothing_more_is_wanted() -> None:
    reached = []

    def square_and_double(x: Tensor) -> Tensor:
        x = x.square()
        reached.append(1)
        # Doubling saves nothing: in the second call it is not reached.
        return 2 * x

    x = torch.randn(4, requires_grad=True)
    (found,) = torch.autograd.grad(checkpoint(square_and_double, x).sum(), x)
    assert len(reached) == 1
    torch.testing.assert_close(found, 4 * x)


def test_a_function_that_catches_everything_is_stopped_at_each_tensor() -> None:
    def careless(x: Tensor) -> Tensor:
        for _ in range(3):
            try:
                x = x.sin()
            except Exception:  # noqa: BLE001
                x = x.exp()
        return x

    x = torch.randn(4, requires_grad=True)
    (found,) = torch.autograd.grad(checkpoint(careless, x).sum(), x)
    (want,) = torch.autograd.grad(careless(x).sum(), x)
    assert torch.equal(found, want)


def test_an_input_that_is_changed_in_between_is_refused() -> None:
    x = torch.randn(4, requires_grad=True)
    hidden = x * 1
    out = checkpoint(torch.sin, hidden)
    hidden.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def product(operator: Any) -> bool:
    return operator is torch.ops.aten.mm.default


def test_a_kept_result_that_is_changed_in_between_is_refused() -> None:
    weight = torch.randn(4, 4)
    x = torch.randn(3, 4, requires_grad=True)
    out = checkpoint(lambda x: (x @ weight).mul_(2).sin(), x, keep=product)
    with pytest.raises(RuntimeError, match=r"shape \(3, 4\) that was kept has been changed"):
        out.sum().backward()


def test_a_kept_result_may_be_what_is_returned() -> None:
    weight, x = (torch.randn(4, 4, requires_grad=True) for _ in range(2))
    out = checkpoint(torch.mm, x, weight, keep=product)
    node = out.grad_fn
    first = torch.autograd.grad(out.sum(), x, retain_graph=True)
    assert out.grad_fn is node
    assert torch.equal(torch.autograd.grad(out.sum(), x)[0], first[0])


def test_what_changes_its_arguments_is_never_kept() -> None:
    def function(x: Tensor) -> Tensor:
        y = x.sin().detach().exp_()
        torch._foreach_exp_([y])
        return torch.dropout(y * x, 0.5, True).exp()

    x = torch.randn(50, requires_grad=True)

    def run(keep: Callable[[Any], bool] | None) -> Tensor:
        torch.manual_seed(1)
        return torch.autograd.grad(checkpoint(function, x, keep=keep).sum(), x)[0]

    torch.manual_seed(1)
    (want,) = torch.autograd.grad(function(x).sum(), x)
    assert torch.equal(run(None), want)

    aten = torch.ops.aten
    assert torch.equal(run({aten.exp_.default, aten.bernoulli_.float}.__contains__), want)
    # This one returns nothing.
    assert torch.equal(run({aten._foreach_exp_.default}.__contains__), want)


def test_a_view_is_never_kept() -> None:
    aten = torch.ops.aten
    x = torch.randn(2, 3, requires_grad=True)

    def detached(x: Tensor) -> Tensor:
        # What is found in the second call is detached, too, which is no call of the function's.
        y = x.sin()
        return y * y.detach()

    def changed(x: Tensor) -> Tensor:
        return x.sin().view(-1).mul_(2).exp()

    for function, operator in ((detached, aten.detach.default), (changed, aten.view.default)):
        (want,) = torch.autograd.grad(function(x).sum(), x)
        out = checkpoint(function, x, keep={operator}.__contains__)
        assert torch.equal(torch.autograd.grad(out.sum(), x)[0], want)


def test_a_call_without_its_backward_is_given_back() -> None:
    gc.disable()
    try:
        for keep in (None, product):
            x = torch.randn(4, 4, requires_grad=True)
            out = checkpoint(lambda x: (x @ x).sin(), x, keep=keep)
            held = weakref.ref(x)
            del x, out
            assert held() is None
    finally:
        gc.enable()


def test_the_outer_one_forgets_what_the_inner_ones_hold() -> None:
    held: list[weakref.ref[Tensor]] = []

    def inner(x: Tensor) -> Tensor:
        held.append(weakref.ref(x))
        return x.sin().exp()

    def outer(x: Tensor) -> Tensor:
        for _ in range(4):
            x = checkpoint(inner, x)
        return x

    x = torch.randn(5, requires_grad=True)
    out = checkpoint(outer, x)
    assert [each() is not None for each in held] == [True, False, False, False]
    (found,) = torch.autograd.grad(out.sum(), x)
    (want,) = torch.autograd.grad(outer(x).sum(), x)
    assert torch.equal(found, want)
    # Forward; the outer one's second call, which ends before the last; and the second call of each.
    # Then what is wanted, forward and backward.
    assert len(held) == (4 + 3 + 4) + (4 + 4)
