import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch

POLYNOMIALS = (
    *(f"{p}chebyshev_polynomial_{k}" for p in ("", "shifted_") for k in "tuvw"),
    "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
    "legendre_polynomial_p",
)  # fmt: skip


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_a_polynomial_agrees_for_low_and_high_degrees(name):
    x = np.array([-1.5, -1.0, -0.3, 0.0, 0.5, 0.9, 1.0, 2.0])
    n = np.array([-1.0, 0.0, 1.0, 2.0, 5.0, 9.0, 20.0])
    x, n = (each.copy() for each in np.broadcast_arrays(x[:, None], n))
    ours = getattr(micro.special, name)(micro.tensor(x), micro.tensor(n)).numpy()
    theirs = getattr(torch.special, name)(torch.tensor(x), torch.tensor(n)).numpy()
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9)
