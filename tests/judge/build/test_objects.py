"""Symbols of a compiled submission are read as nm reads them, and those out of place are named."""

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from torchstone.cudasim.rewrite import rewrite
from torchstone.cudasim.toolchain import Build, find_toolchain
from torchstone.judge.build.objects import BadObject, Symbols, find_forbidden, read_symbols
from torchstone.judge.build.source import CUDA_CALLS, SCRATCH_CALLS

HONEST = """
#include <cmath>
extern "C" float go(const float* x, int n) {
    float sum = 0;
    for (int i = 0; i < n; i++) sum += std::exp(x[i]) + std::fmod(x[i], 3.0f);
    return sum;
}
"""
HOSTILE = """
extern "C" int fork(); extern "C" long syscall(long, ...);
extern "C" const char* cusim_findings();
extern "C" int cudaMalloc(void**, unsigned long);
extern "C" void __tsan_read4(void*) {}
extern "C" void* malloc(unsigned long) { return nullptr; }
extern "C" __attribute__((weak)) int dlsym();
extern "C" int go() {
    return fork() + syscall(1) + (cusim_findings() != 0) + cudaMalloc(nullptr, 1) + dlsym();
}
static int hidden() { return 1; }
int shown() { return hidden(); }
"""


def compiled(text: str, folder: Path) -> bytes:
    (folder / "x.cpp").write_text(text, encoding="utf-8")
    command = ["g++", "-std=c++17", "-O0", "-fPIC", "-c", "x.cpp", "-o", "x.o"]
    subprocess.run(command, cwd=folder, check=True)
    return (folder / "x.o").read_bytes()


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    return compiled(HONEST, tmp_path_factory.mktemp("honest"))


def test_symbols_are_those_that_nm_reads(tmp_path: Path) -> None:
    found = read_symbols(compiled(HOSTILE, tmp_path))
    listed = subprocess.run(
        ["nm", "-g", "x.o"], cwd=tmp_path, check=True, capture_output=True, text=True
    ).stdout.split("\n")
    rows = [line.split() for line in listed if line]
    assert found.undefined == {row[-1] for row in rows if row[-2] in "Uw"}
    assert found.defined == {row[-1] for row in rows if row[-2] not in "Uw"}
    assert "_Z5shownv" in found.defined


def test_an_honest_object_asks_for_nothing_forbidden(honest: bytes) -> None:
    assert "expf" in read_symbols(honest).undefined
    assert find_forbidden(read_symbols(honest), calls=(), entries=()) == []


def test_what_is_out_of_place_is_named(tmp_path: Path) -> None:
    found = find_forbidden(read_symbols(compiled(HOSTILE, tmp_path)), calls=(), entries=())
    assert found == [
        "__tsan_read4", "cudaMalloc", "cusim_findings", "dlsym", "fork", "malloc", "syscall",
    ]  # fmt: skip


KERNELS = """
#include <cuda_fp16.h>
#include <cooperative_groups.h>
#include <cmath>
struct Shape { virtual float area() const = 0; virtual ~Shape() {} };
struct Square : Shape { float side; float area() const override { return side * side; } };
__constant__ float factor;
__device__ int calls;
template <class T> __global__ void scale(T* x, int n) {
    __shared__ T tile[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    tile[threadIdx.x % 32] = i < n ? x[i] : T(0);
    __syncthreads();
    float* scratch = new float[4];
    scratch[0] = __fadd_rz(factor, expf(1.0f)) + __half2float(__float2half(2.0f));
    Square square;
    square.side = scratch[0];
    const Shape& shape = square;
    if (i < n) x[i] = tile[threadIdx.x % 32] * shape.area();
    if (i == 0) { atomicAdd(&calls, 1); printf("%d\\n", n); assert(n > 0); }
    delete[] scratch;
    cooperative_groups::this_thread_block().sync();
}
extern "C" cudaError_t go(float* x, int n, cudaStream_t stream) {
    static const cudaError_t once = cudaFuncSetAttribute(
        scale<float>, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536);
    float* room;
    if (once != cudaSuccess || cudaMalloc(&room, 4) != cudaSuccess) return cudaErrorInvalidValue;
    scale<<<(n + 31) / 32, 32, 0, stream>>>(x, n);
    cudaFree(room);
    return cudaGetLastError();
}
"""


@pytest.mark.cudasim
@pytest.mark.parametrize("build", Build)
def test_an_honest_kernel_asks_for_nothing_forbidden(build: Build, tmp_path: Path) -> None:
    source = tmp_path / "kernel.cu"
    source.write_text(rewrite(KERNELS, name="kernel.cu").text, encoding="utf-8")
    find_toolchain().compile(source, build, tmp_path / "kernel.o")
    symbols = read_symbols((tmp_path / "kernel.o").read_bytes())
    calls = CUDA_CALLS | SCRATCH_CALLS
    assert find_forbidden(symbols, calls=calls, entries=()) == []
    assert "cusim_malloc" in find_forbidden(symbols, calls=CUDA_CALLS, entries=())
    assert "go" in symbols.defined


def test_entries_of_the_problem_may_be_asked_for_and_not_replaced() -> None:
    asks = Symbols(undefined=frozenset({"warp_sum", "cusim_barrier"}), defined=frozenset({"go"}))
    assert find_forbidden(asks, calls=(), entries={"warp_sum"}) == []
    assert find_forbidden(asks, calls=(), entries=()) == ["warp_sum"]
    claims = Symbols(undefined=frozenset(), defined=frozenset({"warp_sum", "go"}))
    assert find_forbidden(claims, calls=(), entries={"warp_sum"}) == ["warp_sum"]


@pytest.mark.parametrize(
    "name", ["cudaGetLastError", "_Znwm", "_ZdlPv", "__wrap_malloc", "main", "expf", "printf",
             "__tsan_unaligned_read4", "cusim_barrier", "threadIdx", "__cxa_guard_acquire"],
)  # fmt: skip
def test_what_others_call_is_not_replaced(name: str) -> None:
    symbols = Symbols(undefined=frozenset(), defined=frozenset({name}))
    assert find_forbidden(symbols, calls=(), entries=()) == [name]


@pytest.mark.parametrize(
    "name", ["cusim_findings", "cusim_counters", "cusim_configure", "cusim_forget_errors",
             "cusim_clear_counters", "cusim_malloc"],
)  # fmt: skip
def test_the_simulator_is_not_spoken_to(name: str) -> None:
    symbols = Symbols(undefined=frozenset({name}), defined=frozenset())
    assert find_forbidden(symbols, calls=(), entries=()) == [name]


@pytest.mark.parametrize(
    "data", [b"", b"\x7fELF", b"#!/bin/sh\n" * 40, b"\x7fELF\x02\x01\x01" + bytes(200)]
)
def test_what_is_no_object_is_refused(data: bytes) -> None:
    with pytest.raises(BadObject):
        read_symbols(data)


def test_an_object_cut_short_is_refused(honest: bytes) -> None:
    for length in range(0, len(honest) - 1, 97):
        with pytest.raises(BadObject):
            read_symbols(honest[:length])


@settings(max_examples=300)
@given(data=st.data())
def test_a_damaged_object_is_read_or_refused(honest: bytes, data: st.DataObject) -> None:
    damaged = bytearray(honest)
    for _ in range(data.draw(st.integers(1, 8))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    try:
        symbols = read_symbols(bytes(damaged))
    except BadObject:
        return
    assert all(symbols.undefined | symbols.defined)
