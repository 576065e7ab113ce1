import numpy as np
import pytest

import torchstone.microtorch as torch
from torchstone.microtorch.autograd.graph import saved_tensors_hooks
from torchstone.microtorch.utils.checkpoint import (
    CheckpointError,
    checkpoint,
    checkpoint_sequential,
)

pytestmark = pytest.mark.pure


def network():
    torch.manual_seed(0)
    nn = torch.nn
    return nn.Sequential(
        nn.Linear(4, 8), nn.ReLU(), nn.Dropout(0.5), nn.Linear(8, 8), nn.Tanh(), nn.Linear(8, 2)
    )


def nested(net, x):
    def inner(a):
        half = checkpoint(net[:3], a, use_reentrant=False)
        return checkpoint(net[3:], half, use_reentrant=False)

    return checkpoint(inner, x, use_reentrant=False)


WAYS = {
    "plain": lambda net, x: checkpoint(net, x, use_reentrant=False),
    "reentrant": lambda net, x: checkpoint(net, x, use_reentrant=True),
    "to the end": lambda net, x: checkpoint(net, x, use_reentrant=False, early_stop=False),
    "nested": nested,
    "sequential": lambda net, x: checkpoint_sequential(net, 3, x, use_reentrant=False),
    "by name": lambda net, x: checkpoint(lambda *, a: net(a), a=x, use_reentrant=False),
}


def gradients(net, run):
    torch.manual_seed(1)
    net.zero_grad()
    x = torch.ones(5, 4, requires_grad=True)
    run(net, x).pow(2).sum().backward()
    return [x.grad, *(each.grad for each in net.parameters())], torch.rand(3).tolist()


@pytest.mark.parametrize("way", WAYS)
def test_gradients_and_random_numbers_are_those_without_it(way):
    net = network()
    wanted, stream = gradients(net, lambda net, x: net(x))
    got, again = gradients(net, WAYS[way])
    assert again == stream
    for mine, other in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(mine.numpy(), other.numpy())


@pytest.mark.parametrize("way", ["plain", "reentrant", "nested"])
def test_what_a_network_saves_is_not_kept(way):
    net, x, kept = network(), torch.ones(5, 4, requires_grad=True), []

    def count(run):
        kept.clear()
        with saved_tensors_hooks(lambda each: kept.append(each) or each, lambda each: each):
            run(net, x)
        return len(kept)

    assert count(lambda net, x: net(x)) > 5
    assert count(WAYS[way]) == 1


def test_gradients_of_gradients_go_through_it():
    net, x = network().eval(), torch.ones(5, 4, requires_grad=True)
    found = []
    for run in (lambda x: net(x), lambda x: checkpoint(net, x, use_reentrant=False)):
        (slope,) = torch.autograd.grad(run(x).pow(2).sum(), x, create_graph=True)
        found.append(torch.autograd.grad(slope.pow(2).sum(), x)[0])
    assert found[0].equal(found[1])


def test_a_graph_that_is_kept_is_computed_anew_each_time():
    calls, x = [], torch.ones(2, requires_grad=True)
    y = checkpoint(lambda a: (calls.append(1), a.exp())[1].sin(), x, use_reentrant=False).sum()
    y.backward(retain_graph=True)
    y.backward()
    assert len(calls) == 3
    np.testing.assert_allclose(x.grad.numpy(), 2 * np.e * np.cos(np.e) * np.ones(2), rtol=1e-6)


def test_parts_without_a_gradient_and_other_arguments_pass():
    x = torch.ones(2, requires_grad=True)
    for reentrant in (True, False):
        y, number = checkpoint(lambda a, b, c: (a * b, c), x, 3, None, use_reentrant=reentrant)
        assert number is None
        (slope,) = torch.autograd.grad(y.sum(), x)
        assert slope.tolist() == [3.0, 3.0]


def test_a_function_that_computes_something_else_is_found_out():
    for other in (lambda a: a.sin(), lambda a: a[:1].exp().sin()):
        pair = iter([lambda a: a.exp().sin(), other])
        x = torch.ones(2, requires_grad=True)
        y = checkpoint(lambda a, pair=pair: next(pair)(a), x, use_reentrant=False)
        with pytest.raises(CheckpointError):
            y.sum().backward()


def test_the_random_stream_is_left_where_it_was_when_the_function_raises():
    pair, x = iter([lambda a: a.exp(), lambda a: 1 // 0]), torch.ones(2, requires_grad=True)
    y = checkpoint(lambda a: next(pair)(a), x, use_reentrant=False)
    torch.manual_seed(5)
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    drawn = torch.rand(1).item()
    torch.manual_seed(5)
    assert torch.rand(1).item() == drawn


def test_one_is_warned_of_what_is_not_said_and_of_what_has_no_gradient():
    x = torch.ones(2, requires_grad=True)
    with pytest.warns(UserWarning, match="use_reentrant parameter"):
        checkpoint(torch.sin, x)
    with pytest.warns(UserWarning, match="None of the inputs have requires_grad=True"):
        checkpoint(torch.sin, x.detach(), use_reentrant=True)
    with pytest.raises(ValueError, match="Unexpected keyword arguments: other"):
        checkpoint(torch.sin, x, use_reentrant=True, other=1)


def test_without_a_record_there_is_nothing_to_do():
    with torch.no_grad():
        assert not checkpoint(torch.sin, torch.ones(2), use_reentrant=False).requires_grad


def test_a_check_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="should be one of"):
        checkpoint(torch.sin, torch.ones(2), use_reentrant=False, determinism_check="all")
