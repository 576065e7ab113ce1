"""Arrays of every protocol are seen as they are, and device arrays live as long as their object."""

import array
import ctypes
import gc
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.cudasim as cudasim
from torchstone.cudasim.arrays import itemsize_of, look_at, name_dtype

pytestmark = pytest.mark.cudasim

DOUBLE = "__global__ void twice(TYPE* x) { x[threadIdx.x] *= 2; }"


@pytest.mark.parametrize(
    ("value", "dtype", "shape"),
    [
        (np.zeros((2, 3), np.float32), "<f4", (2, 3)),
        (np.zeros((), np.int64), "<i8", ()),
        (array.array("d", [1, 2]), "<f8", (2,)),
        (array.array("B", b"ab"), "|u1", (2,)),
        (bytearray(5), "|u1", (5,)),
        (memoryview(bytearray(8)).cast("h", (2, 2)), "<i2", (2, 2)),
        ((ctypes.c_uint32 * 4)(), "<u4", (4,)),
        (torch.zeros(2, 2, dtype=torch.bfloat16), "<V2", (2, 2)),
        (torch.zeros(3, dtype=torch.bool), "|b1", (3,)),
        (torch.zeros(3, dtype=torch.complex64), "<c8", (3,)),
        (torch.zeros(0), "<f4", (0,)),
        (np.zeros(3, np.float32).astype(">f4"), ">f4", (3,)),
    ],
)
def test_an_array_is_seen_as_it_is(value: object, dtype: str, shape: tuple[int, ...]) -> None:
    seen = look_at(value)
    assert seen is not None
    assert (seen.dtype, seen.shape, seen.is_contiguous) == (dtype, shape, True)
    assert seen.num_bytes == itemsize_of(dtype) * int(np.prod(shape))


@pytest.mark.parametrize(
    "value",
    [np.zeros((4, 4))[:, :2], np.zeros((3, 4)).T, np.zeros(6)[::-1], torch.zeros(4, 4).t(),
     torch.zeros(1).expand(5), memoryview(bytearray(8))[::2]],
)  # fmt: skip
def test_what_lies_apart_is_seen_to(value: object) -> None:
    seen = look_at(value)
    assert seen is not None
    assert not seen.is_contiguous


@pytest.mark.parametrize(
    "value", [np.zeros((3, 1))[:, :1], np.zeros((0, 4)).T, torch.ones(1, 4).t()]
)
def test_strides_that_nobody_takes_do_not_matter(value: object) -> None:
    seen = look_at(value)
    assert seen is not None
    assert seen.is_contiguous


def test_what_is_no_array_is_none() -> None:
    assert [look_at(value) for value in (3, 1.5, "text", None, [1, 2], object())] == [None] * 6


def test_a_tensor_that_does_not_show_its_memory_says_why() -> None:
    with pytest.raises(TypeError, match="grad"):
        look_at(torch.zeros(3, requires_grad=True))
    meta = torch.zeros(3, device="meta")
    with pytest.raises((TypeError, ValueError, BufferError)):
        look_at(meta)


@pytest.mark.parametrize(
    ("c_type", "value"),
    [
        ("float", array.array("f", [1, 2, 3])),
        ("float", torch.tensor([1.0, 2, 3])),
        ("int", memoryview(bytearray(b"\1\0\0\0\2\0\0\0\3\0\0\0")).cast("i")),
        ("unsigned char", bytearray([1, 2, 3])),
        ("double", (ctypes.c_double * 3)(1, 2, 3)),
        ("long long", np.array([1, 2, 3])),
        ("__half", np.array([1, 2, 3], np.float16)),
        ("__nv_bfloat16", torch.tensor([1, 2, 3], dtype=torch.bfloat16)),
    ],
)
def test_a_kernel_writes_into_arrays_of_every_protocol(c_type: str, value: Any) -> None:
    includes = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n"
    body = DOUBLE.replace("TYPE", c_type)
    if c_type.startswith("__"):
        body = body.replace(
            "x[threadIdx.x] *= 2", "x[threadIdx.x] = x[threadIdx.x] + x[threadIdx.x]"
        )
    cudasim.compile(includes + body).twice(1, 3)(value)
    assert [float(each) for each in value] == [2, 4, 6]


def test_vectors_are_given_as_their_elements() -> None:
    module = cudasim.compile("__global__ void first(const float4* x, float* y) { y[0] = x[1].z; }")
    out = np.zeros(1, np.float32)
    module.first(1, 1)(np.arange(8, dtype=np.float32), out)
    assert out[0] == 6
    with pytest.raises(TypeError, match="16-byte values"):
        module.first(1, 1)(np.arange(7, dtype=np.float32), out)


def test_nothing_and_an_empty_array_are_null() -> None:
    source = "__global__ void ask(const int* p, int* out) { out[0] = p == nullptr; }"
    module = cudasim.compile(source)
    for value in (None, np.zeros(0, np.int32)):
        out = np.zeros(1, np.int32)
        module.ask(1, 1)(value, out)
        assert out[0] == 1


def test_a_device_array_stays_between_launches_and_is_read_without_a_copy() -> None:
    module = cudasim.compile(DOUBLE.replace("TYPE", "float"))
    device = cudasim.to_device(np.array([[1, 2], [3, 4]], np.float32))
    assert (device.shape, device.dtype, device.nbytes) == ((2, 2), "<f4", 16)
    seen = np.asarray(device)
    for _ in range(3):
        module.twice(1, 4)(device)
    assert seen.tolist() == [[8, 16], [24, 32]]
    assert not seen.flags.writeable
    out = np.zeros((2, 2), np.float32)
    assert device.copy_to_host(out) is out
    assert out.tolist() == seen.tolist()
    device.copy_from_host(array.array("f", [9, 8, 7, 6]))
    assert device.copy_to_host().tolist() == [[9, 8], [7, 6]]
    assert "DeviceArray(shape=(2, 2), dtype='<f4'" in repr(device)


def test_memory_is_freed_with_its_object() -> None:
    source = """extern "C" unsigned long long left() {
        size_t free, total; cudaMemGetInfo(&free, &total); return free; }"""
    left = cudasim.compile(source).function("left")
    left.restype = ctypes.c_uint64
    before = left()
    device = cudasim.empty((1000, 1000), np.float64)
    view = np.asarray(device)
    assert before - left() >= 8_000_000
    del device
    gc.collect()
    assert before - left() >= 8_000_000  # the view still reads it
    del view
    gc.collect()
    assert left() == before


@pytest.mark.parametrize(
    ("shape", "dtype", "text"),
    [(4, "float32", "<f4"), ((2, 3), np.int16, "<i2"), ((), "|b1", "|b1"), ([2], "uint8", "|u1"),
     (0, "<f8", "<f8")],
)  # fmt: skip
def test_an_empty_array_has_the_type_that_is_named(shape: Any, dtype: Any, text: str) -> None:
    made = cudasim.empty(shape, dtype)
    assert made.dtype == text
    assert made.copy_to_host().dtype.str == text
    assert made.copy_to_host().shape == made.shape


@pytest.mark.parametrize(("shape", "dtype"), [(-1, "<f4"), (1, "quadruple"), (1, "f"), (1, "<fx")])
def test_an_array_that_cannot_be_is_refused(shape: Any, dtype: str) -> None:
    with pytest.raises(ValueError, match=r"shape|dtype"):
        cudasim.empty(shape, dtype)


def test_more_memory_than_there_is_is_a_memory_error_and_the_next_one_is_given() -> None:
    with pytest.raises(MemoryError, match="CUSIM_MEMORY_BYTES"):
        cudasim.empty(1 << 50, "<f4")
    assert cudasim.empty(4, "<f4").address != 0


@pytest.mark.parametrize(
    ("out", "error"),
    [(np.zeros(3, np.float32), ValueError), (np.zeros(8, np.float32)[::2], ValueError),
     (bytes(16), ValueError), (3, TypeError)],
)  # fmt: skip
def test_a_copy_to_what_does_not_fit_is_refused(out: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        cudasim.empty(4, "<f4").copy_to_host(out)


@pytest.mark.parametrize(
    ("source", "error"),
    [(np.zeros(3, np.float32), ValueError), (np.zeros(5, np.float32), ValueError),
     (np.zeros(8, np.float32)[::2], ValueError), (3, TypeError)],
)  # fmt: skip
def test_a_copy_of_what_does_not_fit_is_refused(source: Any, error: type[Exception]) -> None:
    device = cudasim.to_device(np.arange(4, dtype=np.float32))
    with pytest.raises(error):
        device.copy_from_host(source)
    assert device.copy_to_host().tolist() == [0, 1, 2, 3]


def test_without_numpy_a_copy_is_a_memoryview() -> None:
    program = """
import sys, array
import torchstone.cudasim as cudasim
device = cudasim.to_device(array.array("f", [1.5, 2.5]))
seen = device.copy_to_host()
assert type(seen) is memoryview and seen.tolist() == [1.5, 2.5], seen
assert cudasim.empty((2, 2), "int16").copy_to_host().shape == (2, 2)
assert cudasim.empty((2, 2), "float16").copy_to_host().nbytes == 8
assert cudasim.empty(0, "int32").copy_to_host().nbytes == 0
assert "numpy" not in sys.modules
print("good")
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("good\n", "")


def test_types_are_called_as_programmers_call_them() -> None:
    assert [name_dtype(each) for each in ("<f4", "|b1", "<u8", "<V2", "|O8")] == [
        "float32", "bool", "uint64", "2-byte values", "8-byte values",
    ]  # fmt: skip
