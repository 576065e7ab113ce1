"""How numbers spread, against PyTorch's."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

GRID = torch.tensor([[3.0, 1.0, 4.0, 1.0], [5.0, 9.0, 2.0, 6.0], [5.0, 3.0, 5.0, 8.0]])


@pytest.mark.parametrize("name", ["var", "std", "var_mean", "std_mean"])
@pytest.mark.parametrize(
    "arguments", [{}, {"dim": 0}, {"dim": (0, 1), "correction": 0}, {"dim": 1, "keepdim": True}]
)
@pytest.mark.parametrize(
    "x", [GRID, GRID.t()[::2], GRID.half() * 100, torch.complex(GRID, GRID.flip(0))]
)
def test_the_spread_agrees_with_pytorch(name, arguments, x):
    wanted = getattr(torch, name)(x, **arguments)
    assert difference(getattr(micro, name)(to_micro(x), **arguments), wanted) is None


def test_where_nothing_spreads_the_gradient_is_zero():
    x = micro.ones(3, requires_grad=True)
    x.std().backward()
    assert x.grad.tolist() == [0.0, 0.0, 0.0]


def test_one_number_alone_has_no_spread():
    with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
        assert math.isnan(micro.ones(1).var().item())
    assert micro.ones(1).var(False).item() == 0


@pytest.mark.parametrize("name", ["quantile", "nanquantile"])
@pytest.mark.parametrize("how", ["linear", "lower", "higher", "nearest", "midpoint"])
def test_quantiles_agree_with_pytorch(name, how):
    rows = torch.cat([GRID, torch.tensor([[1.0, math.nan, 2.0, 7.0]])])
    for q in (0.3, torch.tensor([0.0, 0.5, 1.0])):
        for arguments in ({"dim": 1}, {"dim": 0, "keepdim": True}, {}):
            wanted = getattr(torch, name)(rows, q, **arguments, interpolation=how)
            ours = getattr(to_micro(rows), name)(to_micro(q), **arguments, interpolation=how)
            assert difference(ours, wanted) is None


def test_a_share_above_one_is_refused():
    with pytest.raises(RuntimeError, match=r"range \[0, 1\]"):
        micro.ones(3).quantile(1.5)
    with pytest.raises(RuntimeError, match="same dtype as the input"):
        micro.ones(3).quantile(micro.tensor(0.5, dtype=micro.float64))


def test_covariances_agree_with_pytorch():
    counts, weights = torch.tensor([1, 2, 1, 3]), torch.tensor([0.5, 1.0, 2.0, 1.0])
    wanted = torch.cov(GRID, correction=0, fweights=counts, aweights=weights)
    got = micro.cov(
        to_micro(GRID), correction=0, fweights=to_micro(counts), aweights=to_micro(weights)
    )
    assert difference(got, wanted) is None
    assert difference(micro.corrcoef(to_micro(GRID)), torch.corrcoef(GRID)) is None
