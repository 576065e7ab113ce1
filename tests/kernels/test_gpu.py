"""What is registered for GPUs, and on a GPU what it computes."""

import pytest
import torch
import torch.nn.functional as F

from tests.kernels.accuracy import GRADIENT, assert_exact
from tests.kernels.attention_cases import mask_of, tensors_of
from torchstone import kernels
from torchstone.kernels import gpu, library
from torchstone.kernels.attention_reference import Mask, reference, reference_backward

pytestmark = pytest.mark.torch


def has_kernel(name: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"torchstone::{name}", "CUDA")


def test_triton_serves_gpus() -> None:
    gpu.use("triton", library._library)
    assert has_kernel("layer_norm")
    assert has_kernel("layer_norm_backward")


def test_a_backend_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="backend is 'metal'; expected triton or cuda"):
        library.use_on_gpu("metal")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: a CUDA device is wanted")
@pytest.mark.parametrize("backend", gpu.BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("shape", [(64, 768), (3, 5, 33), (7, 5000), (2, 20_000)])
def test_it_is_as_exact_as_torch_on_a_gpu(
    shape: tuple[int, ...], dtype: torch.dtype, backend: str
) -> None:
    library.use_on_gpu(backend)
    width = shape[-1]
    tensors = [torch.randn(s, device="cuda").to(dtype) for s in (shape, (width,), (width,))]
    grad = torch.randn(shape, device="cuda").to(dtype)

    def run(function: str, dtype: torch.dtype) -> list[torch.Tensor]:
        leaves = [each.to(dtype).requires_grad_() for each in tensors]
        call = kernels.layer_norm if function == "ours" else F.layer_norm
        out = call(leaves[0], (width,), *leaves[1:])
        return [out.detach(), *torch.autograd.grad(out, leaves, grad.to(dtype))]

    truth = run("theirs", torch.float64)
    assert_exact(run("ours", dtype), run("theirs", dtype), truth, GRADIENT, scale=64.0)


def _bias_gelu(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
    return F.gelu(x + bias, approximate="tanh")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: a CUDA device is wanted")
@pytest.mark.parametrize("backend", gpu.BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("shape", [(64, 768), (3, 5, 33), (2, 20_000)])
def test_softmax_and_gelu_are_as_exact_as_torch_s_on_a_gpu(
    shape: tuple[int, ...], dtype: torch.dtype, backend: str
) -> None:
    library.use_on_gpu(backend)
    x, bias = (torch.randn(s, device="cuda").to(dtype) for s in (shape, shape[-1:]))
    grad = torch.randn(shape, device="cuda").to(dtype)
    for ours, theirs, tensors in (
        (kernels.softmax, lambda x: F.softmax(x, -1), [x]),
        (kernels.bias_gelu, _bias_gelu, [x, bias]),
    ):
        results = []
        for function, wanted in ((ours, dtype), (theirs, dtype), (theirs, torch.float64)):
            leaves = [each.to(wanted, copy=True).requires_grad_() for each in tensors]
            out = function(*leaves)
            gradients = torch.autograd.grad(out, leaves, grad.to(wanted))
            results.append([out.detach(), *gradients])
        assert_exact(*results, factor=GRADIENT, scale=64.0)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: a CUDA device is wanted")
@pytest.mark.parametrize("backend", gpu.BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("head_dim", [33, 64, 128, 256])
def test_attention_is_what_its_reference_computes_on_a_gpu(
    head_dim: int, dtype: torch.dtype, backend: str
) -> None:
    library.use_on_gpu(backend)
    shape = (2, 4, 2, 200, 300, head_dim)
    wanted = {"right": 0, "left": 90, "padding": True, "slopes": True, "dropout": 0.2}
    mask = mask_of(shape, wanted, dtype)
    on_card = Mask(*(e.cuda() if isinstance(e, torch.Tensor) else e for e in mask))
    tensors = [each.cuda() for each in tensors_of(shape, dtype)]
    wide = on_card._replace(slopes=on_card.slopes.double() if on_card.slopes is not None else None)
    results = []
    for number, each in ((dtype, on_card), (torch.float64, wide)):
        *inputs, grad = (tensor.to(number) for tensor in tensors)
        forward = torch.ops.torchstone.flash_attention if number == dtype else reference
        backward = torch.ops.torchstone.flash_attention_backward
        out, lse = forward(*inputs, *each)
        of_inputs = (backward if number == dtype else reference_backward)(
            grad, *inputs, out, lse, *each
        )
        results.append([out, *of_inputs])
    rounded = [each.to(dtype) for each in results[1]]
    assert_exact(results[0], rounded, results[1], GRADIENT, scale=16.0 * head_dim**0.5)
