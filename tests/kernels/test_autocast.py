"""Under autocast operators take the dtypes that torch's own take."""

import pytest
import torch

from torchstone import kernels
from torchstone.kernels.library import lowered, widened_on_gpu

pytestmark = pytest.mark.torch


def has_kernel(name: str, key: str) -> bool:
    return torch._C._dispatch_has_kernel_for_dispatch_key(f"torchstone::{name}", key)


def test_what_torch_casts_is_cast_on_either_device() -> None:
    assert kernels.load()
    for name in ("layer_norm", "add_rms_norm", "softmax", "cross_entropy", "flash_attention"):
        assert has_kernel(name, "AutocastCPU")
        assert has_kernel(name, "AutocastCUDA")
    for name in ("bias_gelu", "swiglu", "rotary"):
        assert not has_kernel(name, "AutocastCUDA")


def test_norms_are_widened_on_gpus_alone_and_attention_is_lowered() -> None:
    assert (widened_on_gpu("cuda"), widened_on_gpu("cpu")) == (torch.float32, None)
    with torch.autocast("cpu", torch.float16):
        assert lowered("cpu") == torch.float16


def test_on_the_cpu_a_norm_gives_what_it_got_and_attention_the_lower_dtype() -> None:
    x, w = torch.randn(1, 2, 4, 8), torch.randn(8)
    with torch.autocast("cpu", torch.bfloat16):
        assert kernels.rms_norm(x, 8, w).dtype == torch.float32
        assert kernels.softmax(x.bfloat16()).dtype == torch.bfloat16
        assert kernels.flash_attention(x, x, x).dtype == torch.bfloat16
        # float64 is nobody's to lower.
        assert kernels.flash_attention(*[x.double()] * 3).dtype == torch.float64
