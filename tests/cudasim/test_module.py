"""Kernels are compiled, found by name, launched, and judged by what NumPy computes."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import torchstone.cudasim as cudasim
from torchstone.cudasim import CompileError, KernelError

pytestmark = pytest.mark.cudasim

MATMUL = """
#define TILE 16
__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    __shared__ float left[TILE][TILE], right[TILE][TILE];
    int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
    float sum = 0;
    for (int step = 0; step < (k + TILE - 1) / TILE; step++) {
        int x = step * TILE + threadIdx.x, y = step * TILE + threadIdx.y;
        left[threadIdx.y][threadIdx.x] = row < m && x < k ? a[row * k + x] : 0;
        right[threadIdx.y][threadIdx.x] = y < k && column < n ? b[y * n + column] : 0;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
"""
MIXED = """
struct Pair { float first; int second; };
namespace ns { __global__ void fill(int* out, int value) { out[threadIdx.x] = value; } }
template <class T> __global__ void scale(T* x, T factor) { x[threadIdx.x] *= factor; }
__global__ void take(double* out, bool flag, signed char a, unsigned char b, short c,
                     unsigned long long d, float e, double f, Pair g) {
    double all[] = {double(flag), double(a), double(b), double(c), double(d >> 60), e, f,
                    g.first, double(g.second)};
    for (int i = 0; i < 9; i++) out[i] = all[i];
}
__global__ void wild(int* out) { out[1 << 22] = 1; }
__global__ void spin(volatile int* flag) { while (*flag == 0) {} }
__global__ void sized(int* out) { extern __shared__ int tile[]; tile[threadIdx.x] = threadIdx.x;
    __syncthreads(); out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x]; }
extern "C" int solve(int* x, int n) {
    ns::fill<<<1, n>>>(x, 7);
    return cudaDeviceSynchronize();
}
extern "C" void overdo(int* x) { ns::fill<<<1, 5000>>>(x, 7); }
extern "C" int lose() { wild<<<1, 1>>>(nullptr); return cudaDeviceSynchronize(); }
"""


@pytest.fixture(scope="module")
def mixed() -> cudasim.Module:
    return cudasim.compile(MIXED, instantiate=["scale<float>", "scale< double >"])


@pytest.mark.gate("True-random-33-17-50", "False-ascending-64-48-32")
@pytest.mark.parametrize(("m", "n", "k"), [(33, 17, 50), (1, 1, 1), (64, 48, 32)])
@pytest.mark.parametrize("order", ["ascending", "descending", "random"])
@pytest.mark.parametrize("check", [False, True])
def test_a_tiled_matmul_computes_what_numpy_computes(
    m: int, n: int, k: int, order: str, check: bool
) -> None:
    module = cudasim.compile(MATMUL, order=order, seed=3, check=check)
    random = np.random.default_rng(0)
    a, b = (random.standard_normal(shape, dtype=np.float32) for shape in ((m, k), (k, n)))
    c = np.full((m, n), np.nan, np.float32)
    module.matmul(((n + 15) // 16, (m + 15) // 16), (16, 16))(a, b, c, m, n, k)
    np.testing.assert_allclose(c, a @ b, rtol=1e-5, atol=1e-5)
    assert module.findings() == ()


def test_every_kind_of_scalar_arrives_as_it_was_given(mixed: cudasim.Module) -> None:
    out = np.zeros(9)
    pair = np.zeros(1, [("first", "f4"), ("second", "i4")])[0]
    pair["first"], pair["second"] = 1.5, -9
    mixed.take(1, 1)(out, True, -128, 255, np.int16(-5), 2**63, 0.25, np.float64(1e300), pair)
    assert out.tolist() == [1, -128, 255, -5, 8, 0.25, 1e300, 1.5, -9]


def test_instances_of_templates_and_names_in_namespaces_are_found(mixed: cudasim.Module) -> None:
    x = np.arange(4, dtype=np.float32)
    mixed["scale<float>"](1, 4)(x, 3)
    assert x.tolist() == [0, 3, 6, 9]
    y = np.ones(2)
    mixed["scale <double>"](1, 2)(y, 0.5)
    assert y.tolist() == [0.5, 0.5]
    out = np.zeros(3, np.int32)
    mixed["ns::fill"]((1, 1, 1), (3,))(out, 4)
    assert out.tolist() == [4, 4, 4]
    assert set(mixed.kernels) >= {"ns::fill", "scale<float>", "take"}
    assert "take" in dir(mixed)


@pytest.mark.parametrize(
    ("name", "words"),
    [("scale", "instantiate=['scale<float>']"), ("scale<int>", "['scale<int>']"),
     ("nothing", "there is no kernel nothing; there are: ns::fill")],
)  # fmt: skip
def test_a_kernel_that_is_not_there_is_explained(
    mixed: cudasim.Module, name: str, words: str
) -> None:
    with pytest.raises(KeyError) as caught:
        mixed[name]
    assert words in str(caught.value).replace("\\\\", "").replace("\\'", "'")
    with pytest.raises(AttributeError):
        getattr(mixed, name)


SMALL = """
__global__ void shift(int* down, int* up) {
    const int lane = static_cast<int>(threadIdx.x);
    down[lane] = __shfl_down_sync(0xffffffffu, lane, 1, 8);
    up[lane] = __shfl_up_sync(0xffffffffu, lane, 1, 8);
}
__global__ void count(unsigned* cells) {
    atomicInc(&cells[0], 2u);
    atomicDec(&cells[1], 2u);
}
__global__ void add(int* sum, bool in_block) {
    if (blockIdx.x == 0 && in_block)
        atomicAdd_block(sum, 1);
    else
        atomicAdd(sum, 1);
}
__global__ void put(signed char* bytes, int at) { bytes[at] = 1; }
"""


@pytest.fixture(scope="module")
def small() -> cudasim.Module:
    return cudasim.compile(SMALL, check=True)


def test_a_shuffle_stays_in_its_segment(small: cudasim.Module) -> None:
    lanes = np.arange(32, dtype=np.int32)
    down, up = np.zeros_like(lanes), np.zeros_like(lanes)
    small.shift(1, 32)(down, up)
    assert (down == np.where(lanes % 8 == 7, lanes, lanes + 1)).all()
    assert (up == np.where(lanes % 8 == 0, lanes, lanes - 1)).all()


def test_atomic_counters_wrap_behind_their_limit(small: cudasim.Module) -> None:
    cells = np.zeros(2, np.uint32)
    small.count(1, 7)(cells)
    # Up: 1, 2, 0, 1, 2, 0, 1; down: 2, 1, 0, 2, 1, 0, 2.
    assert cells.tolist() == [1, 2]


def test_an_atomic_of_one_block_races_with_that_of_another_block(small: cudasim.Module) -> None:
    total = np.zeros(1, np.int32)
    before = small.findings()
    small.add(2, 1)(total, False)
    assert small.findings() == before
    small.add(2, 1)(total, True)
    assert {each.kind for each in small.findings()} & {"RAW", "WAR", "WAW"}


def test_the_byte_behind_an_array_is_out_of_bounds(small: cudasim.Module) -> None:
    values = np.zeros(5, np.int8)
    small.put(1, 1)(values, 4)
    assert values.tolist() == [0, 0, 0, 0, 1]
    with pytest.raises(cudasim.KernelError) as caught:
        small.put(1, 1)(values, 5)
    assert caught.value.findings[-1].kind == "out-of-bounds"


F = np.zeros(4, np.float32)
TAKE = (np.zeros(9), True, 1, 1, 1, 1, 1.0, 1.0, bytes(8))


def replaced(number: int, value: object) -> tuple[object, ...]:
    return (*TAKE[: number - 1], value, *TAKE[number:])


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (TAKE[:-1], TypeError, ["takes 9 arguments (double* out, bool flag", "8 came"]),
        (
            replaced(1, F),
            TypeError,
            ["argument 1 (double* out)", "float32", "expected an array of float64"],
        ),
        (replaced(1, F.astype(">f8")), TypeError, ["argument 1", "other byte order"]),
        (replaced(1, 3), TypeError, ["argument 1", "is int", "array of float64"]),
        (replaced(1, np.zeros(18)[::2]), ValueError, ["argument 1", "not contiguous"]),
        (replaced(1, bytes(72)), TypeError, ["argument 1", "uint8"]),
        (replaced(1, memoryview(bytes(72)).cast("d")), ValueError, ["argument 1", "read-only"]),
        (replaced(2, 1), TypeError, ["argument 2 (bool flag) is int; expected a bool"]),
        (replaced(3, 128), ValueError, ["argument 3", "is 128; expected -128 to 127 (int8)"]),
        (replaced(4, -1), ValueError, ["argument 4", "is -1; expected 0 to 255 (uint8)"]),
        (replaced(5, 1.5), TypeError, ["argument 5", "is float; expected a whole number (int16)"]),
        (replaced(6, 1 << 64), ValueError, ["argument 6", "(uint64)"]),
        (replaced(7, 1e39), ValueError, ["argument 7", "too large for float32"]),
        (replaced(7, "x"), TypeError, ["argument 7", "is str; expected a number (float32)"]),
        (replaced(9, bytes(7)), ValueError, ["argument 9 (Pair g) has 7 bytes; expected 8 bytes"]),
        (replaced(9, 3), TypeError, ["argument 9", "is int"]),
    ],
)
def test_a_wrong_argument_is_named_with_what_came_and_what_was_wanted(
    mixed: cudasim.Module, arguments: tuple[Any, ...], error: type[Exception], words: list[str]
) -> None:
    with pytest.raises(error) as caught:
        mixed.take(1, 1)(*arguments)
    assert str(caught.value).startswith("take")
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("grid", "block", "error"),
    [(1.5, 1, TypeError), ((), 1, ValueError), (1, (1, 1, 1, 1), ValueError), (-1, 1, ValueError),
     (1 << 32, 1, ValueError), ("a", 1, TypeError)],
)  # fmt: skip
def test_a_grid_or_block_that_is_none_is_refused(
    mixed: cudasim.Module, grid: Any, block: Any, error: type[Exception]
) -> None:
    with pytest.raises(error, match=r"take: (grid|block) is"):
        mixed.take(grid, block)


def test_a_wild_access_is_an_error_with_its_line_and_the_module_goes_on(
    mixed: cudasim.Module,
) -> None:
    kept = cudasim.to_device(np.arange(4, dtype=np.int32))
    with pytest.raises(KernelError) as caught:
        mixed.wild(1, 1)(np.zeros(2, np.int32))
    assert caught.value.code == "cudaErrorIllegalAddress"
    (finding,) = caught.value.findings
    line = 1 + MIXED.splitlines().index("__global__ void wild(int* out) { out[1 << 22] = 1; }")
    assert finding.kind == "out-of-bounds"
    assert finding.place is not None
    assert (finding.place.file, finding.place.line) == ("kernel.cu", line)
    assert f"kernel.cu:{line}: out-of-bounds" in str(caught.value)
    # Neither the error nor a lost allocation is left.
    out = np.zeros(3, np.int32)
    mixed["ns::fill"](1, 3)(out, 8)
    assert out.tolist() == [8, 8, 8]
    assert kept.copy_to_host().tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("block", "shared", "code"),
    [(2048, 0, "cudaErrorInvalidConfiguration"), (0, 0, "cudaErrorInvalidConfiguration"),
     (32, 1 << 20, "cudaErrorInvalidValue")],
)  # fmt: skip
def test_a_launch_over_the_limits_gives_the_error_of_a_card(
    mixed: cudasim.Module, block: int, shared: int, code: str
) -> None:
    with pytest.raises(KernelError) as caught:
        mixed["ns::fill"](1, block, shared)(np.zeros(2, np.int32), 1)
    assert caught.value.code == code
    assert [each.kind for each in caught.value.findings] == ["launch"]


def test_a_kernel_that_never_ends_is_ended() -> None:
    module = cudasim.compile(MIXED, watchdog_s=0.2)
    with pytest.raises(KernelError) as caught:
        module.spin(1, 1)(np.zeros(1, np.int32))
    assert caught.value.code == "cudaErrorLaunchTimeout"


def test_dynamic_shared_memory_has_the_size_that_is_asked_for(mixed: cudasim.Module) -> None:
    out = np.zeros(64, np.int32)
    mixed.sized(1, 64, shared_bytes=256)(out)
    assert out.tolist() == list(range(63, -1, -1))
    with pytest.raises(KernelError):
        mixed.sized(1, 64)(out)


def test_an_error_that_nobody_has_read_keeps_no_launch_from_running(mixed: cudasim.Module) -> None:
    lost = mixed.function("lose")
    # As a program does: it never asks for the error of its kernel.
    lost.errcheck = lambda result, function, arguments: result
    lost()
    x = np.arange(4, dtype=np.float32)
    mixed["scale<float>"](1, 4)(x, 3)
    assert x.tolist() == [0, 3, 6, 9]
    # Nor is it a lack of memory.
    lost()
    assert cudasim.empty(8, "<i4").address


def test_a_function_of_the_host_is_called_with_memory_of_the_device(
    mixed: cudasim.Module,
) -> None:
    device = cudasim.empty(8, "<i4")
    assert mixed.function("solve")(device, 8) == 0
    assert device.copy_to_host().tolist() == [7] * 8
    with pytest.raises(KernelError) as caught:
        mixed.function("overdo")(device)
    assert caught.value.code == "cudaErrorInvalidConfiguration"
    assert mixed.function("solve")(device, 8) == 0
    with pytest.raises(AttributeError, match='extern "C"'):
        mixed.function("absent")


def test_the_same_array_twice_is_one_array_on_the_device() -> None:
    module = cudasim.compile("__global__ void add(const int* a, int* b) { b[0] += a[0]; }")
    x = np.array([5, 1], np.int32)
    module.add(1, 1)(x, x)
    assert x.tolist() == [10, 1]
    with pytest.raises(ValueError, match=r"argument 2 \(int\* b\) overlaps argument 1"):
        module.add(1, 1)(x, x[1:])


def test_an_array_of_const_is_not_copied_back() -> None:
    source = "__global__ void cheat(const int* a) { const_cast<int*>(a)[0] = 9; }"
    x = np.zeros(2, np.int32)
    cudasim.compile(source).cheat(1, 1)(x)
    assert x.tolist() == [0, 0]


def test_two_modules_with_a_template_of_one_name_do_not_share_its_memory() -> None:
    source = """template <class T> __global__ void pass(T* x) {
        __shared__ T tile[SIZE]; tile[threadIdx.x] = x[threadIdx.x]; __syncthreads();
        x[threadIdx.x] = tile[SIZE - 1 - threadIdx.x]; }"""
    for size in (8, 512):
        module = cudasim.compile(
            source.replace("SIZE", str(size)), instantiate=["pass<int>"], check=True
        )
        x = np.arange(size, dtype=np.int32)
        module["pass<int>"](1, size)(x)
        assert x.tolist() == list(range(size - 1, -1, -1))
        assert module.findings() == ()


def test_a_race_is_found_at_the_right_line_in_the_check_build_only() -> None:
    source = """__global__ void shift(int* out) {
        __shared__ int tile[64];
        tile[threadIdx.x] = threadIdx.x;
        out[threadIdx.x] = tile[63 - threadIdx.x];
    }"""
    out = np.zeros(64, np.int32)
    fast = cudasim.compile(source)
    fast.shift(1, 64)(out)
    assert fast.findings() == ()
    module = cudasim.compile(source, check=True)
    module.shift(1, 64)(out)
    races = [each for each in module.findings() if each.kind in ("RAW", "WAR")]
    assert {each.variable for each in races} == {"tile"}
    for race in races:
        assert race.at is not None
        assert race.other is not None
        lines = {party.place and party.place.line for party in (race.at, race.other)}
        assert lines == {3, 4}
    count = sum(each.count for each in module.findings())
    assert "tile" in module.report()
    module.shift(1, 64)(out)
    assert sum(each.count for each in module.findings()) == 2 * count
    module.clear_findings()
    assert module.findings() == ()


def test_one_build_refuses_memory_of_the_other() -> None:
    source = "__global__ void set(int* x) { x[0] = 1; }"
    module = cudasim.compile(source, check=True)
    with pytest.raises(ValueError, match=r"argument 1.*check=True"):
        module.set(1, 1)(cudasim.empty(1, "<i4"))
    array = cudasim.empty(1, "<i4", check=True)
    module.set(1, 1)(array)
    assert array.copy_to_host().tolist() == [1]


@pytest.mark.parametrize(
    ("source", "place", "words"),
    [
        (
            "__global__ void k(int* p) {\n\tp[0] = 3; nope(3);\n}\n",
            "kernel.cu:2:12: error:",
            "nope",
        ),
        ("int f(\n", "kernel.cu:1:", "error:"),
        ("#include <cub/cub.cuh>\n", "kernel.cu:1:", "cub"),
        (
            "__global__ void k(int* p) {}\nvoid f() { k<<<1, 2>>>(); }\n",
            "kernel.cu:2:",
            "too few arguments",
        ),
        ("void f();\nvoid g() {\n  f(); }\n", "kernel.cu:3:", "undefined reference to 'f()'"),
        ("__global__ void k() { __shared__ int t[2]; t.x = 1; }\n", "kernel.cu:1:46:", "'t'"),
        ("__device__ int 计数(int x) { return x + y值; }\n", "kernel.cu:1:39:", "y值"),
    ],
)
def test_a_wrong_program_is_told_in_its_own_lines(source: str, place: str, words: str) -> None:
    with pytest.raises(CompileError) as caught:
        cudasim.compile(source)
    text = str(caught.value)
    assert text.startswith(place)
    assert words in text
    assert caught.value.messages[0].severity == "error"
    for inner in ("cusim", "_t_", "_s_", "/include/", "instantiation", "required from"):
        assert inner not in text


@pytest.mark.parametrize(
    ("settings", "error"),
    [({"order": "sideways"}, ValueError), ({"seed": -1}, ValueError), ({"workers": 0}, ValueError),
     ({"watchdog_s": 0}, ValueError), ({"instantiate": "scale<float>"}, TypeError),
     ({"name": "a/b.cu"}, ValueError)],
)  # fmt: skip
def test_settings_out_of_range_are_refused(
    settings: dict[str, Any], error: type[Exception]
) -> None:
    with pytest.raises(error):
        cudasim.compile("__global__ void k() {}", **settings)
    with pytest.raises(ValueError, match="Path"):
        cudasim.compile("kernel.cu")


def test_what_a_file_includes_is_compiled_and_watched(tmp_path: Path) -> None:
    folder = tmp_path / "有 空格"
    (folder / "common").mkdir(parents=True)
    (tmp_path / "above.h").write_text("#define BIAS 100\n")
    header = folder / "common" / "size.h"
    header.write_text('#include "../../above.h"\n#define VALUE (BIAS + 1)\n')
    program = folder / "-程序.cu"
    program.write_text('#include "common/size.h"\n__global__ void k(int* x) { x[0] = VALUE; }\n')
    x = np.zeros(1, np.int32)
    cudasim.compile(program).k(1, 1)(x)
    assert x[0] == 101
    header.write_text('#include "../../above.h"\n#define VALUE (BIAS + 2)\n')
    cudasim.compile(program).k(1, 1)(x)
    assert x[0] == 102
    header.write_text("#define VALUE nowhere\n__device__ int f() { return VALUE; }\n")
    with pytest.raises(CompileError, match=r"common/size\.h:1"):
        cudasim.compile(program)


def test_importing_it_needs_nothing_that_has_to_be_installed() -> None:
    program = (
        "import sys, torchstone.cudasim\n"
        "print(sorted({'numpy', 'torch', 'msgspec', 'typer'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_kernels_of_one_name_in_two_namespaces_are_told_apart() -> None:
    module = cudasim.compile(
        "namespace naive { __global__ void add(float* x) { x[threadIdx.x] += 1; } }\n"
        "namespace better { __global__ void add(float* x) { x[threadIdx.x] += 2; } }\n"
    )
    assert module.kernels == ("naive::add", "better::add")
    numbers = np.zeros(4, np.float32)
    module["naive::add"](1, 4)(numbers)
    module["better::add"](1, 4)(numbers)
    assert numbers.tolist() == [3.0] * 4
    with pytest.raises(AttributeError, match="there are: naive::add, better::add"):
        module.add(1, 4)(numbers)
