"""Elements taken along a dimension."""

import numpy as np
import pytest

from torchstone.microtorch.ops.along import spread, take
from torchstone.microtorch.tensor import wrap

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("dim", [0, 1])
def test_what_is_spread_is_taken_again(dim):
    values = wrap(np.arange(6.0).reshape(2, 3))
    index = wrap(np.argsort(-values.array, axis=dim))
    assert spread(take(values, index, dim), index, dim, (2, 3)).tolist() == values.tolist()


def test_a_number_alone_is_taken_as_it_is():
    assert take(wrap(np.array(3.0)), wrap(np.array(0)), 0).item() == 3.0
