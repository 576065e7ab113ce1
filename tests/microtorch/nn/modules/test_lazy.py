"""Modules that find out the size of their input."""

import copy

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

CASES = {
    "LazyLinear": ((4,), (2, 3)),
    "LazyConv1d": ((4, 3), (2, 3, 5)),
    "LazyConv2d": ((4, 3), (3, 5, 5)),
    "LazyConvTranspose3d": ((4, 2), (1, 3, 4, 4, 4)),
    "LazyBatchNorm1d": ((), (5, 3)),
    "LazyInstanceNorm2d": ((), (2, 3, 4, 4)),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
def test_the_first_call_makes_them_what_they_are_with_pytorchs_numbers(name):
    args, shape = CASES[name]
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    made = []
    for t in (micro, torch):
        t.manual_seed(2)
        module = getattr(t.nn, name)(*args)
        held = list(module.parameters())
        result = module(t.tensor(x))
        assert [id(each) for each in module.parameters()] == [id(each) for each in held]
        made.append((module, result))
    (ours, got), (theirs, wanted) = made
    assert type(ours) is getattr(micro.nn, name.removeprefix("Lazy"))
    assert repr(ours) == repr(theirs)
    np.testing.assert_allclose(got.detach().array, wanted.detach().numpy(), rtol=1e-4, atol=1e-5)
    for key, value in theirs.state_dict().items():
        np.testing.assert_allclose(ours.state_dict()[key].array, value.numpy(), rtol=1e-6)


def test_a_state_that_is_loaded_first_is_kept():
    source, lazy = micro.nn.Linear(3, 4), micro.nn.LazyLinear(4)
    hooked = []
    lazy.register_forward_hook(lambda *args: hooked.append(1))
    lazy.load_state_dict(source.state_dict())
    x = micro.ones(2, 3)
    np.testing.assert_array_equal(lazy(x).detach().array, source(x).detach().array)
    assert lazy.in_features == 3
    assert hooked == [1]


def test_a_lazy_module_is_copied_while_it_is_lazy():
    lazy = micro.nn.Sequential(micro.nn.LazyLinear(4), micro.nn.ReLU())
    made = copy.deepcopy(lazy)
    assert made(micro.ones(2, 3)).shape == (2, 4)
    assert lazy[0].has_uninitialized_params()


@pytest.mark.parametrize(
    "use",
    [
        lambda t, layer: layer.weight.shape,
        lambda t, layer: layer.weight.numel(),
        lambda t, layer: layer.weight + 1,
        lambda t, layer: t.nn.init.normal_(layer.weight),
        lambda t, layer: t.nn.Linear(3, 4).load_state_dict(layer.state_dict()),
    ],
    ids=["shape", "numel", "add", "init", "load"],
)
@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
def test_what_needs_a_size_is_refused_before_there_is_one(use):
    errors = []
    for t in (micro, torch):
        with pytest.raises((ValueError, RuntimeError)) as caught:
            use(t, t.nn.LazyLinear(4))
        errors.append((type(caught.value), str(caught.value).split(" in <")[0][:40]))
    assert errors[0] == errors[1]


@pytest.mark.filterwarnings("ignore:Lazy modules are a new feature")
def test_what_needs_none_goes_on():
    seen = []
    for t in (micro, torch):
        lazy = t.nn.LazyBatchNorm1d().double()
        lazy.reset_parameters()
        lazy.load_state_dict(t.nn.LazyBatchNorm1d().state_dict())
        shown = [repr(each) for each in lazy.state_dict().values()][:3]
        other = t.nn.UninitializedParameter(requires_grad=False, dtype=t.float16)
        other.materialize((2, 3))
        made = lazy(input=t.ones(2, 3, dtype=t.float64))
        upwards = t.nn.LazyConvTranspose2d(2, 3, stride=2)(t.ones(1, 3, 4, 4), (10, 10))
        seen.append([shown, str(made.dtype)[-7:], tuple(upwards.shape), tuple(other.shape),
                     other.requires_grad, type(other).__name__])  # fmt: skip
    assert seen[0] == seen[1]
