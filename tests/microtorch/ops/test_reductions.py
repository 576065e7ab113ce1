"""Sums, products and their kin, against PyTorch's."""

import math

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

GRID = torch.arange(24.0).reshape(2, 3, 4) - 7
INPUTS = {
    "a number": torch.tensor(1.5),
    "strided": GRID.permute(2, 0, 1)[:, :, ::2],
    "no rows": torch.empty(0, 3),
    "no columns": torch.empty(3, 0),
    "nan": torch.tensor([[1.0, math.nan], [math.nan, math.nan]]),
    "inf": torch.tensor([[1.0, math.inf], [-math.inf, -math.inf]]),
    "whole": torch.tensor([[3, 0, 2], [2, 2, 5]], dtype=torch.int32),
    "bytes": torch.tensor([[200, 100], [3, 3]], dtype=torch.uint8),
    "truth": torch.tensor([[True, False], [True, True]]),
    "half": torch.full((2, 3), 300.0, dtype=torch.float16),
    "complex": torch.complex(GRID, GRID + 1),
}
NAMES = ("sum", "mean", "nansum", "nanmean", "prod", "logsumexp", "all", "any", "count_nonzero")


def outcome(call):
    try:
        return call(), None
    except (RuntimeError, IndexError) as error:
        return None, error


CASES = [
    (kind, name, dim)
    for kind in INPUTS
    for name in NAMES
    for dim in (None, 0, -1)
    # This one wants a dimension, and here a real number.
    if name != "logsumexp" or not (dim is None or kind == "complex")
]


@pytest.mark.parametrize(("kind", "name", "dim"), CASES)
def test_a_reduction_agrees_on_every_kind_of_input(kind, name, dim):
    args = () if dim is None else (dim,)
    wanted, refused = outcome(lambda: getattr(torch, name)(INPUTS[kind], *args))
    got, raised = outcome(lambda: getattr(micro, name)(to_micro(INPUTS[kind]), *args))
    if refused is not None:
        assert isinstance(raised, RuntimeError)
    else:
        assert raised is None
        assert difference(got, wanted) is None


def test_half_precision_is_summed_in_single():
    ones = micro.ones(4096, dtype=micro.float16)
    assert ones.sum().item() == 4096
    assert (ones * 100).mean().item() == 100


def test_a_sum_that_is_a_view_of_its_gradient_can_be_written_into_a_leaf():
    x = micro.ones(2, 3, requires_grad=True)
    x.sum().backward()
    x.grad.add_(1)
    assert x.grad.tolist() == [[2, 2, 2], [2, 2, 2]]


@pytest.mark.parametrize("row", [[2.0, 3.0, 4.0], [0.0, 3.0, 4.0], [0.0, 0.0, 4.0]])
def test_the_derivatives_of_a_product_hold_at_zeros(row):
    def derivatives(lib):
        x = lib.tensor(row, dtype=lib.float64, requires_grad=True)
        (first,) = lib.autograd.grad(x.prod(), x, create_graph=True)
        (second,) = lib.autograd.grad((first * lib.tensor([1.0, 2.0, 3.0])).sum(), x)
        return first.tolist(), second.tolist()

    assert derivatives(micro) == derivatives(torch)


def test_messages_name_what_came():
    with pytest.raises(RuntimeError, match="dim 1 appears multiple times in the list of dims"):
        micro.ones(2, 3).sum((1, -1))
    with pytest.raises(IndexError, match=r"range of \[-2, 1\], but got 2"):
        micro.ones(2, 3).sum(2)
    with pytest.raises(RuntimeError, match="could not infer output dtype"):
        micro.ones(2, dtype=micro.int64).mean()


def test_an_output_is_filled():
    out = micro.empty(3)
    assert micro.sum(micro.ones(2, 3), 0, out=out) is out
    assert np.array_equal(out.array, [2, 2, 2])


@pytest.mark.parametrize("name", ["prod", "logsumexp"])
def test_complex_numbers_have_the_gradients_of_pytorch(name):
    values = np.random.default_rng(0).normal(size=(2, 3)) @ np.eye(3, dtype=complex) * (1 + 0.5j)

    def gradients(lib):
        x = lib.tensor(values, requires_grad=True)
        out = getattr(lib, name)(x, 1)
        (first,) = lib.autograd.grad((out * out).real.sum(), x, create_graph=True)
        (second,) = lib.autograd.grad((first * first).real.sum(), x)
        return first.detach(), second

    for ours, theirs in zip(gradients(micro), gradients(torch), strict=True):
        np.testing.assert_allclose(ours.numpy(), theirs.resolve_conj().numpy(), atol=1e-12)
