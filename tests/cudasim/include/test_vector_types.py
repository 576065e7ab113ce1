"""Vector types: sizes and alignments of CUDA, plain aggregates, and what makes them."""

from pathlib import Path

import numpy as np
import pytest

from tests.cudasim.include.native import Native

pytestmark = pytest.mark.cudasim

# The element's size, and the alignment of two and of four elements.
LAYOUT = {
    "char": (1, 2, 4), "uchar": (1, 2, 4), "short": (2, 4, 8), "ushort": (2, 4, 8),
    "int": (4, 8, 16), "uint": (4, 8, 16), "long": (8, 16, 16), "ulong": (8, 16, 16),
    "longlong": (8, 16, 16), "ulonglong": (8, 16, 16), "float": (4, 8, 16), "double": (8, 16, 16),
}  # fmt: skip
MEMBERS = ("x", "y", "z", "w")
WIDE = ("long4", "ulong4", "longlong4", "ulonglong4", "double4")


def _types() -> list[tuple[str, int, int, int]]:
    types = []
    for name, (size, two, four) in LAYOUT.items():
        types += [(name, 1, size, size), (name, 2, size, two), (name, 3, size, size)]
        types.append((name, 4, size, four))
    return types


def _source() -> str:
    lines = ['#include "vector_types.h"', '#include "vector_functions.h"', "#include <type_traits>"]
    for name, count, size, align in _types():
        T = f"{name}{count}"
        values = ", ".join(str(i + 1) for i in range(count))
        lines += [
            f"static_assert(sizeof({T}) == {size * count} && alignof({T}) == {align});",
            f"static_assert(std::is_trivial<{T}>::value && std::is_aggregate<{T}>::value);",
            f"static_assert(std::is_standard_layout<{T}>::value);",
            f"constexpr {T} braces_{T} = {T}{{{values}}}, made_{T} = make_{T}({values});",
        ]
        for i, member in enumerate(MEMBERS[:count]):
            lines.append(f"static_assert(braces_{T}.{member} == {i + 1});")
            lines.append(f"static_assert(made_{T}.{member} == {i + 1});")
    for name in WIDE:
        for align in (16, 32):
            T = f"{name}_{align}a"
            lines.append(f"static_assert(sizeof({T}) == 32 && alignof({T}) == {align});")
            lines.append(f"static_assert(make_{T}(1, 2, 3, 4).w == 4);")
    lines.append("static_assert(static_cast<decltype(char4::x)>(-1) < 0);")
    return (
        "\n".join(lines)
        + """
constexpr dim3 none, one(5), two(5, 6), three = {5, 6, 7}, of_number = 9u;
static_assert(none.x == 1 && none.y == 1 && none.z == 1 && one.x == 5 && one.y == 1);
static_assert(two.y == 6 && two.z == 1 && three.z == 7 && of_number.x == 9);
constexpr uint3 back = three;
static_assert(back.x == 5 && back.y == 6 && back.z == 7 && dim3(back).y == 6);
static_assert(std::is_trivially_copyable<dim3>::value && sizeof(dim3) == 12);
EACH_2(added, float4, float4, float4, make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w))
EACH_1(turned, uchar4, uchar4, uchar4{a.w, a.z, a.y, a.x})
EACH_1(swapped, double2, double2, {a.y, a.x})
EACH_1(grid, uint3, uint3, dim3(a.z, a.y, a.x))
"""
    )


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native(_source(), tmp_path_factory.mktemp("vector_types"))


def test_layout_is_that_of_cuda_and_values_are_constants(native: Native) -> None:
    """What the compiler asserts; here the arrays of NumPy have the layout that it asserted."""
    a = np.arange(32, dtype=np.float32).view("V16")
    got = native("added", np.dtype("V16"), a, a)
    assert got.view(np.float32).tolist() == [2.0 * i for i in range(32)]


def test_members_are_in_the_order_of_their_names(native: Native) -> None:
    words = np.arange(16, dtype=np.uint8)
    got = native("turned", np.uint32, words.view(np.uint32)).view(np.uint8)
    assert got.tolist() == words.reshape(-1, 4)[:, ::-1].ravel().tolist()
    pairs = np.arange(8, dtype=np.float64)
    swapped = native("swapped", np.dtype("V16"), pairs.view("V16")).view(np.float64)
    assert swapped.tolist() == [1, 0, 3, 2, 5, 4, 7, 6]


def test_dim3_and_uint3_become_one_another(native: Native) -> None:
    numbers = np.arange(6, dtype=np.uint32)
    got = native("grid", np.dtype("V12"), numbers.view("V12")).view(np.uint32)
    assert got.tolist() == [2, 1, 0, 5, 4, 3]


def test_wrong_number_of_values_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture) -> None:
    with pytest.raises(Exception, match="returned non-zero exit status"):
        Native('#include "vector_types.h"\nfloat2 f = make_float2(1, 2, 3);\n', tmp_path)
    assert "too many arguments" in capfd.readouterr().err
