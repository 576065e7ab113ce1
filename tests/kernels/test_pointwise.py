"""Softmax and the activations beside float64 and beside torch's own, on each instruction set."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from tests.kernels.accuracy import FORWARD, GRADIENT, assert_exact, error_of
from torchstone import kernels

pytestmark = pytest.mark.torch

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
operators = torch.ops.torchstone


@dataclass(frozen=True)
class Operation:
    """A function of ours and the same in plain torch; the last argument may be a row."""

    ours: Callable[..., Tensor]
    theirs: Callable[..., Tensor]
    num_full: int
    num_rows: int = 0


OPERATIONS = {
    "softmax": Operation(kernels.softmax, lambda x: F.softmax(x, -1), num_full=1),
    "bias_gelu": Operation(
        kernels.bias_gelu, lambda x, b: F.gelu(x + b, approximate="tanh"), num_full=1, num_rows=1
    ),
    "gelu": Operation(kernels.bias_gelu, lambda x: F.gelu(x, approximate="tanh"), num_full=1),
    "swiglu": Operation(kernels.swiglu, lambda gate, up: F.silu(gate) * up, num_full=2),
}


def results(function: Callable[..., Tensor], tensors: list[Tensor], grad: Tensor) -> list[Tensor]:
    leaves = [each.detach().clone().requires_grad_() for each in tensors]
    out = function(*leaves)
    return [out.detach(), *torch.autograd.grad(out, leaves, grad.to(out.dtype))]


def inputs(name: str, shape: tuple[int, ...], dtype: torch.dtype, scale: float) -> list[Tensor]:
    operation = OPERATIONS[name]
    tensors = [(torch.randn(shape) * scale).to(dtype) for _ in range(operation.num_full)]
    return tensors + [torch.randn(shape[-1]).to(dtype) for _ in range(operation.num_rows)]


@pytest.mark.gate("*-dtype0", "*-dtype3")
@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(7, 768), (3, 5, 33), (66, 4), (1, 1025), (5, 1)])
def test_it_is_as_exact_as_torch_or_more(
    shape: tuple[int, ...], dtype: torch.dtype, name: str
) -> None:
    torch.manual_seed(0)
    operation, tensors = OPERATIONS[name], inputs(name, shape, dtype, 3.0)
    grad = torch.randn(shape).to(dtype)
    got, peer = (results(each, tensors, grad) for each in (operation.ours, operation.theirs))
    truth = results(operation.theirs, [each.double() for each in tensors], grad)
    rows = torch.Size(shape[:-1]).numel()
    assert_exact(got[:1], peer[:1], truth[:1], FORWARD, scale=4.0)
    assert_exact(got[1:], peer[1:], truth[1:], GRADIENT, scale=16.0 * rows**0.5)


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("name", OPERATIONS)
def test_large_numbers_give_what_they_should(name: str) -> None:
    operation = OPERATIONS[name]
    row = torch.tensor([-3e38, -1e20, -100.0, -89.0, -20.0, 0.0, 20.0, 89.0, 100.0, 1e4])
    tensors = [row.repeat(2, 1) for _ in range(operation.num_full)]
    tensors += [torch.zeros(10) for _ in range(operation.num_rows)]
    if name == "swiglu":
        tensors[1] = torch.ones(2, 10)
    got = results(operation.ours, tensors, torch.ones(2, 10))
    want = results(operation.theirs, [each.double() for each in tensors], torch.ones(2, 10))
    for result, truth in zip(got, want, strict=True):
        torch.testing.assert_close(result.double(), truth, rtol=1e-5, atol=1e-6)


@pytest.mark.usefixtures("each_set")
def test_every_exponential_is_right_to_two_units() -> None:
    """Softmax of (x, 0) is exp(x) / (1 + exp(x)), which below -20 is exp(x)."""
    x = torch.linspace(-103.0, -20.0, 20_001)
    got = kernels.softmax(torch.stack([x, torch.zeros_like(x)], 1))[:, 0]
    truth = x.double().exp() / (1 + x.double().exp())
    normal = truth > 1.2e-38
    relative = ((got.double() - truth).abs() / truth)[normal]
    assert float(relative.max()) < 3 * 2**-23
    assert error_of(got[~normal], truth[~normal]) < 3e-45


@pytest.mark.parametrize("dim", [0, 1, 2, -2])
def test_softmax_along_any_dimension(dim: int) -> None:
    x = torch.randn(3, 4, 5)
    torch.testing.assert_close(kernels.softmax(x, dim), torch.softmax(x, dim))


def test_softmax_of_what_is_nowhere_or_not_a_number() -> None:
    x = torch.randn(4, 5)
    x[1] = -torch.inf
    x[2, 3] = torch.nan
    x[3, :4] = -torch.inf
    got, want = kernels.softmax(x), torch.softmax(x, -1)
    torch.testing.assert_close(got, want, equal_nan=True)


@pytest.mark.parametrize("name", OPERATIONS)
@pytest.mark.parametrize("shape", [(0, 3), (2, 0)])
def test_nothing(shape: tuple[int, ...], name: str) -> None:
    tensors = inputs(name, shape, torch.float32, 1.0)
    got = results(OPERATIONS[name].ours, tensors, torch.randn(shape))
    assert [each.shape for each in got] == [torch.Size(shape), *(t.shape for t in tensors)]
    assert all(torch.equal(each, torch.zeros_like(each)) for each in got)


@pytest.mark.parametrize("name", OPERATIONS)
def test_gradients_and_their_gradients(name: str) -> None:
    leaves = [each.requires_grad_() for each in inputs(name, (3, 4), torch.float64, 1.0)]
    assert gradcheck(OPERATIONS[name].ours, leaves)
    assert gradgradcheck(OPERATIONS[name].ours, leaves)


@pytest.mark.parametrize("name", OPERATIONS)
def test_other_layouts_are_read_as_they_are(name: str) -> None:
    x = [torch.randn(6, 5).t() for _ in range(OPERATIONS[name].num_full)]
    x += [torch.randn(12)[::2] for _ in range(OPERATIONS[name].num_rows)]
    x[0] = x[0].detach()
    torch.testing.assert_close(OPERATIONS[name].ours(*x), OPERATIONS[name].theirs(*x))


@pytest.mark.full
def test_the_operators_keep_what_their_registration_promises() -> None:
    assert kernels.load()
    x, y, grad = (torch.randn(3, 5, requires_grad=True) for _ in range(3))
    b = torch.randn(5, requires_grad=True)
    torch.library.opcheck(operators.softmax.default, (x,))
    out = torch.softmax(x.detach(), -1).requires_grad_()
    torch.library.opcheck(operators.softmax_backward.default, (grad, out))
    torch.library.opcheck(operators.bias_gelu.default, (x, b))
    torch.library.opcheck(operators.bias_gelu.default, (x.detach(), None))
    torch.library.opcheck(operators.bias_gelu_backward.default, (grad, x, b))
    torch.library.opcheck(operators.swiglu.default, (x, y))
    torch.library.opcheck(operators.swiglu_backward.default, (grad, x, y))


@pytest.mark.full
def test_they_compile_whole_forward_and_backward() -> None:
    def function(x: Tensor, y: Tensor, b: Tensor) -> Tensor:
        return kernels.softmax(kernels.swiglu(kernels.bias_gelu(x, b), y) * 2)

    tensors, grad = [torch.randn(5, 24), torch.randn(5, 24), torch.randn(24)], torch.randn(5, 24)
    compiled = results(torch.compile(function, fullgraph=True), tensors, grad)
    torch.testing.assert_close(compiled, results(function, tensors, grad))


def test_bad_arguments_are_named() -> None:
    x = torch.randn(2, 3)
    with pytest.raises(IndexError, match="softmax: dim is 2, but input has 2 dimensions"):
        kernels.softmax(x, 2)
    with pytest.raises(TypeError, match="softmax: input has dtype int64"):
        kernels.softmax(x.long())
    with pytest.raises(ValueError, match=r"bias has shape \(2,\); expected \(3,\)"):
        kernels.bias_gelu(x, x[:, 0])
    with pytest.raises(ValueError, match="bias_gelu: input has no dimensions"):
        kernels.bias_gelu(x[0, 0])
    with pytest.raises(ValueError, match=r"up has shape \(3,\); expected \(2, 3\)"):
        kernels.swiglu(x, x[0])
    with pytest.raises(TypeError, match=r"swiglu: up is torch\.float64, but gate torch\.float32"):
        kernels.swiglu(x, x.double())
