"""The special functions against PyTorch at the edges, and against many digits elsewhere."""

import mpmath
import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from torchstone.microtorch.ops import erf, gamma

pytestmark = pytest.mark.torch

EPS = np.finfo(np.float64).eps
EDGES = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 2.0, -2.5, 0.25, 30.0])
ONE_OPERAND = (
    "digamma", "entr", "erf", "erfc", "erfcx", "erfinv", "expit", "gammaln", "log_ndtr", "logit",
    "ndtr", "ndtri", "psi", "sinc",
)  # fmt: skip
TWO_OPERANDS = ("xlogy", "xlog1py", "zeta")

# Function, mpmath's, and where: (lowest, highest) arguments; how many times the precision it errs.
PRECISE = {
    "erf": (erf.erf, mpmath.erf, (-5, 5), 2),
    "erfc": (erf.erfc, mpmath.erfc, (-5, 26), 4),
    "erfcx": (erf.erfcx, lambda x: mpmath.exp(x * x) * mpmath.erfc(x), (-3, 26), 4),
    "erfinv": (erf.erfinv, mpmath.erfinv, (-0.999, 0.999), 4),
    "lgamma": (gamma.lgamma, mpmath.loggamma, (1e-3, 40), 6),
    "digamma": (gamma.digamma, mpmath.digamma, (2, 60), 6),
}


@pytest.mark.full
@pytest.mark.parametrize("name", PRECISE)
def test_a_function_is_exact_to_the_last_digits(name):
    function, exact, (low, high), errs = PRECISE[name]
    x = np.concatenate([np.linspace(low, high, 97), 1 + np.logspace(-9, -1, 9) * (high > 1)])
    x = x[(low <= x) & (x <= high)]
    with mpmath.workdps(40):
        wanted = np.array([float(exact(mpmath.mpf(each))) for each in x])
    np.testing.assert_allclose(function(x), wanted, rtol=errs * EPS, atol=1e-300)


@pytest.mark.parametrize("name", ONE_OPERAND)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_function_agrees_with_pytorch_at_the_edges(name, dtype):
    x = EDGES.astype(dtype)
    for view in (x, x[::-3], x[:0], x[5]):
        ours = getattr(micro.special, name)(micro.tensor(view))
        theirs = getattr(torch.special, name)(torch.tensor(view.copy()))
        assert str(ours.dtype) == str(theirs.dtype)
        np.testing.assert_allclose(ours.numpy(), theirs.numpy(), rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize("name", TWO_OPERANDS)
def test_a_function_of_two_agrees_with_pytorch_at_the_edges(name):
    edges = np.array([0.0, 0.5, 1.0, 2.0, 3.5, 30.0, np.inf])
    a, b = (each.copy() for each in np.broadcast_arrays(edges[:, None], edges))
    # PyTorch's zeta adds up to NaN there.
    kept = np.isfinite(a) & np.isfinite(b) if name == "zeta" else np.full(a.shape, True)
    ours = getattr(micro.special, name)(micro.tensor(a), micro.tensor(b)).numpy()
    theirs = getattr(torch.special, name)(torch.tensor(a), torch.tensor(b)).numpy()
    np.testing.assert_allclose(ours[kept], theirs[kept], rtol=2e-9, atol=1e-15)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_polygamma_holds_for_negative_arguments(n):
    x = np.array([-0.5, -1.25, -7.75, 0.3, 12.0])
    wanted = np.array([float(mpmath.polygamma(n, mpmath.mpf(each))) for each in x])
    np.testing.assert_allclose(gamma.polygamma(n, x), wanted, rtol=1e-13)


def test_polygamma_takes_the_order_first_as_a_function_and_last_as_a_method():
    x = micro.tensor([0.5])
    assert micro.polygamma(1, x).tolist() == x.polygamma(1).tolist()
    with pytest.raises(RuntimeError, match="does not support negative n"):
        micro.polygamma(-1, x)


@pytest.mark.parametrize("name", ["erf_", "lgamma_", "digamma_", "erfinv_", "xlogy_", "mvlgamma_"])
def test_a_variant_in_place_writes_into_the_tensor(name):
    x = micro.tensor([0.5, 0.75], dtype=micro.float64)
    rest = {"xlogy_": (2.0,), "mvlgamma_": (1,)}.get(name, ())
    theirs = getattr(torch.tensor([0.5, 0.75], dtype=torch.float64), name)(*rest)
    assert getattr(x, name)(*rest) is x
    np.testing.assert_allclose(x.numpy(), theirs.numpy(), rtol=1e-12)


def test_whole_numbers_and_halves_are_taken():
    assert micro.tensor([1, 2]).lgamma().dtype is micro.float32
    half = micro.tensor([0.5], dtype=micro.float16)
    assert micro.erf(half).dtype is micro.float16
    assert abs(micro.erf(half).item() - 0.5205) < 1e-3


def test_complex_numbers_are_refused():
    with pytest.raises(NotImplementedError, match="erf"):
        micro.erf(micro.tensor([1j]))
