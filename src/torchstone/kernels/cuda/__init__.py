"""The operators in CUDA C++: compiled by nvcc for a GPU, and run on cudasim by the tests.

The functions that launch are plain C over pointers, so that the same source serves both.
"""

from __future__ import annotations

import ctypes
import functools
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from torchstone.cudasim.products import content_of, digest, made_once
from torchstone.kernels.build import BuildError, cache_folder, run_compiler

SOURCES = Path(__file__).parent
NAME = "libtorchstone-cuda.so"
FLAGS = ("-std=c++20", "-O3", "-shared", "-Xcompiler", "-fPIC", "-cudart", "static")
TYPES = {torch.float32: 0, torch.bfloat16: 1, torch.float16: 2, torch.float64: 3}
# Rows whose contributions to the gradients of the parameters a block adds, at least.
ROWS_OF_PART = 16
_POINTER, _SIZE = ctypes.c_void_p, ctypes.c_int64


def operators() -> dict[str, Callable[..., Any]]:
    """Give the functions by the names of their operators; compile them, if need be."""
    library()
    return {"layer_norm": layer_norm, "layer_norm_backward": layer_norm_backward}


def build(arch: str = "native") -> Path:
    """Return the library for a card, built if it is not there yet.

    Args:
        arch: For which architecture, such as ``sm_90``.

    Raises:
        BuildError: There is no nvcc, or it does not compile the kernels.
    """
    compiler = shutil.which("nvcc")
    if compiler is None:
        raise BuildError("there is no nvcc; torchstone.kernels.triton needs none")
    key = digest(content_of(SOURCES), *_texts(), compiler, arch, FLAGS)
    folder = cache_folder() / f"cuda-{key}"
    with made_once(folder) as making:
        if making is not None:
            source = str(SOURCES / "layer_norm.cu")
            run_compiler([compiler, *FLAGS, f"-arch={arch}", source, "-o", NAME], making)
    return folder / NAME


def _texts() -> list[str]:
    return [path.read_text("utf-8") for path in sorted(SOURCES.glob("*.cu*"))]


@functools.cache
def library() -> ctypes.CDLL:
    """Load the library for the card of this machine."""
    major, minor = torch.cuda.get_device_capability()
    loaded: ctypes.CDLL = declare(ctypes.CDLL(str(build(f"sm_{major}{minor}"))))
    return loaded


def declare(functions: Any) -> Any:
    """Tell ctypes what the functions take."""
    flags, number = [ctypes.c_int] * 2, ctypes.c_double
    forward, backward = functions.torchstone_layer_norm, functions.torchstone_layer_norm_backward
    forward.argtypes = [*flags, *[_POINTER] * 6, _SIZE, _SIZE, number, _POINTER]
    backward.argtypes = [*flags, *[_POINTER] * 9, *[_SIZE] * 3, _POINTER]
    return functions


def layer_norm(
    input: Tensor, weight: Tensor | None, bias: Tensor | None, num_dims: int, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the output, the mean and the reciprocal deviation; see ``kernels.norms``."""
    x, w, b = input.contiguous(), _dense(weight), _dense(bias)
    rows, width = _matrix(input, num_dims)
    kept = [*input.shape[: input.dim() - num_dims], *([1] * num_dims)]
    out, mean = torch.empty_like(x), input.new_empty(kept, dtype=_number(input))
    rstd = torch.empty_like(mean)
    if rows * width:
        _require(
            library().torchstone_layer_norm(
                *_types(input, weight if weight is not None else bias),
                *map(_pointer, (x, w, b, out, mean, rstd)), rows, width, eps, _stream(),
            )
        )  # fmt: skip
    return out, mean, rstd


def layer_norm_backward(
    grad: Tensor,
    grad_sum: Tensor | None,
    input: Tensor,
    mean: Tensor,
    rstd: Tensor,
    weight: Tensor | None,
    num_dims: int,
    has_parameters: bool,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the gradients of input, weight and bias; see ``kernels.norms``."""
    x, w, g = input.contiguous(), _dense(weight), grad.contiguous()
    rows, width = _matrix(input, num_dims)
    dtype = input.dtype if weight is None else weight.dtype
    shape = input.shape[input.dim() - num_dims :] if has_parameters else (0,)
    grad_input = torch.empty_like(x)
    of_weight = input.new_zeros(shape, dtype=dtype)
    of_bias = torch.zeros_like(of_weight)
    if rows * width:
        # Enough blocks to fill a card twice, each with rows enough to be worth its sums.
        most = 2 * torch.cuda.get_device_properties(input.device).multi_processor_count
        num_parts = min(most, -(-rows // ROWS_OF_PART))
        parts = mean.new_empty(2 * num_parts * width if has_parameters else 0)
        sums = (of_weight, of_bias, parts) if has_parameters else (None, None, None)
        _require(
            library().torchstone_layer_norm_backward(
                *_types(input, weight), *map(_pointer, (g, x, w, mean, rstd, grad_input, *sums)),
                num_parts, rows, width, _stream(),
            )
        )  # fmt: skip
    if grad_sum is not None:
        grad_input = grad_input + grad_sum
    return grad_input, of_weight, of_bias


def _dense(tensor: Tensor | None) -> Tensor | None:
    return None if tensor is None else tensor.contiguous()


def _matrix(input: Tensor, num_dims: int) -> tuple[int, int]:
    split = input.dim() - num_dims
    return input.shape[:split].numel(), input.shape[split:].numel()


def _number(input: Tensor) -> torch.dtype:
    return torch.float64 if input.dtype == torch.float64 else torch.float32


def _types(input: Tensor, parameter: Tensor | None) -> tuple[int, int]:
    has_float = parameter is not None and parameter.dtype != input.dtype
    return TYPES[input.dtype], int(has_float)


def _pointer(tensor: Tensor | None) -> int | None:
    return None if tensor is None else tensor.data_ptr()


def _stream() -> int:
    stream: int = torch.cuda.current_stream().cuda_stream
    return stream


def _require(error: int) -> None:
    if error:
        raise RuntimeError(f"a kernel of LayerNorm could not be launched: CUDA error {error}")
