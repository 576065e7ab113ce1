"""Modules as such: hooks, states that do not fit, attributes of several kinds."""

import copy

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


def both(make):
    """Make a network twice with the same weights: ours and PyTorch's."""
    micro.manual_seed(0)
    torch.manual_seed(0)
    return make(micro), make(torch)


def network(t):
    """Make a small one."""
    return t.nn.Sequential(t.nn.Linear(3, 4), t.nn.BatchNorm1d(4), t.nn.ReLU(), t.nn.Linear(4, 2))


def test_hooks_are_called_in_pytorchs_order_with_its_values():
    logs = []
    for net in both(network):
        t = micro if isinstance(net, micro.nn.Module) else torch
        log = []

        def note(what, log=log):
            return lambda *args: log.append((what, [str(type(a).__name__) for a in args]))

        net[0].register_forward_hook(note("after"))
        net[0].register_forward_pre_hook(note("before"))
        net[0].register_forward_pre_hook(note("before all"), prepend=True)
        net[3].register_full_backward_hook(note("backward"))
        net[3].register_full_backward_pre_hook(note("backward before"))
        gone = net[3].register_forward_hook(note("never"))
        gone.remove()
        net(t.ones(2, 3)).sum().backward()
        logs.append(log)
    assert logs[0] == logs[1]
    assert [what for what, _ in logs[0]] == [
        "before all",
        "before",
        "after",
        "backward before",
        "backward",
    ]


def test_hooks_replace_what_they_return_something_for():
    module = micro.nn.Linear(2, 2)
    module.register_forward_pre_hook(lambda module, args: args[0] * 0)
    module.register_forward_hook(lambda module, args, kwargs, output: output + 7, with_kwargs=True)
    result = module(micro.ones(1, 2))
    np.testing.assert_allclose(result.detach().array, module.bias.detach().array[None] + 7)


def test_backward_hooks_may_change_gradients():
    x = micro.ones(2, 3, requires_grad=True)
    module = micro.nn.Linear(3, 2)
    module.register_full_backward_hook(lambda module, grads, outer: (grads[0] * 2,))
    module(x).sum().backward()
    np.testing.assert_allclose(
        x.grad.array, 2 * module.weight.detach().array.sum(0) * np.ones((2, 1)), rtol=1e-6
    )


@pytest.mark.parametrize("change", ["missing", "unexpected", "shape", "all"])
def test_a_state_that_does_not_fit_is_refused_in_pytorchs_words(change):
    messages = []
    for net in both(network):
        t = micro if isinstance(net, micro.nn.Module) else torch
        state = dict(net.state_dict())
        if change in ("missing", "all"):
            del state["0.weight"]
        if change in ("unexpected", "all"):
            state["extra.weight"] = t.zeros(2)
        if change in ("shape", "all"):
            state["3.bias"] = t.zeros(5)
        with pytest.raises(RuntimeError) as caught:
            net.load_state_dict(state)
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


def test_without_strictness_what_does_not_fit_is_told():
    net = both(network)[0]
    state = dict(net.state_dict())
    del state["0.weight"]
    state["extra"] = micro.zeros(2)
    keys = net.load_state_dict(state, strict=False)
    assert (keys.missing_keys, keys.unexpected_keys) == (["0.weight"], ["extra"])


def test_loading_writes_into_the_parameters_and_their_version_counts():
    first, second = network(micro), network(micro)
    weight = first[0].weight
    before = weight._version
    assert str(first.load_state_dict(second.state_dict())) == "<All keys matched successfully>"
    assert first[0].weight is weight
    assert weight._version > before
    np.testing.assert_array_equal(weight.array, second[0].weight.array)


def test_a_deep_copy_keeps_shared_parameters_shared():
    net = micro.nn.Sequential(micro.nn.Linear(3, 3), micro.nn.Linear(3, 3))
    net[1].weight = net[0].weight
    made = copy.deepcopy(net)
    assert made[1].weight is made[0].weight
    assert made[0].weight is not net[0].weight
    assert len(list(made.parameters())) == 3


def test_a_subclass_lists_what_it_is_given():
    class Net(micro.nn.Module):
        def __init__(self):
            super().__init__()
            self.scale = micro.nn.Parameter(micro.ones(1))
            self.register_buffer("steps", micro.zeros(1))
            self.register_buffer("cache", micro.zeros(1), persistent=False)
            self.inner = micro.nn.Linear(2, 2)
            self.nothing = None

    net = Net()
    assert list(net.state_dict()) == ["scale", "steps", "inner.weight", "inner.bias"]
    assert [name for name, _ in net.named_buffers()] == ["steps", "cache"]
    assert [name for name, _ in net.named_modules()] == ["", "inner"]
    with pytest.raises(TypeError, match=r"cannot assign 'torch\.FloatTensor' as parameter"):
        net.scale = micro.ones(1)
    net.double()
    assert net.scale.dtype is micro.float64
    assert net.eval().inner.training is False


def test_a_gradient_stays_the_object_and_complex_numbers_stay_complex_when_types_change():
    for t in (micro, torch):
        layer = t.nn.Linear(2, 2)
        layer.register_buffer("turns", t.ones(2, dtype=t.complex64))
        layer(t.ones(1, 2)).sum().backward()
        grad = layer.weight.grad
        layer.double()
        assert layer.weight.grad is grad
        assert grad.dtype is t.float64
        assert layer.half().float().turns.dtype is t.complex64
