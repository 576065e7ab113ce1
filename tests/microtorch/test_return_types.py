"""Results of several tensors."""

import pytest

import torchstone.microtorch as micro

pytestmark = pytest.mark.pure


def test_a_result_is_a_tuple_with_names_and_shows_them():
    found = micro.return_types.aminmax(1, 2)
    low, high = found
    assert (low, high) == (found.min, found.max)
    assert repr(found) == "torch.return_types.aminmax(\nmin=1,\nmax=2)"
