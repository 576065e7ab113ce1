import numpy as np
import pytest

import torchstone.microtorch as micro

pytestmark = pytest.mark.pure


@pytest.mark.parametrize("weight", [0.0, 1.0])
def test_lerp_meets_both_ends_exactly(weight):
    start, end = micro.tensor([0.1, 1e8]), micro.tensor([0.7, 0.3])
    wanted = end if weight else start
    assert start.lerp(end, weight).tolist() == wanted.tolist()


def test_addcmul_in_place_writes_into_the_tensor():
    x = micro.zeros(2)
    assert x.addcmul_(micro.ones(2), micro.tensor([2.0, 3.0]), value=0.5) is x
    np.testing.assert_array_equal(x.numpy(), [1.0, 1.5])
