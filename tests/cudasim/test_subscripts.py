"""The element of a finding, from its offset and the declaration in the source."""

import time

import pytest

from torchstone.cudasim.findings import Finding, Party, Place
from torchstone.cudasim.subscripts import Element, find_element

pytestmark = pytest.mark.pure


def finding(offset: int, total: int, *, variable: str = "", size: int = 4, **at: object) -> Finding:
    place = Place(file="kernel.cu", line=int(str(at.get("line", 1))), function="k")
    party = Party(place=place, block=(0, 0, 0), thread=(0, 0, 0), is_write=bool(at.get("is_write")))
    return Finding(
        kind="out-of-bounds", variable=variable, offset=offset, allocation_bytes=total,
        access_bytes=size, at=party,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("source", "index", "shape"),
    [
        ("__shared__ float b[16][16];", (5, 3), (16, 16)),
        ("constexpr int T = 16;\n__shared__ float a[T][T], b[T][T];", (5, 3), (16, 16)),
        ("#define TILE 16\n__shared__ float b[TILE][TILE];", (5, 3), (16, 16)),
        ("const int T = 32 / 2;\n__shared__ float a, b[T][T];", (5, 3), (16, 16)),
        ("__shared__ float b[256];", (83,), (256,)),
        # A shape that does not fill the allocation is another variable's.
        ("__shared__ float b[8][8];", (83,), (256,)),
        ("template <int gap> __shared__ float b[16][16 + gap];", (83,), (256,)),
        ("__shared__ float b[__import__('os')];", (83,), (256,)),
        ("", (83,), (256,)),
    ],
)
def test_subscripts_come_from_the_declaration(
    source: str, index: tuple[int, ...], shape: tuple[int, ...]
) -> None:
    found = find_element(finding(4 * 83, 1024, variable="b"), source)
    assert found == Element(array="b", index=index, shape=shape)


def test_outside_of_the_array_the_first_subscript_is_out_of_range() -> None:
    source = "__shared__ float b[4][8];"
    assert find_element(finding(128, 128, variable="b"), source).index == (4, 0)
    assert find_element(finding(-4, 128, variable="b"), source).index == (-1, 7)
    assert find_element(finding(8, 0, variable="b"), source) == Element(array="b")
    assert find_element(finding(2, 128), "") == Element(array="")


@pytest.mark.parametrize(
    ("line", "is_write", "array"),
    [
        ("out[i] = a[i];", True, "out"),
        ("out[i] = a[i];", False, "a"),
        ("out[i] = a[i] + b[i];", False, ""),
        ("float x = in[map[i]];", False, ""),
        ("atomicAdd(&sum[i], v);", True, "sum"),
        ("*p = 1;", True, ""),
        ("if (i <= n) // a[3] = b[4]", False, ""),
    ],
)
def test_of_global_memory_the_only_pointer_on_that_side_is_named(
    line: str, is_write: bool, array: str
) -> None:
    found = find_element(finding(40, 40, line=1, is_write=is_write), line)
    assert found == Element(array=array, index=(10,), shape=(10,))


def test_without_a_size_of_the_access_the_type_of_the_pointers_gives_it() -> None:
    source = "void k(const float* a, float* __restrict__ b, double* c) {\nx = a[i] + b[j];\n}"
    found = find_element(finding(40, 40, size=0, line=2), source)
    assert found == Element(array="", index=(10,), shape=(10,))
    mixed = source.replace("b[j]", "c[j]")
    assert find_element(finding(40, 40, size=0, line=2), mixed) == Element(array="")
    assert find_element(finding(40, 40, size=0, line=1), "x = a[i];") == Element(array="a")


@pytest.mark.parametrize(
    "hostile",
    [
        "const int a =" + " " * 200_000 + "{1};",
        "const a " * 40_000,
        "int " * 60_000,
        "".join(f"#define A{n} {'*'.join([f'A{n - 1}'] * 20)}\n" for n in range(1, 9)),
        "#define A0 999999999\n"
        + "".join(f"#define A{n} A{n - 1}*A{n - 1}\n" for n in range(1, 99)),
    ],
    ids=["spaces", "constants", "types", "undefined", "products"],
)
def test_a_hostile_source_takes_little_time(hostile: str) -> None:
    begun = time.process_time()
    assert find_element(finding(4, 1024, variable="b"), hostile).array == "b"
    declared = hostile + "\n__shared__ float b[A8];"
    assert find_element(finding(4, 1024, variable="b"), declared).array == "b"
    assert time.process_time() - begun < 5
