"""Pseudo-inverses, ranks, least squares."""

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("shape", [(5, 3), (3, 5), (2, 4, 4), (0, 3), (3, 0)])
def test_the_pseudo_inverse_obeys_penroses_laws(shape):
    a = micro.tensor(np.random.default_rng(0).standard_normal(shape))
    inverse = micro.linalg.pinv(a)
    np.testing.assert_allclose((a @ inverse @ a).numpy(), a.numpy(), atol=1e-12)
    product = (a @ inverse).numpy()
    np.testing.assert_allclose(product, product.swapaxes(-2, -1), atol=1e-12)


@pytest.mark.parametrize(
    "options",
    [{}, {"atol": 0.5}, {"rtol": 0.5}, {"atol": 0.05, "rtol": 0.001}, {"hermitian": True}],
)
def test_tolerances_cut_where_pytorch_cuts(options):
    diagonal = np.diag([2.0, -0.9, 0.1, 1e-17])
    ours, theirs = micro.tensor(diagonal), torch.tensor(diagonal)
    assert (
        micro.linalg.matrix_rank(ours, **options).item()
        == torch.linalg.matrix_rank(theirs, **options).item()
    )
    np.testing.assert_allclose(
        micro.linalg.pinv(ours, **options).numpy(),
        torch.linalg.pinv(theirs, **options).numpy(),
        atol=1e-12,
    )


@pytest.mark.parametrize("driver", [None, "gels", "gelsy", "gelsd", "gelss"])
@pytest.mark.parametrize("shape", [(5, 3), (2, 5, 3), (3, 5)])
def test_least_squares_gives_what_the_driver_gives(shape, driver):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal(shape), rng.standard_normal((*shape[:-1], 2))
    found = micro.linalg.lstsq(micro.tensor(a), micro.tensor(b), driver=driver)
    wanted = torch.linalg.lstsq(torch.tensor(a), torch.tensor(b), driver=driver)
    assert found._fields == ("solution", "residuals", "rank", "singular_values")
    for mine, theirs in zip(found, wanted, strict=True):
        assert mine.shape == tuple(theirs.shape)
        np.testing.assert_allclose(mine.numpy(), theirs.numpy(), atol=1e-12)


@pytest.mark.parametrize(
    "call",
    [
        lambda t: t.linalg.lstsq(t.ones(3, 2), t.ones(3, 1), driver="x"),
        lambda t: t.linalg.lstsq(t.ones(3, 2), t.ones(4, 1)),
        lambda t: t.linalg.tensorinv(t.ones(2, 3), ind=0),
        lambda t: t.linalg.tensorinv(t.ones(2, 3), ind=1),
        lambda t: t.linalg.tensorsolve(t.ones(2, 3), t.ones(2)),
        lambda t: t.linalg.pinv(t.ones(2, 3), hermitian=True),
    ],
)
def test_what_does_not_fit_is_refused(call):
    for framework in (torch, micro):
        with pytest.raises(RuntimeError):
            call(framework)
