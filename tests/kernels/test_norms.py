"""RMSNorm, and both norms of a sum with a residual, beside float64 and beside torch's own."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import gradcheck, gradgradcheck

from tests.kernels.accuracy import FORWARD, GRADIENT, assert_exact
from torchstone import kernels

pytestmark = pytest.mark.torch

DTYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)
operators = torch.ops.torchstone
Outputs = tuple[Tensor, ...]


@dataclass(frozen=True)
class Norm:
    """A function of ours and the same in plain torch, of rows and of parameters."""

    ours: Callable[..., Outputs]
    theirs: Callable[..., Outputs]
    num_rows: int
    num_parameters: int


def plain_rms(x: Tensor, w: Tensor) -> Tensor:
    # Torch's own is composed of operations that round in between.
    return F.rms_norm(x, x.shape[-1:], w, 1e-5)


def plain_sum(x: Tensor, y: Tensor, norm: Callable[[Tensor], Tensor]) -> Outputs:
    total = x + y
    return norm(total), total


NORMS = {
    "rms_norm": Norm(
        lambda x, w: (kernels.rms_norm(x, x.shape[-1:], w, 1e-5),),
        lambda x, w: (plain_rms(x, w),),
        num_rows=1,
        num_parameters=1,
    ),
    "add_rms_norm": Norm(
        lambda x, y, w: kernels.add_rms_norm(x, y, x.shape[-1:], w, 1e-5),
        lambda x, y, w: plain_sum(x, y, lambda total: plain_rms(total, w)),
        num_rows=2,
        num_parameters=1,
    ),
    "add_layer_norm": Norm(
        lambda x, y, w, b: kernels.add_layer_norm(x, y, x.shape[-1:], w, b),
        lambda x, y, w, b: plain_sum(x, y, lambda total: F.layer_norm(total, w.shape, w, b)),
        num_rows=2,
        num_parameters=2,
    ),
}


def results(
    function: Callable[..., Outputs], tensors: list[Tensor], grads: list[Tensor]
) -> tuple[list[Tensor], list[Tensor]]:
    leaves = [each.detach().clone().requires_grad_() for each in tensors]
    outputs = function(*leaves)
    kept = grads[: len(outputs)]
    gradients = torch.autograd.grad(outputs, leaves, [g.to(outputs[0].dtype) for g in kept])
    return [each.detach() for each in outputs], list(gradients)


@pytest.mark.gate("*-dtype0", "*-dtype3")
@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("name", NORMS)
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [(7, 768), (3, 5, 33), (66, 4), (1, 1025)])
def test_it_is_as_exact_as_torch_or_more(
    shape: tuple[int, ...], dtype: torch.dtype, name: str
) -> None:
    torch.manual_seed(0)
    norm = NORMS[name]
    tensors = [(torch.randn(shape) + 0.5).to(dtype) for _ in range(norm.num_rows)]
    tensors += [torch.randn(shape[-1]).to(dtype) for _ in range(norm.num_parameters)]
    grads = [torch.randn(shape).to(dtype) for _ in range(2)]
    out, gradients = results(norm.ours, tensors, grads)
    peer_out, peer_gradients = results(norm.theirs, tensors, grads)
    doubles = [each.double() for each in tensors]
    if norm.num_rows == 2:
        # What is normalised is the sum as it is rounded.
        total = (tensors[0] + tensors[1]).double()
        doubles[:2] = [total / 2, total / 2]
    true_out, true_gradients = results(norm.theirs, doubles, grads)
    rows = total_rows(shape)
    assert_exact(out, peer_out, true_out, FORWARD, scale=8.0)
    assert_exact(gradients, peer_gradients, true_gradients, GRADIENT, scale=32.0 * rows**0.5)


def total_rows(shape: tuple[int, ...]) -> int:
    return int(torch.Size(shape[:-1]).numel())


@pytest.mark.parametrize("name", NORMS)
def test_gradients_and_their_gradients(name: str) -> None:
    norm = NORMS[name]
    tensors = [torch.randn(3, 4, dtype=torch.float64) for _ in range(norm.num_rows)]
    tensors += [torch.randn(4, dtype=torch.float64) for _ in range(norm.num_parameters)]
    leaves = [each.requires_grad_() for each in tensors]
    assert gradcheck(norm.ours, leaves)
    assert gradgradcheck(norm.ours, leaves)


@pytest.mark.full
def test_the_operators_keep_what_their_registration_promises() -> None:
    assert kernels.load()
    x, y = (torch.randn(3, 5, requires_grad=True) for _ in range(2))
    w, b = (torch.randn(5, requires_grad=True) for _ in range(2))
    torch.library.opcheck(operators.rms_norm.default, (x, w, 1, 1e-5))
    torch.library.opcheck(operators.rms_norm.default, (x.detach(), None, 1, 1e-5))
    torch.library.opcheck(operators.add_rms_norm.default, (x, y, w, 1, 1e-5))
    torch.library.opcheck(operators.add_layer_norm.default, (x, y, w, b, 1, 1e-5))
    grad, rstd = torch.randn(3, 5, requires_grad=True), torch.rand(3, 1) + 0.5
    arguments = (grad, y, x, rstd, w, 1, True)
    torch.library.opcheck(operators.rms_norm_backward.default, arguments)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_default_eps_is_torch_s(dtype: torch.dtype) -> None:
    x = (torch.randn(4, 6) * 1e-4).to(dtype)
    got, want = kernels.rms_norm(x, 6), F.rms_norm(x, (6,))
    tolerance = 4 * torch.finfo(dtype).eps
    torch.testing.assert_close(got, want, rtol=tolerance, atol=tolerance)


@pytest.mark.full
def test_they_compile_whole_forward_and_backward() -> None:
    def function(x: Tensor, y: Tensor, w: Tensor, b: Tensor) -> Outputs:
        out, total = kernels.add_layer_norm(x, y, 24, w, b)
        again, total = kernels.add_rms_norm(out, total, 24, w)
        return kernels.rms_norm(again, 24, b) * 2, total

    tensors = [torch.randn(5, 24), torch.randn(5, 24), torch.randn(24), torch.randn(24)]
    grads = [torch.randn(5, 24) for _ in range(2)]
    compiled = results(torch.compile(function, fullgraph=True), tensors, grads)
    torch.testing.assert_close(compiled, results(function, tensors, grads))


def test_a_residual_that_does_not_fit_is_named() -> None:
    x = torch.randn(2, 3)
    with pytest.raises(ValueError, match=r"residual has shape \(3,\); expected \(2, 3\)"):
        kernels.add_rms_norm(x, x[0], 3)
    with pytest.raises(TypeError, match=r"residual is torch\.float64, but input torch\.float32"):
        kernels.add_layer_norm(x, x.double(), 3)
    with pytest.raises(ValueError, match="add_rms_norm: residual is on meta, but input on cpu"):
        kernels.add_rms_norm(x, x.to("meta"), 3)
