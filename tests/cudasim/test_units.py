"""Several sources are compiled each by itself, and linked, as by ``nvcc -rdc=true``."""

import ctypes

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim import CompileError

pytestmark = pytest.mark.cudasim

UNITS = {
    "kernel.cu": """
__constant__ float factors[2] = {2, 3};
extern __device__ int num_calls;
__device__ float twice(float x) { return factors[0] * x; }
extern "C" __global__ void scale(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = twice(x[i]);
    if (i == 0) num_calls++;
}
""",
    "launcher.cu": """
__device__ int num_calls = 0;
__device__ float twice(float x);
extern "C" __global__ void scale(float* x, int n);
__global__ void four_times(float* x) { x[threadIdx.x] = twice(twice(x[threadIdx.x])); }
extern "C" int scale_by_two(const float* from, float* to, int n) {
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    cudaMemcpy(x, from, n * sizeof(float), cudaMemcpyHostToDevice);
    scale<<<(n + 31) / 32, 32>>>(x, n);
    cudaMemcpy(to, x, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(x);
    int calls = 0;
    cudaMemcpyFromSymbol(&calls, num_calls, sizeof calls);
    return calls;
}
""",
}


@pytest.mark.parametrize("check", [False, True])
def test_files_that_are_compiled_by_themselves_are_linked(check: bool) -> None:
    module = cudasim.compile(UNITS, check=check)
    assert set(module.kernels) == {"scale", "four_times"}
    x = np.arange(40, dtype=np.float32)
    result = np.zeros_like(x)
    by_two = module.function("scale_by_two")
    assert (
        by_two(x.ctypes.data_as(ctypes.c_void_p), result.ctypes.data_as(ctypes.c_void_p), 40) == 1
    )
    assert (result == 2 * x).all()
    module.four_times(1, 32)(result)
    assert (result[:32] == 8 * x[:32]).all()
    assert module.findings() == ()


def test_a_message_names_the_unit_that_is_wrong() -> None:
    with pytest.raises(CompileError, match=r"(?m)^other\.cu:2:1: error: "):
        cudasim.compile({"kernel.cu": "__global__ void k() {}", "other.cu": "int x;\nwrong y;\n"})
    with pytest.raises(CompileError, match="gone"):
        cudasim.compile({"a.cu": "void gone(); void f() { gone(); }", "b.cu": "int x;"})


def test_units_need_names_that_differ() -> None:
    with pytest.raises(ValueError, match="they must differ before their dot"):
        cudasim.compile({"kernel.cu": "", "kernel.cpp": ""})
    with pytest.raises(ValueError, match="there is no text"):
        cudasim.compile({})
