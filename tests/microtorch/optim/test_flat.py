"""Long parameters step in parts, and no one can tell."""

import numpy as np
import pytest

import torchstone.microtorch as torch
from torchstone.microtorch.optim import flat

pytestmark = pytest.mark.pure

LR = 0.3


@pytest.mark.parametrize("count", [flat.PART - 1, flat.PART, flat.PART + 1, 3 * flat.PART + 7])
@pytest.mark.parametrize("is_turned", [False, True])
def test_descent_is_the_same_bits_in_parts(count: int, is_turned: bool) -> None:
    rng = np.random.default_rng(count)
    before = rng.standard_normal((2, count)).astype(np.float32)
    grad = rng.standard_normal((2, count)).astype(np.float32)
    given = grad.T.copy().T if is_turned else grad
    param = torch.nn.Parameter(torch.tensor(before))
    short = torch.nn.Parameter(torch.ones(3))
    param.grad, short.grad = torch.from_numpy(given), torch.ones(3)
    version = param._version
    torch.optim.SGD([short, param], lr=LR).step()
    expected = before - grad * np.float32(LR)
    np.testing.assert_array_equal(param.detach().numpy(), expected)
    np.testing.assert_array_equal(param.grad.numpy(), grad)
    assert param._version > version


def test_a_long_parameter_that_is_not_dense_steps_too() -> None:
    base = torch.zeros(2 * flat.PART, 2)
    param = torch.nn.Parameter(base[:, 0])
    param.grad = torch.arange(2 * flat.PART, dtype=torch.float32)
    torch.optim.SGD([param], lr=1.0).step()
    np.testing.assert_array_equal(base[:, 0].numpy(), -np.arange(2.0 * flat.PART))
    assert not base[:, 1].any()
