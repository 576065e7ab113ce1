"""What occurs, and where it would stand, against PyTorch's."""

import math

import pytest
import torch

import torchstone.microtorch as micro
from tests.microtorch.conformance.convert import difference, to_micro

pytestmark = pytest.mark.torch

ROWS = torch.tensor([[1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [0.0, 0.0, math.nan], [1.0, 1.0, 2.0]])


@pytest.mark.parametrize("name", ["unique", "unique_consecutive"])
@pytest.mark.parametrize(
    ("x", "dim"),
    [
        (x, dim)
        for x in (ROWS[:2], ROWS, ROWS[::3].int(), torch.empty(0))
        for dim in (None, 0, 1)
        if dim is None or dim < x.ndim
    ],
)
def test_the_different_elements_agree_with_pytorch(name, dim, x):
    options = {"return_inverse": True, "return_counts": True, "dim": dim}
    wanted = getattr(torch, name)(x, **options)
    assert difference(getattr(micro, name)(to_micro(x), **options), wanted) is None


@pytest.mark.parametrize("right", [False, True])
def test_places_in_sorted_rows_agree_with_pytorch(right):
    edges = torch.tensor([[0.0, 1.0, 1.0, 2.0], [5.0, 6.0, 7.0, 8.0]])
    values = torch.tensor([[1.0, -1.0, math.nan], [6.0, 9.0, 6.5]])
    for one, other in ((edges, values), (edges[0], values)):
        wanted = torch.searchsorted(one, other, right=right, out_int32=True)
        got = micro.searchsorted(to_micro(one), to_micro(other), right=right, out_int32=True)
        assert difference(got, wanted) is None
    assert micro.bucketize(1.0, to_micro(edges[0]), right=right).item() == (3 if right else 1)


def test_what_is_among_others_is_told():
    x = micro.tensor([[1, 2], [3, 4]])
    assert micro.isin(x, micro.tensor([2, 3])).tolist() == [[False, True], [True, False]]
    assert micro.isin(x, 2, invert=True).tolist() == [[True, False], [True, True]]


def test_opposite_sides_are_refused():
    with pytest.raises(RuntimeError, match="can't be set to opposites"):
        micro.searchsorted(micro.ones(2), micro.ones(1), right=True, side="left")
    with pytest.raises(RuntimeError, match="boundaries tensor must be 1 dimension"):
        micro.bucketize(micro.ones(1), micro.ones(2, 2))
