"""Checkpointing: the same gradients, less memory, and what it refuses."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from torchstone.models import Layer, Mask
from torchstone.models.checkpoint import checkpoint

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
    # What a checkpoint forgets never comes to the hooks around it: nothing is left but its inputs.
    left = saved_bytes(lambda: forward(checkpoint))
    assert left == 0
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
