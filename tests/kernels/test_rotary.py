"""Rotary embedding beside its definition, in both layouts, on each instruction set."""

import pytest
import torch
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from tests.kernels.accuracy import assert_exact
from torchstone import kernels
from torchstone.kernels import rotary

pytestmark = pytest.mark.torch

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
operators = torch.ops.torchstone


def angles(places: int, half: int, dtype: torch.dtype = torch.float32) -> tuple[Tensor, Tensor]:
    turns = torch.arange(places, dtype=torch.float64)[:, None] / 10 ** torch.linspace(0, 3, half)
    return turns.cos().to(dtype), turns.sin().to(dtype)


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("interleaved", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(2, 3, 7, 64), (5, 2), (4, 130), (3, 1, 34)])
def test_it_is_the_reference_rounded_once(
    shape: tuple[int, ...], dtype: torch.dtype, interleaved: bool
) -> None:
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    cosines, sines = angles(shape[-2], shape[-1] // 2, wide)
    x, grad = torch.randn(shape).to(dtype).requires_grad_(), torch.randn(shape).to(dtype)
    out = kernels.rotary_embedding(x, cosines, sines, interleaved=interleaved)
    (of_x,) = torch.autograd.grad(out, x, grad)
    doubles = (cosines.double(), sines.double(), interleaved)
    truth = [
        rotary.reference(x.detach().double(), *doubles, False),
        rotary.reference(grad.double(), *doubles, True),
    ]
    rounded = [each.to(dtype) for each in truth]
    assert_exact([out.detach(), of_x], rounded, truth, 1.0, scale=2.0)


@pytest.mark.parametrize("interleaved", [False, True])
def test_products_see_distances_alone(interleaved: bool) -> None:
    cosines, sines = angles(12, 8, torch.float64)
    q, k = (torch.randn(16, dtype=torch.float64).expand(12, 16) for _ in range(2))
    turned = [
        kernels.rotary_embedding(each, cosines, sines, interleaved=interleaved) for each in (q, k)
    ]
    scores = turned[0] @ turned[1].t()
    torch.testing.assert_close(scores[3, 1], scores[9, 7])
    assert not torch.isclose(scores[3, 1], scores[3, 2])


def test_gradients_and_their_gradients() -> None:
    cosines, sines = angles(3, 2, torch.float64)
    x = torch.randn(2, 3, 4, dtype=torch.float64, requires_grad=True)
    for interleaved in (False, True):

        def function(x: Tensor, interleaved: bool = interleaved) -> Tensor:
            return kernels.rotary_embedding(x, cosines, sines, interleaved=interleaved)

        assert gradcheck(function, x)
        assert gradgradcheck(function, x)


@pytest.mark.full
def test_the_operator_keeps_what_its_registration_promises() -> None:
    assert kernels.load()
    x = torch.randn(2, 3, 4, requires_grad=True)
    torch.library.opcheck(operators.rotary.default, (x, *angles(3, 2), True, False))


def test_bad_arguments_are_named() -> None:
    x, (cosines, sines) = torch.randn(2, 3, 4), angles(3, 2)
    with pytest.raises(ValueError, match=r"input has shape \(3, 5\); expected \(\*, places, width"):
        kernels.rotary_embedding(torch.randn(3, 5), cosines, sines)
    with pytest.raises(ValueError, match=r"sines has shape \(2, 2\); expected \(3, 2\)"):
        kernels.rotary_embedding(x, cosines, sines[:2])
    with pytest.raises(TypeError, match=r"cosines is torch\.float64; expected torch\.float32"):
        kernels.rotary_embedding(x, cosines.double(), sines)
    with pytest.raises(RuntimeError, match="cosines has not 6 numbers"):
        operators.rotary(x, cosines[:1], sines, False, False)


@pytest.mark.full
def test_torch_compile_takes_it_whole() -> None:
    cosines, sines = angles(3, 2)

    def function(x: Tensor) -> Tensor:
        return kernels.rotary_embedding(x * 2, cosines, sines).tanh()

    x, grad = torch.randn(2, 3, 4, requires_grad=True), torch.randn(2, 3, 4)
    got, want = torch.compile(function, fullgraph=True)(x), function(x)
    torch.testing.assert_close(got, want)
    gradients = [torch.autograd.grad(each, x, grad) for each in (got, want)]
    torch.testing.assert_close(*gradients)
