"""Softmax and GELU with a bias in CUDA C++, on the simulator, compared with plain torch."""

import pytest
import torch
from torch import Tensor

from tests.kernels.accuracy import FORWARD, GRADIENT
from tests.kernels.simulated import Operator, assert_as_exact, operators_on_card
from torchstone.kernels import activations, probabilities
from torchstone.kernels.arguments import FLOATING
from torchstone.kernels.cuda import pointwise
from torchstone.kernels.cuda.launch import TYPES

pytestmark = [pytest.mark.torch, pytest.mark.cudasim, pytest.mark.full]

# A pack for each thread, packs of one number, four packs, chunks, a row narrower than a warp.
WIDTHS = [64, 1001, 8192, 20_001, 5]
REFERENCES = {
    "softmax": probabilities.reference,
    "softmax_backward": probabilities.reference_backward,
    "bias_gelu": activations.reference_bias_gelu,
    "bias_gelu_backward": activations.reference_bias_gelu_backward,
}


@pytest.fixture
def operators(monkeypatch: pytest.MonkeyPatch) -> dict[str, Operator]:
    return operators_on_card(monkeypatch)


def assert_softmax(operators: dict[str, Operator], x: Tensor, grad: Tensor) -> None:
    assert_as_exact(operators["softmax"], REFERENCES["softmax"], (x,), FORWARD, 1.0)
    arguments = (grad, probabilities.reference(x))
    backward = operators["softmax_backward"]
    assert_as_exact(backward, REFERENCES["softmax_backward"], arguments, GRADIENT, 4.0)


def assert_bias_gelu(
    operators: dict[str, Operator], x: Tensor, bias: Tensor | None, grad: Tensor
) -> None:
    assert_as_exact(operators["bias_gelu"], REFERENCES["bias_gelu"], (x, bias), FORWARD, 8.0)
    backward, scale = operators["bias_gelu_backward"], 4.0 * len(x)
    assert_as_exact(backward, REFERENCES["bias_gelu_backward"], (grad, x, bias), GRADIENT, scale)


def test_the_types_are_those_that_are_computed() -> None:
    assert tuple(TYPES) == FLOATING


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_softmax(operators: dict[str, Operator], width: int, dtype: torch.dtype) -> None:
    x, grad = (torch.randn(3, width) * 3).to(dtype), torch.randn(3, width).to(dtype)
    assert_softmax(operators, x, grad)


@pytest.mark.parametrize("width", [50, 20_000])
def test_softmax_of_what_is_hidden(operators: dict[str, Operator], width: int) -> None:
    x = torch.randn(3, width)
    x[0, : width // 2] = -torch.inf
    x[1] = -torch.inf
    x[2, 7] = torch.inf
    got = operators["softmax"](x)
    torch.testing.assert_close(got, torch.softmax(x, -1), equal_nan=True)
    assert got[1:].isnan().all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("width", WIDTHS)
def test_bias_gelu(operators: dict[str, Operator], width: int, dtype: torch.dtype) -> None:
    x, grad = (torch.randn(7, width) * 2).to(dtype), torch.randn(7, width).to(dtype)
    assert_bias_gelu(operators, x, torch.randn(width).to(dtype), grad)


def test_bias_gelu_with_a_float32_bias_beside_a_half_type_and_with_none(
    operators: dict[str, Operator],
) -> None:
    x, grad = torch.randn(5, 96).bfloat16(), torch.randn(5, 96).bfloat16()
    assert_bias_gelu(operators, x, torch.randn(96), grad)
    assert_bias_gelu(operators, x, None, grad)


def test_bias_gelu_where_its_polynomial_overflows(operators: dict[str, Operator]) -> None:
    x = torch.tensor([-1e30, -1e5, 0.0, 1e5, 1e30])
    assert operators["bias_gelu"](x, None).tolist() == [0.0, 0.0, 0.0, 1e5, x[-1].item()]
    of_input, _ = operators["bias_gelu_backward"](torch.ones(5), x, None)
    assert of_input.tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]


def test_the_gradient_of_a_bias_is_added_over_parts(
    operators: dict[str, Operator], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pointwise, "ROWS_OF_PART", 2)
    monkeypatch.setattr(pointwise, "MOST_PARTS", 3)
    x, grad, bias = torch.randn(11, 40), torch.randn(11, 40), torch.randn(40)
    assert_bias_gelu(operators, x, bias, grad)
    first, again = (operators["bias_gelu_backward"](grad, x, bias)[1] for _ in range(2))
    assert torch.equal(first, again)


@pytest.mark.parametrize(("dtype", "width"), [(torch.float32, 100), (torch.bfloat16, 257)])
def test_the_detectors_find_nothing(
    monkeypatch: pytest.MonkeyPatch, dtype: torch.dtype, width: int
) -> None:
    operators = operators_on_card(monkeypatch, check=True)
    x, grad = torch.randn(5, width).to(dtype), torch.randn(5, width).to(dtype)
    assert_softmax(operators, x, grad)
    assert_bias_gelu(operators, x, torch.randn(width).to(dtype), grad)


def test_the_detectors_find_nothing_where_a_row_comes_in_chunks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    operators = operators_on_card(monkeypatch, check=True)
    assert_softmax(operators, torch.randn(2, 4097), torch.randn(2, 4097))


@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing(operators: dict[str, Operator], shape: tuple[int, int]) -> None:
    x, bias = torch.randn(shape), torch.randn(shape[1])
    assert_softmax(operators, x, x)
    assert_bias_gelu(operators, x, bias, x)
