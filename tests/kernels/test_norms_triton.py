"""The norms in Triton, in Triton's interpreter: small, for each program is a loop of Python."""

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from tests.kernels.accuracy import GRADIENT, assert_exact
from torchstone.kernels import norm_reference
from torchstone.kernels.triton import launch
from torchstone.kernels.triton import norms as in_triton

pytestmark = [pytest.mark.torch, pytest.mark.full]

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


def assert_right(x: Tensor, w: Tensor | None, b: Tensor | None, num_dims: int = 1) -> None:
    grad = torch.randn(x.shape).to(x.dtype)
    shape = x.shape[x.dim() - num_dims :]
    has_parameters = w is not None or b is not None
    out, mean, rstd = in_triton.layer_norm(x, w, b, num_dims, 1e-5)
    of_input, of_weight, of_bias = in_triton.layer_norm_backward(
        grad, None, x, mean, rstd, w, num_dims, has_parameters
    )
    got = [out, of_input]
    got += [of_weight] if w is not None else []
    got += [of_bias] if b is not None else []

    def plain(dtype: torch.dtype | None) -> list[Tensor]:
        leaves = [
            None if t is None else (t if dtype is None else t.to(dtype)).detach().requires_grad_()
            for t in (x, w, b)
        ]
        assert leaves[0] is not None
        out = F.layer_norm(leaves[0], shape, leaves[1], leaves[2])
        given = [each for each in leaves if each is not None]
        return [out.detach(), *torch.autograd.grad(out, given, grad.to(out.dtype))]

    # The interpreter cuts bfloat16 off where a GPU rounds: one more unit in the last place.
    cut = torch.finfo(x.dtype).eps if x.dtype == torch.bfloat16 else 0.0
    truth = plain(torch.float64)
    for result, peer, true in zip(got, plain(None), truth, strict=True):
        largest = float(true.abs().max())
        scale = 64.0 + cut * largest / torch.finfo(torch.float32).eps / 8
        assert_exact([result], [peer], [true], GRADIENT, scale=scale)


@pytest.mark.gate("*-dtype0")
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("most_bytes", [65536, 64])
def test_rows_in_registers_and_wide_ones(
    most_bytes: int, dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "MOST_BYTES", most_bytes)
    w, b = torch.randn(33).to(dtype), torch.randn(33).to(dtype)
    assert_right((torch.randn(5, 7, 33) + 2).to(dtype), w, b)


@pytest.mark.parametrize(("has_weight", "has_bias"), [(True, False), (False, True), (False, False)])
def test_parameters_may_be_missing(has_weight: bool, has_bias: bool) -> None:
    w, b = torch.randn(4, 5), torch.randn(4, 5)
    x = torch.randn(3, 5, 4).transpose(1, 2)
    assert_right(x, w if has_weight else None, b if has_bias else None, num_dims=2)


def test_more_rows_than_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_triton, "MOST_PARTS", 3)
    monkeypatch.setattr(in_triton, "ROWS_OF_PART", 2)
    assert_right(torch.randn(11, 6), torch.randn(6), torch.randn(6))


@pytest.mark.parametrize("shape", [(0, 8), (3, 0)])
def test_nothing(shape: tuple[int, int]) -> None:
    x, w = torch.randn(shape), torch.randn(shape[1])
    out, mean, rstd = in_triton.layer_norm(x, w, None, 1, 1e-5)
    _, of_weight, _ = in_triton.layer_norm_backward(x, None, x, mean, rstd, w, 1, True)
    assert out.shape == shape
    assert torch.equal(of_weight, torch.zeros(shape[1]))


@pytest.mark.parametrize("most_bytes", [65536, 32])
@pytest.mark.parametrize("has_mean", [True, False])
def test_sums_and_their_norms_are_those_of_the_references(
    has_mean: bool, most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "MOST_BYTES", most_bytes)
    x, y, grad, grad_sum = (torch.randn(6, 20) for _ in range(4))
    w, b = torch.randn(20), torch.randn(20) if has_mean else None
    out, mean, rstd = norm_reference.normalise(x + y, w, b, 1, 1e-5, has_mean=has_mean)
    if has_mean:
        got = in_triton.add_layer_norm(x, y, w, b, 1, 1e-5)
        torch.testing.assert_close(got, (out, x + y, mean, rstd))
        kept = (mean, rstd)
        gradients = in_triton.layer_norm_backward(grad, grad_sum, x + y, *kept, w, 1, True)
        expected = norm_reference.gradients(grad, grad_sum, x + y, *kept, w, 1, True)
    else:
        torch.testing.assert_close(in_triton.add_rms_norm(x, y, w, 1, 1e-5), (out, x + y, rstd))
        torch.testing.assert_close(in_triton.rms_norm(x + y, w, 1, 1e-5), (out, rstd))
        gradients = in_triton.rms_norm_backward(grad, grad_sum, x + y, rstd, w, 1, True)
        expected = norm_reference.gradients(grad, grad_sum, x + y, None, rstd, w, 1, True)
    torch.testing.assert_close(gradients, expected[: len(gradients)])
