"""AdamW beside torch's in float64, over some hundred steps."""

import copy

import pytest
import torch
from torch import Tensor

from torchstone import kernels
from torchstone.kernels import adamw

pytestmark = pytest.mark.torch

OPTIONS = {"lr": 1e-2, "betas": (0.9, 0.95), "eps": 1e-8, "weight_decay": 0.1}
operators = torch.ops.torchstone


def train(kind: type[torch.optim.Optimizer], start: Tensor, steps: int) -> Tensor:
    param = start.clone().requires_grad_()
    optimizer = kind([param], **OPTIONS)  # type: ignore[call-arg]
    generator = torch.Generator().manual_seed(0)
    for _ in range(steps):
        noise = torch.randn(start.shape, generator=generator, dtype=torch.float64)
        param.grad = (param.detach().double() - 1 + noise).to(start.dtype)
        optimizer.step()
    return param.detach()


@pytest.mark.usefixtures("each_set")
@pytest.mark.parametrize("shape", [(33, 7), (1,), (129,)])
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float32, 2e-5), (torch.float64, 1e-12)])
def test_it_ends_where_torch_s_ends(
    shape: tuple[int, ...], dtype: torch.dtype, tolerance: float
) -> None:
    start = torch.randn(shape, dtype=dtype)
    want = train(torch.optim.AdamW, start.double(), 100)
    got = train(kernels.AdamW, start, 100)
    torch.testing.assert_close(got.double(), want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_a_step_of_half_types_is_rounded_once(dtype: torch.dtype) -> None:
    start, grad = torch.randn(100).to(dtype), torch.randn(100).to(dtype)
    param, peer = start.clone().requires_grad_(), start.double().requires_grad_()
    param.grad, peer.grad = grad, grad.double()
    kernels.AdamW([param], **OPTIONS).step()  # type: ignore[arg-type]
    torch.optim.AdamW([peer], **OPTIONS).step()  # type: ignore[arg-type]
    assert (param.double() - peer).abs().max() <= torch.finfo(dtype).eps * peer.abs().max()


def test_state_of_half_types_is_saved_and_loaded_as_it_is() -> None:
    param = torch.randn(20).bfloat16().requires_grad_()
    optimizer = kernels.AdamW([param], **OPTIONS)  # type: ignore[arg-type]
    param.grad = torch.randn(20).bfloat16()
    optimizer.step()
    saved = copy.deepcopy(optimizer.state_dict())
    other = param.detach().clone().requires_grad_()
    resumed = kernels.AdamW([other], **OPTIONS)  # type: ignore[arg-type]
    resumed.load_state_dict(saved)
    assert resumed.state[other]["exp_avg"].dtype == torch.float32
    for each in (param, other):
        each.grad = torch.ones(20).bfloat16()
    optimizer.step()
    resumed.step()
    assert torch.equal(param, other)


def test_a_parameter_with_strides_is_changed_where_it_lies() -> None:
    whole = torch.randn(6, 5)
    param = whole.t().requires_grad_()
    param.grad = torch.randn(5, 6)
    before = param.detach().clone()
    kernels.AdamW([param], **OPTIONS).step()  # type: ignore[arg-type]
    assert not torch.equal(param, before)
    assert torch.equal(whole.t(), param)


def test_the_reference_is_what_the_kernel_computes() -> None:
    assert kernels.load()
    tensors = [torch.randn(50), torch.randn(50), torch.rand(50), torch.randn(50)]
    others = [each.clone() for each in tensors]
    numbers = (1e-2, 0.9, 0.95, 1e-8, 0.1, 3)
    operators.adamw_(*tensors, *numbers)
    adamw.reference(*others, *numbers)  # type: ignore[call-arg]  # a list has no fixed length
    torch.testing.assert_close(tensors, others)
    torch.library.opcheck(operators.adamw_.default, (*tensors, *numbers))


def test_a_graph_notices_that_its_parameter_was_changed() -> None:
    param = torch.randn(3, requires_grad=True)
    loss = (param**2).sum()
    loss.backward(retain_graph=True)
    kernels.AdamW([param], **OPTIONS).step()  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_bad_arguments_are_named() -> None:
    param = torch.randn(3, requires_grad=True)
    with pytest.raises(ValueError, match="lr is -1; expected 0 or more"):
        kernels.AdamW([param], lr=-1)
    with pytest.raises(ValueError, match=r"betas\[1\] is 1\.0; expected 0 or more, below 1"):
        kernels.AdamW([param], betas=(0.9, 1.0))
    tensors = (param.detach(), torch.zeros(2), torch.zeros(3), torch.zeros(3))
    with pytest.raises(RuntimeError, match="mean has not 3 numbers"):
        operators.adamw_(*tensors, 0.1, 0.9, 0.9, 1e-8, 0.0, 1)
