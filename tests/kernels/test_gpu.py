"""What is registered for GPUs, and on a GPU what it computes."""

from collections.abc import Callable
from typing import Any

import pytest
import torch
import torch.nn.functional as F

from tests.kernels.accuracy import GRADIENT, assert_exact
from tests.kernels.attention_cases import mask_of, tensors_of
from torchstone import kernels
from torchstone.kernels import cuda, gpu, library
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


def test_triton_computes_what_cuda_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    gpu.use("triton", library._library)
    monkeypatch.setattr(cuda, "operators", lambda: {"softmax": torch.softmax})
    try:
        gpu.use("cuda", library._library)
        assert gpu._chosen["now"]["softmax"] is torch.softmax
        assert gpu._chosen["now"]["rms_norm"] is gpu.own_operators("triton")["rms_norm"]
    finally:
        gpu.use("triton", library._library)


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


def _rotate(x: torch.Tensor, *, interleaved: bool = False) -> torch.Tensor:
    places, half = x.shape[-2], x.shape[-1] // 2
    turns = torch.arange(places)[:, None] / 10 ** torch.linspace(0, 3, half, dtype=torch.float64)
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    angles = (each.to(x.device, wide) for each in (turns.cos(), turns.sin()))
    return kernels.rotary_embedding(x, *angles, interleaved=interleaved)


def _lose(x: torch.Tensor) -> torch.Tensor:
    rows = x.flatten(0, 1)
    targets = torch.arange(len(rows), device=x.device) * 7 % rows.shape[1]
    targets[::5] = -100
    return kernels.cross_entropy(rows, targets, label_smoothing=0.1, reduction="none")


# With how many tensors like the input, and how many like a row, each is called.
OTHERS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "rms_norm": (lambda x, w: kernels.rms_norm(x, len(w), w, 1e-5), 1, 1),
    "add_rms_norm": (lambda x, y, w: kernels.add_rms_norm(x, y, len(w), w, 1e-5), 2, 1),
    "add_layer_norm": (lambda x, y, w, b: kernels.add_layer_norm(x, y, len(w), w, b), 2, 2),
    "swiglu": (kernels.swiglu, 2, 0),
    "rotary": (_rotate, 1, 0),
    "rotary interleaved": (lambda x: _rotate(x, interleaved=True), 1, 0),
    "cross_entropy": (_lose, 1, 0),
}


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: a CUDA device is wanted")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16, torch.float64])
@pytest.mark.parametrize("shape", [(6, 33, 40), (3, 4, 20_000)])
@pytest.mark.parametrize("name", OTHERS)
def test_what_triton_alone_computes_is_right_on_a_gpu(
    name: str, shape: tuple[int, ...], dtype: torch.dtype
) -> None:
    library.use_on_gpu("triton")
    function, num_inputs, num_rows = OTHERS[name]
    tensors = [torch.randn(shape).to(dtype) for _ in range(num_inputs)]
    tensors += [torch.randn(shape[-1]).to(dtype) for _ in range(num_rows)]

    grads = [torch.randn(shape).to(dtype) for _ in range(2)]

    def run(device: str, dtype: torch.dtype) -> list[torch.Tensor]:
        leaves = [each.to(device, dtype).requires_grad_() for each in tensors]
        out = function(*leaves)
        results = out if isinstance(out, tuple) else (out,)
        given = [
            grad.flatten()[: each.numel()].reshape(each.shape).to(each)
            for each, grad in zip(results, grads, strict=False)
        ]
        gradients = torch.autograd.grad(results, leaves, given)
        return [each.detach().cpu() for each in (*results, *gradients)]

    truths, results = run("cpu", torch.float64), run("cuda", dtype)
    rounded = [each.to(result.dtype) for each, result in zip(truths, results, strict=True)]
    assert_exact(results, rounded, truths, GRADIENT, scale=64.0)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: a CUDA device is wanted")
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_adamw_takes_the_same_steps_on_a_gpu(dtype: torch.dtype) -> None:
    library.use_on_gpu("triton")
    weight, grads = torch.randn(33, 70).to(dtype), torch.randn(3, 33, 70).to(dtype)
    ends = []
    for device in ("cpu", "cuda"):
        param = torch.nn.Parameter(weight.clone().to(device))
        optimizer = kernels.AdamW([param], lr=1e-2, weight_decay=0.1)
        for grad in grads:
            param.grad = grad.to(device)
            optimizer.step()
        ends.append(param.detach().cpu())
    torch.testing.assert_close(*ends)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: a CUDA device is wanted")
@pytest.mark.parametrize("backend", gpu.BACKENDS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_packed_sequences_are_the_cpu_s_on_a_gpu(dtype: torch.dtype, backend: str) -> None:
    library.use_on_gpu(backend)
    begins = torch.tensor([0, 70, 70, 200], dtype=torch.int32)
    leaves = [torch.randn(200, heads, 64).to(dtype) for heads in (4, 2, 2)]
    grad = torch.randn(200, 4, 64)

    def run(device: str, dtype: torch.dtype) -> list[torch.Tensor]:
        given = [each.to(device, dtype).requires_grad_() for each in leaves]
        at = begins.to(device)
        out = kernels.flash_attention_varlen(*given, at, at, 130, 130, is_causal=True)
        of_leaves = torch.autograd.grad(out, given, grad.to(out))
        return [each.detach().cpu() for each in (out, *of_leaves)]

    truths = run("cpu", torch.float64)
    rounded = [each.to(dtype) for each in truths]
    assert_exact(run("cuda", dtype), rounded, truths, GRADIENT, scale=128.0)


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: a CUDA device is wanted")
@pytest.mark.parametrize("backend", gpu.BACKENDS)
def test_operators_keep_their_contracts_on_a_gpu(backend: str) -> None:
    library.use_on_gpu(backend)
    operators = torch.ops.torchstone
    x, w = (torch.randn(shape, device="cuda", requires_grad=True) for shape in ((5, 40), (40,)))
    torch.library.opcheck(operators.layer_norm.default, (x, w, w, 1, 1e-5))
    torch.library.opcheck(operators.softmax.default, (x,))
    torch.library.opcheck(operators.bias_gelu.default, (x, w))
    shape = (2, 4, 2, 20, 30, 40)
    heads = [each.cuda().requires_grad_() for each in tensors_of(shape, torch.float32)[:3]]
    torch.library.opcheck(operators.flash_attention.default, (*heads, *mask_of(shape, {})))


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: a CUDA device is wanted")
def test_what_is_compiled_on_a_gpu_computes_the_same() -> None:
    library.use_on_gpu("triton")

    def function(x: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
        return kernels.softmax(kernels.rms_norm(x + 1, 40, w) * 2)

    x, w = torch.randn(5, 40, device="cuda"), torch.randn(40, device="cuda")
    torch.testing.assert_close(torch.compile(function)(x, w), function(x, w))
