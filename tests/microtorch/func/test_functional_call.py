import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import to_micro
from tests.microtorch.func.test_vmap import BOTH

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::UserWarning")]


def network(lib):
    return lib.nn.Sequential(
        lib.nn.Linear(4, 6), lib.nn.LayerNorm(6), lib.nn.Tanh(), lib.nn.Linear(6, 3)
    )


def per_sample_gradients(lib, net, values, x, target):
    def loss(values, x, target):
        scores = lib.func.functional_call(net, values, (x.unsqueeze(0),))
        return lib.nn.functional.cross_entropy(scores, target.unsqueeze(0))

    return lib.vmap(lib.func.grad(loss), in_dims=(None, 0, 0))(values, x, target)


def test_gradients_for_each_sample_of_a_network_agree_with_pytorch():
    torch.manual_seed(0)
    theirs, ours = network(torch), network(micro)
    values = {name: each.detach() for name, each in theirs.named_parameters()}
    x, target = torch.randn(5, 4), torch.tensor([0, 2, 1, 1, 0])
    wanted = per_sample_gradients(torch, theirs, values, x, target)
    got = per_sample_gradients(micro, ours, to_micro(values), to_micro(x), to_micro(target))
    assert list(got) == list(wanted)
    for name, each in wanted.items():
        np.testing.assert_allclose(got[name].numpy(), each.numpy(), rtol=1e-4, atol=1e-6)
        assert not got[name].requires_grad


def test_an_ensemble_runs_as_one():
    nets = [network(micro) for _ in range(3)]
    values, buffers = micro.func.stack_module_state(nets)
    assert buffers == {}
    assert all(each.requires_grad and each.shape[0] == 3 for each in values.values())
    x = micro.randn(5, 4)
    got = micro.vmap(lambda v: micro.func.functional_call(nets[0], v, (x,)))(values)
    wanted = micro.stack([net(x) for net in nets])
    np.testing.assert_allclose(got.detach().numpy(), wanted.detach().numpy(), atol=1e-6)


@BOTH
def test_the_module_keeps_its_own(lib):
    net = lib.nn.BatchNorm1d(2)
    before = dict(net.state_dict())
    given = {name: each.clone() for name, each in before.items()}
    given["weight"] = lib.full((2,), 3.0)
    found = lib.func.functional_call(net, given, lib.randn(4, 2))
    assert found.abs().max() > 2
    assert net.num_batches_tracked == 0
    assert net.weight is dict(net.named_parameters())["weight"]
    assert net.running_mean.tolist() == [0.0, 0.0]
    with pytest.raises(RuntimeError):
        lib.func.functional_call(net, given, (lib.randn(4, 3),))
    assert net.weight.tolist() == [1.0, 1.0]


@BOTH
def test_tied_weights_are_replaced_together(lib):
    net = lib.nn.Sequential(lib.nn.Linear(2, 2, bias=False), lib.nn.Linear(2, 2, bias=False))
    net[1].weight = net[0].weight
    x, two = lib.ones(1, 2), {"0.weight": 2 * lib.eye(2)}
    assert lib.func.functional_call(net, two, x).tolist() == [[4.0, 4.0]]
    apart = lib.func.functional_call(net, two, x, tie_weights=False)
    assert apart.tolist() == net[1](2 * x).tolist()


@BOTH
def test_names_that_do_not_fit_are_refused_where_that_is_wanted(lib):
    net, x = lib.nn.Linear(2, 2), lib.ones(1, 2)
    call = lib.func.functional_call
    with pytest.raises(RuntimeError, match=r"Unexpected key\(s\): 'other'"):
        call(net, {**dict(net.named_parameters()), "other": x}, x, strict=True)
    with pytest.raises(RuntimeError, match=r"Missing key\(s\): 'bias'"):
        call(net, {"weight": net.weight}, x, strict=True)
    with pytest.raises(ValueError, match="multiple dictionaries"):
        call(net, ({"weight": net.weight}, {"weight": net.weight}), x)
