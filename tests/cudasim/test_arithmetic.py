"""Operations on floating point numbers are counted as one counts them by hand."""

import shutil

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim.arithmetic import count_operations, split_blocks
from torchstone.cudasim.counters import KernelCounters

KERNELS = """
__device__ float square(float x) {
    return x * x;                                            // inlined
}
__global__ void compute(float* a, double* b, int n) {
    int t = threadIdx.x;
    float x = a[t], y = b[t];
    for (int i = 0; i < n; i++) {
        x = x * x + 0.25f;                                   // in a loop without memory
    }
    if (t % 4 == 0) {
        a[t + 96] = x / 3.0f;                                // a quarter of the threads
    }
    b[t] = b[t] * 2.0 - 1.0;                                 // doubles
    a[t] = square(x + y);                                    // caller
    if (n < 0) {
        a[t] = x * 7.0f;                                     // never
    }
    a[t + 64] = fmaxf(x, (float)n);                          // no operation
}
__global__ void naive(const float* a, const float* b, float* c, int n) {
    int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < n; k++) sum += a[y * n + k] * b[k * n + x];
    c[y * n + x] = sum;
}
__global__ void tiled(const float* a, const float* b, float* c, int n) {
    __shared__ float left[8][8], right[8][8];
    int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * 8 + tx, y = blockIdx.y * 8 + ty;
    float sum = 0;
    for (int t = 0; t < n; t += 8) {
        left[ty][tx] = a[y * n + t + tx];
        right[ty][tx] = b[(t + ty) * n + x];
        __syncthreads();
        for (int k = 0; k < 8; k++) sum += left[ty][k] * right[k][tx];
        __syncthreads();
    }
    c[y * n + x] = sum;
}
"""
LINE = {
    code: number
    for number, text in enumerate(KERNELS.split("\n"), 1)
    if (code := text.partition(" // ")[2])
}


def zeros(shape: int | tuple[int, int], dtype: str) -> cudasim.DeviceArray:
    return cudasim.to_device(np.zeros(shape, dtype), check=True)


@pytest.fixture(scope="module")
def module() -> cudasim.Module:
    return cudasim.compile(KERNELS, check=True)


@pytest.fixture(scope="module")
def computed(module: cudasim.Module) -> KernelCounters:
    a = zeros(128, "float32")
    b = zeros(64, "float64")
    module.clear_counters()
    module.compute(2, 32)(a, b, 10)
    (counters,) = (each for each in module.counters() if each.kernel == "compute")
    return counters


@pytest.mark.cudasim
@pytest.mark.parametrize(
    ("code", "wanted"),
    [
        ("in a loop without memory", 2 * 10 * 64),
        ("a quarter of the threads", 64 // 4),
        ("doubles", 2 * 64),
        ("inlined", 64),
        ("caller", 64),
        ("never", 0),
        ("no operation", 0),
    ],
)
def test_operations_are_counted_line_by_line(
    computed: KernelCounters, code: str, wanted: int
) -> None:
    assert computed.line(LINE[code]).flops == wanted


@pytest.mark.cudasim
def test_a_kernel_has_the_operations_of_its_lines(computed: KernelCounters) -> None:
    assert computed.flops == sum(line.flops or 0 for line in computed.lines)
    assert computed.flops == 1280 + 16 + 128 + 128


@pytest.mark.cudasim
def test_a_tile_raises_the_arithmetic_intensity(module: cudasim.Module) -> None:
    size = 64
    a, b, c = (zeros((size, size), "float32") for _ in range(3))
    module.clear_counters()
    # More blocks than are looked at: those that are speak for the others.
    module.naive((8, 8), (8, 8))(a, b, c, size)
    module.tiled((8, 8), (8, 8))(a, b, c, size)
    by_name = {each.kernel: each for each in module.counters()}
    assert by_name["naive"].counted_blocks < 64
    assert {each.flops for each in by_name.values()} == {2 * size**3}
    loaded = by_name["tiled"].total("global load").sectors * 32
    assert loaded == 2 * (size // 8) * size * size * 4, "each element once for each tile"
    assert by_name["tiled"].arithmetic_intensity == 2 * size**3 / (loaded + size * size * 4)
    naive, tiled = (by_name[name].arithmetic_intensity for name in ("naive", "tiled"))
    assert naive is not None
    assert tiled is not None
    assert naive < tiled / 4


@pytest.mark.cudasim
def test_launches_of_one_shape_are_added_up(module: cudasim.Module) -> None:
    a = zeros(128, "float32")
    b = zeros(64, "float64")
    module.clear_counters()
    for rounds in (1, 2, 4):
        module.compute(2, 32)(a, b, rounds)
    (counters,) = module.counters()
    assert counters.line(LINE["in a loop without memory"]).flops == 2 * 64 * (1 + 2 + 4)


@pytest.mark.pure
def test_blocks_end_where_the_next_begins_or_where_they_are_left() -> None:
    call = "call   *0x2eff(%rip)        # 3f48 <__sanitizer_cov_trace_pc@Base>"
    text = f"""
0000000000001000 <kernel>:
    1000:\tvaddss %xmm0,%xmm1,%xmm1
    1004:\t{call}
    1010:\tvmulss %xmm0,%xmm1,%xmm1
    1014:\tjne    1020 <kernel+0x20>
    1018:\tvfmadd231ss %xmm0,%xmm1,%xmm2
    1020:\t{call}
    1026:\tmov    %rax,%rbx
    1030:\tjmp    1050 <kernel+0x50>
    1034:\tvmulss %xmm0,%xmm1,%xmm1
    1040:\t{call}
    1046:\tvaddps %ymm0,%ymm1,%ymm1
    1050:\tret
    1054:\tvmulss %xmm0,%xmm1,%xmm1
""".split("\n")
    assert split_blocks(text) == {0x1010: ((0x1010, 1), (0x1018, 2)), 0x1046: ((0x1046, 8),)}


@pytest.mark.pure
@pytest.mark.parametrize(
    ("instruction", "operations"),
    [
        ("addss  %xmm0,%xmm1", 1),
        ("vdivsd (%rax),%xmm1,%xmm1", 1),
        ("vsqrtss %xmm0,%xmm1,%xmm1", 1),
        ("vfnmadd132ss %xmm0,%xmm1,%xmm2", 2),
        ("vmulpd %ymm0,%ymm1,%ymm1", 4),
        ("vfmadd231ps (%rax),%zmm1,%zmm2", 32),
        ("vmaxss %xmm0,%xmm1,%xmm1", 0),
        ("vpaddd %ymm0,%ymm1,%ymm1", 0),
        ("vcvtss2sd %xmm0,%xmm1,%xmm1", 0),
        ("fmadd s0, s1, s2, s3", 2),
        ("fadd v0.2d, v1.2d, v2.2d", 2),
        ("fmla v0.4s, v1.4s, v2.s[0]", 8),
        ("fmul d0, d1, d2", 1),
        ("add x0, x1, x2", 0),
        ("fmov s0, s1", 0),
    ],
)
def test_an_instruction_is_so_many_operations(instruction: str, operations: int) -> None:
    text = ["  10: bl 20 <__sanitizer_cov_trace_pc@plt>", f"  14: {instruction}"]
    assert split_blocks(text) == ({0x14: ((0x14, operations),)} if operations else {})


@pytest.mark.pure
def test_nothing_is_counted_without_a_disassembler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    assert count_operations("/nowhere/without.so", {16: 1}) is None
