"""What is registered for GPUs, and on a GPU what it computes."""

import pytest
import torch
import torch.nn.functional as F

from tests.kernels.accuracy import GRADIENT, assert_exact
from torchstone import kernels
from torchstone.kernels import gpu, library

pytestmark = pytest.mark.torch


def has_kernel(name: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"torchstone::{name}", "CUDA")


def test_triton_serves_gpus() -> None:
    gpu.use("triton", library._library)
    assert has_kernel("layer_norm")
    assert has_kernel("layer_norm_backward")


def test_a_backend_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="backend is 'metal'; wanted: triton or cuda"):
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
