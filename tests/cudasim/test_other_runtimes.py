"""A program calls the simulator, whatever other CUDA runtime the process holds."""

import subprocess
import sys
from pathlib import Path

import pytest

from torchstone.cudasim.toolchain import find_toolchain

pytestmark = pytest.mark.cudasim

# What a build of torch for CUDA does: NVIDIA's runtime is loaded for all of the process.
NVIDIA = """
#include <cstddef>
extern "C" int cudaMalloc(void** at, size_t) { *at = nullptr; return 100; }
extern "C" int cudaMemcpy(void*, const void*, size_t, int) { return 100; }
extern "C" int cudaDeviceSynchronize() { return 100; }
"""
PROGRAM = """
import ctypes, sys
import numpy as np
import torchstone.cudasim as cudasim

ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
SOURCE = '''
__global__ void set(int* x) { x[0] = 7; }
extern "C" int run(int* out) {
    int* x = nullptr;
    int status = cudaMalloc(&x, sizeof(int));
    if (status) return status;
    set<<<1, 1>>>(x);
    status = cudaDeviceSynchronize();
    if (status) return status;
    return cudaMemcpy(out, x, sizeof(int), cudaMemcpyDeviceToHost);
}
'''
module = cudasim.compile(SOURCE, check=sys.argv[2] == "check")
out = np.zeros(1, np.int32)
print(module.function("run")(ctypes.c_void_p(out.ctypes.data)), out[0], module.findings())
"""


@pytest.mark.parametrize("build", ["fast", "check"])
def test_a_cuda_runtime_of_the_process_is_passed_over(tmp_path: Path, build: str) -> None:
    (tmp_path / "libcudart.cpp").write_text(NVIDIA)
    # NVIDIA's library carries its soname as the version of every symbol.
    (tmp_path / "versions.map").write_text("libcudart.so.13 { global: *; };")
    options = ["-shared", "-fPIC", "-Wl,--version-script=versions.map", "-o", "libcudart.so.13"]
    find_toolchain().run(["libcudart.cpp", *options], cwd=tmp_path)
    command = [sys.executable, "-c", PROGRAM, str(tmp_path / "libcudart.so.13"), build]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout == "0 7 ()\n", done.stderr
