"""Compile the CUDA C++ kernels with nvcc at first use, and load them."""

from __future__ import annotations

import ctypes
import functools
import shutil
from pathlib import Path
from typing import Any

import torch

from torchstone.cudasim.products import content_of, digest
from torchstone.kernels.background import BuildError, Recipe, obtain
from torchstone.kernels.build import cache_folder

SOURCES = Path(__file__).parent
NAME = "libtorchstone-cuda.so"
FLAGS = ("-std=c++20", "-O3", "-Xcompiler", "-fPIC")

_FLAG, _POINTER, _SIZE = ctypes.c_int, ctypes.c_void_p, ctypes.c_int64
# Argument types of each function; the stream comes last.
_ARGUMENTS: dict[str, list[Any]] = {
    "layer_norm": [_FLAG, _FLAG, *[_POINTER] * 6, _SIZE, _SIZE, ctypes.c_double, _POINTER],
    "layer_norm_backward": [_FLAG, _FLAG, *[_POINTER] * 9, *[_SIZE] * 3, _POINTER],
    "softmax": [_FLAG, *[_POINTER] * 2, *[_SIZE] * 2, _POINTER],
    "softmax_backward": [_FLAG, *[_POINTER] * 3, *[_SIZE] * 2, _POINTER],
    "bias_gelu": [_FLAG, _FLAG, *[_POINTER] * 3, *[_SIZE] * 2, _POINTER],
    "bias_gelu_backward": [_FLAG, _FLAG, *[_POINTER] * 6, *[_SIZE] * 3, _POINTER],
    "flash_attention": [_FLAG, _POINTER, _POINTER],
    "flash_attention_backward": [_FLAG, _POINTER, _POINTER],
}


def build(arch: str = "native") -> Path:
    """Return the library for a GPU architecture, building it if needed.

    Args:
        arch: The architecture, such as ``sm_90``.

    Raises:
        BuildError: There is no nvcc, or it does not compile the kernels.
    """
    compiler = shutil.which("nvcc")
    if compiler is None:
        raise BuildError("there is no nvcc; torchstone.kernels.triton needs none")
    # A newer compiler at the same path causes a rebuild.
    changed = Path(compiler).stat().st_mtime_ns
    key = digest(content_of(SOURCES), *_texts(), compiler, changed, arch, FLAGS)
    command = (compiler, *FLAGS, f"-arch={arch}")
    # The largest file takes longest, so it comes first.
    sources = sorted(SOURCES.glob("*.cu"), key=lambda path: -path.stat().st_size)
    recipe = Recipe(
        product=cache_folder() / f"cuda-{key}" / NAME,
        objects=tuple((f"{path.stem}.o", (*command, "-c", str(path))) for path in sources),
        link=(*command, "-shared", "-cudart", "static", *(f"{path.stem}.o" for path in sources)),
    )
    product = obtain(recipe)
    assert product is not None, "without a timeout a build ends with a library or an error"
    return product


def _texts() -> list[str]:
    return [path.read_text("utf-8") for path in sorted(SOURCES.glob("*.cu*"))]


@functools.cache
def library() -> ctypes.CDLL:
    """Load the library for the current GPU."""
    major, minor = torch.cuda.get_device_capability()
    loaded: ctypes.CDLL = declare(ctypes.CDLL(str(build(f"sm_{major}{minor}"))))
    return loaded


def declare(functions: Any) -> Any:
    """Declare the argument types of the existing functions to ctypes."""
    for name, arguments in _ARGUMENTS.items():
        function = getattr(functions, f"torchstone_{name}", None)
        if function is not None:
            function.argtypes = arguments
    return functions
