"""Tensors survive the wire with their layout, and a hostile description of one is refused."""

import json

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torchstone.judge.child.protocol import stream, wire

pytestmark = pytest.mark.torch

DTYPES = (
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.int16,
    torch.int32, torch.int64, torch.uint8, torch.bool, torch.complex64, torch.float8_e4m3fn,
)  # fmt: skip
shapes = st.lists(st.integers(0, 4), max_size=4)


def through(value: object) -> object:
    frame = read(wire.pack(b"A", value))
    return frame.decode(tensor=wire.torch_tensor)


def read(buffers: list[object]) -> wire.Frame:
    reader = stream.FrameReader(blob_cap=1 << 24, allocate=wire.torch_buffer)
    for buffer in buffers:
        data = memoryview(buffer).cast("B") if len(buffer) else b""  # type: ignore[arg-type]
        while len(data):
            view = reader.buffer()
            size = min(len(view), len(data))
            view[:size] = data[:size]
            data = data[size:]
            frame = reader.advance(size)
    assert frame is not None
    return frame


def bits(tensor: torch.Tensor) -> list[int]:
    # `contiguous` leaves a tensor of one element as it is, whatever its stride.
    plain = tensor.clone(memory_format=torch.contiguous_format)
    return plain.reshape(-1).view(torch.uint8).tolist()


@given(shapes, st.sampled_from(DTYPES), st.integers(0, 2**32), st.data())
def test_a_view_comes_back_with_its_layout_and_bits(
    shape: list[int], dtype: torch.dtype, seed: int, data: st.DataObject
) -> None:
    generator = torch.Generator().manual_seed(seed)
    base = torch.randint(0, 256, (2048,), dtype=torch.uint8, generator=generator)
    if dtype == torch.bool:
        base &= 1
    stride = [data.draw(st.integers(0, 6)) for _ in shape]
    offset = data.draw(st.integers(0, 9))
    sent = base.view(dtype).as_strided(shape, stride, offset)
    came = through(sent)
    assert isinstance(came, torch.Tensor)
    assert (came.dtype, came.shape, came.stride()) == (sent.dtype, sent.shape, sent.stride())
    assert came.storage_offset() == sent.storage_offset()
    assert bits(came) == bits(sent)


def test_tensors_over_one_storage_share_one_blob() -> None:
    base = torch.arange(6.0)
    buffers = wire.pack(b"A", [base, base[2:], base.view(2, 3).T])
    assert len(buffers) == 4
    came = through([base, base[2:], base.view(2, 3).T])
    assert isinstance(came, list)
    assert [item.tolist() for item in came] == [
        base.tolist(), base[2:].tolist(), base.view(2, 3).T.tolist(),
    ]  # fmt: skip
    came[0].zero_()
    assert came[1].tolist() == base[2:].tolist(), "what arrives owns its memory"


def test_a_large_tensor_takes_over_the_memory_it_was_received_in() -> None:
    size = stream.TOGETHER // 4 + 1
    sent = torch.arange(float(size))
    frame = read(wire.pack(b"A", [sent, sent[1:], torch.ones(3)]))
    received = torch.frombuffer(frame.blobs[0], dtype=torch.float32)
    first, second, third = frame.decode(tensor=wire.torch_tensor)
    assert first.data_ptr() == received.data_ptr()
    first.zero_()
    assert second.equal(sent[1:]), "the second tensor over a storage has a copy"
    assert third.tolist() == [1, 1, 1]


def test_scalars_empty_tensors_dtypes_and_non_finite_numbers_travel() -> None:
    value = {"0-d": torch.tensor(3.5), "empty": torch.empty(0, 3), "kind": torch.bfloat16}
    came = through([value, float("nan"), float("-inf")])
    assert isinstance(came, list)
    assert came[0]["0-d"].item() == 3.5
    assert came[0]["empty"].shape == (0, 3)
    assert came[0]["kind"] is torch.bfloat16
    assert came[1] != came[1]
    assert came[2] == float("-inf")


numbers = st.integers(-3, 9) | st.just(2**62) | st.just(2**70) | st.none() | st.text(max_size=2)


# torch warns that quantized tensors will go.
@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
@given(
    st.sampled_from(["float32", "float64", "bool", "quint8", "Tensor", "__class__", "ones", ""]),
    st.lists(numbers, max_size=3),
    st.lists(numbers, max_size=3),
    numbers,
    numbers,
)
def test_a_hostile_description_is_a_tensor_inside_its_blob_or_refused(
    dtype: str, shape: list[object], stride: list[object], offset: object, blob: object
) -> None:
    tree = json.dumps({"x": [dtype, shape, stride, offset, blob]}).encode()
    frame = wire.Frame(kind=b"A", tree=tree, blobs=[bytearray(64)])
    try:
        came = frame.decode(tensor=wire.torch_tensor)
    except (wire.WireError, RuntimeError):
        return
    assert isinstance(came, torch.Tensor)
    assert came.untyped_storage().nbytes() == 64


def test_a_product_is_computed_by_who_trusts_the_sender_and_refused_by_others() -> None:
    left, right = torch.tensor([[0.1], [3.0]]), torch.tensor([0.7, 1.3, 1e-3])
    frame = read(wire.pack(b"C", {"args": [wire.Product(left, right)]}))
    (came,) = frame.decode(tensor=wire.torch_tensor, products=True)["args"]
    assert torch.equal(came, left * right)
    assert sum(map(len, frame.blobs)) == 20, "only the factors travel"
    with pytest.raises(wire.WireError, match="unknown node 'p'"):
        frame.decode(tensor=wire.torch_tensor)
