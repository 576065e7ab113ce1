"""Softmax, cross-entropy and the activations in Triton's interpreter, compared with plain torch."""

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from torchstone.kernels import activations, losses, probabilities
from torchstone.kernels.triton import launch
from torchstone.kernels.triton import losses as in_triton_losses
from torchstone.kernels.triton import pointwise as in_triton

pytestmark = pytest.mark.torch

# The interpreter cuts bfloat16 off where a GPU rounds: one more unit in the last place.
TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-11, torch.float16: 2e-3, torch.bfloat16: 2e-2}
Implementation = Callable[..., Tensor | tuple[Tensor, ...]]
PAIRS: dict[str, tuple[Implementation, Implementation, int, int]] = {
    "softmax": (in_triton.softmax, probabilities.reference, 1, 0),
    "softmax_backward": (in_triton.softmax_backward, probabilities.reference_backward, 2, 0),
    "bias_gelu": (in_triton.bias_gelu, activations.reference_bias_gelu, 1, 1),
    "bias_gelu_backward": (
        in_triton.bias_gelu_backward,
        activations.reference_bias_gelu_backward,
        2,
        1,
    ),
    "swiglu": (in_triton.swiglu, activations.reference_swiglu, 2, 0),
    "swiglu_backward": (in_triton.swiglu_backward, activations.reference_swiglu_backward, 3, 0),
}


def assert_close(got: object, want: object, dtype: torch.dtype) -> None:
    torch.testing.assert_close(got, want, rtol=TOLERANCE[dtype], atol=TOLERANCE[dtype])


@pytest.mark.gate("dtype0-*")
@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_it_is_what_the_reference_computes(dtype: torch.dtype, name: str) -> None:
    function, reference, num_full, num_rows = PAIRS[name]
    tensors = [(torch.randn(5, 7, 33) * 2).to(dtype) for _ in range(num_full)]
    tensors += [torch.randn(33).to(dtype) for _ in range(num_rows)]
    assert_close(function(*tensors), reference(*tensors), dtype)


@pytest.mark.parametrize("name", ["softmax", "softmax_backward"])
def test_rows_that_no_program_holds(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(launch, "MOST_BYTES", 64)
    function, reference, num_full, _ = PAIRS[name]
    tensors = [torch.randn(4, 50) * 3 for _ in range(num_full)]
    tensors[0][1, :40] = -torch.inf if num_full == 1 else 0.0
    assert_close(function(*tensors), reference(*tensors), torch.float32)


@pytest.mark.parametrize("most_bytes", [65536, 64])
@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("dtype", TOLERANCE)
def test_cross_entropy(
    dtype: torch.dtype, smoothing: float, most_bytes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(launch, "MOST_BYTES", most_bytes)
    logits, target = (torch.randn(2, 3, 50) * 3).to(dtype), torch.randint(50, (2, 3))
    target[1, 1] = -100
    got = in_triton_losses.cross_entropy(logits, target, -100, smoothing)
    assert_close(got, losses.reference(logits, target, -100, smoothing), torch.float32)
    arguments = (torch.rand(2, 3).to(got[0].dtype), logits, target, got[1], -100, smoothing)
    gradient = in_triton_losses.cross_entropy_backward(*arguments)
    assert_close(gradient, losses.reference_backward(*arguments), dtype)


@pytest.mark.parametrize("width", [3, 200])
def test_the_gradient_of_a_bias_is_added_over_parts(
    width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(in_triton, "ROWS_OF_PART", 2)
    monkeypatch.setattr(in_triton, "MOST_PARTS", 3)
    grad, x, bias = torch.randn(11, width), torch.randn(11, width), torch.randn(width)
    for b in (bias, None):
        got = in_triton.bias_gelu_backward(grad, x, b)
        assert_close(got, activations.reference_bias_gelu_backward(grad, x, b), torch.float32)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing(shape: tuple[int, int], name: str) -> None:
    function, reference, num_full, num_rows = PAIRS[name]
    tensors = [torch.randn(shape)] * num_full + [torch.randn(shape[1])] * num_rows
    assert_close(function(*tensors), reference(*tensors), torch.float32)
