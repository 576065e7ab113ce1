"""Files: what is saved comes back bit for bit, and nothing else is read."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.torch import save_file
from torch import Tensor
from torch.utils.data import DataLoader

from torchstone import nested
from torchstone.kernels.block_reference import FORMATS
from torchstone.nested.files import HEADER

pytestmark = [pytest.mark.torch]

GOOD = {"version": 1, "format": "int8", "block": 32, "dtype": "float32"}
PARTS = {
    "codes": torch.zeros(6, 64, dtype=torch.int8),
    "scales": torch.ones(6, 2, dtype=torch.bfloat16),
    "offsets": torch.tensor([0, 2, 6]),
}


def bytes_of(t: Tensor) -> bytes:
    return t.contiguous().view(torch.uint8).numpy().tobytes()


def require_same(one: Any, other: Any) -> None:
    a, b = (t._values if t.is_nested else t for t in (one, other))
    assert type(b) is nested.BlockQuantTensor
    assert (a.kind, bytes_of(a.codes)) == (b.kind, bytes_of(b.codes))
    assert bytes_of(a.scales) == bytes_of(b.scales)
    if one.is_nested:
        assert one.offsets().tolist() == other.offsets().tolist()
        assert nested.info(one) == nested.info(other)


@settings(max_examples=20)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=4),
    st.sampled_from(sorted(FORMATS)),
    st.sampled_from((torch.float32, torch.bfloat16, torch.float64)),
)
def test_what_is_saved_comes_back(
    tmp_path_factory: pytest.TempPathFactory, lengths: list[int], format: str, dtype: torch.dtype
) -> None:
    path = tmp_path_factory.mktemp("saved") / "a.safetensors"
    t = nested.tensor([torch.randn(n, 64, dtype=dtype) for n in lengths], format=format)
    nested.save(t, path)
    require_same(t, nested.load(path))
    assert [each.name for each in path.parent.iterdir()] == [path.name]


def test_a_dense_tensor_is_saved_too(tmp_path: Path) -> None:
    t = nested.quantize(torch.randn(2, 3, 64), "int4")
    nested.save(t, str(tmp_path / "a"))
    require_same(t, nested.load(tmp_path / "a"))


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_text("mine")
    with pytest.raises(ValueError, match="exists"):
        nested.save(nested.quantize(torch.randn(2, 64)), path)
    assert path.read_text() == "mine"
    assert [*tmp_path.iterdir()] == [path]
    with pytest.raises(ValueError, match="cannot be written"):
        nested.save(nested.quantize(torch.randn(2, 64)), tmp_path / "none" / "a")
    with pytest.raises(TypeError, match="plain values"):
        nested.save(torch.randn(2, 64), tmp_path / "b")


def write(path: Path, header: Any = GOOD, **parts: Tensor | None) -> None:
    tensors = {name: each for name, each in (PARTS | parts).items() if each is not None}
    save_file(tensors, path, {HEADER: header if isinstance(header, str) else json.dumps(header)})


# What is written in place of a good file, and words of the refusal.
BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "none": (lambda path: None, "no file"),
    "a folder": (lambda path: path.mkdir(), "no file"),
    "empty": (lambda path: path.write_bytes(b""), "not a whole safetensors file"),
    "a pickle": (lambda path: torch.save(PARTS, path), "not a whole safetensors file"),
    "a header of 2^60 bytes": (
        lambda path: path.write_bytes((1 << 60).to_bytes(8, "little") + b"{}"),
        "not a whole safetensors file",
    ),
    "foreign": (lambda path: save_file(PARTS, path), "no metadata torchstone.nested"),
    "no JSON": (lambda path: write(path, "{"), "damaged"),
    "no object": (lambda path: write(path, [1]), "version None"),
    "newer": (lambda path: write(path, GOOD | {"version": 2, "more": 1}), "version 2"),
    "version 0": (lambda path: write(path, GOOD | {"version": 0}), "version 0"),
    "version true": (lambda path: write(path, GOOD | {"version": True}), "version True"),
    "a key more": (lambda path: write(path, GOOD | {"more": 1}), "has the header"),
    "dtype": (lambda path: write(path, GOOD | {"dtype": "int8"}), "has the header"),
    "a list for a dtype": (lambda path: write(path, GOOD | {"dtype": []}), "has the header"),
    "format": (lambda path: write(path, GOOD | {"format": "int2"}), "format is 'int2'"),
    "a list for a format": (lambda path: write(path, GOOD | {"format": []}), r"format is \[\]"),
    "another format": (lambda path: write(path, GOOD | {"format": "fp8"}), "codes has dtype int8"),
    "block": (lambda path: write(path, GOOD | {"block": 48}), "block is 48"),
    "block of text": (lambda path: write(path, GOOD | {"block": "32"}), "block is of type str"),
    "another block": (lambda path: write(path, GOOD | {"block": 64}), "scales have shape"),
    "no scales": (lambda path: write(path, scales=None), "holds codes, offsets"),
    "a tensor more": (lambda path: write(path, more=torch.ones(1)), "holds codes, more"),
    "falling offsets": (lambda path: write(path, offsets=torch.tensor([0, 4, 2])), "fall"),
    "offsets beyond": (lambda path: write(path, offsets=torch.tensor([0, 2, 7])), "end at 7"),
    "offsets from 1": (lambda path: write(path, offsets=torch.tensor([1, 6])), "begin with 1"),
    "no offsets": (
        lambda path: write(path, offsets=torch.zeros(0, dtype=torch.int64)),
        "offsets of codes have shape",
    ),
    "offsets of floats": (lambda path: write(path, offsets=torch.tensor([0.0, 6])), "float32"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_refused(tmp_path: Path, name: str) -> None:
    path = tmp_path / "a"
    make, words = BAD[name]
    make(path)
    with pytest.raises(ValueError, match=words) as caught:
        nested.load(path)
    assert isinstance(caught.value, nested.Refusal)
    assert str(path) in caught.value.message("zh")


def test_a_file_that_was_cut_anywhere_is_refused(tmp_path: Path) -> None:
    whole, part = tmp_path / "whole", tmp_path / "part"
    nested.save(nested.tensor([torch.randn(n, 64) for n in (2, 3)]), whole)
    content = whole.read_bytes()
    for end in {*range(0, len(content), 37), len(content) - 1}:
        part.write_bytes(content[:end])
        with pytest.raises(ValueError, match="not a whole safetensors file"):
            nested.load(part)


@pytest.mark.parametrize("format", FORMATS)
def test_torch_loads_it_with_weights_only(format: str) -> None:
    t = nested.tensor([torch.randn(n, 64) for n in (2, 0, 3)], format=format)
    file = io.BytesIO()
    torch.save({"t": t, "dense": t.values()}, file)
    file.seek(0)
    loaded = torch.load(file, weights_only=True)
    require_same(t, loaded["t"])
    require_same(t.values(), loaded["dense"])


def test_a_pickle_with_other_parts_is_refused() -> None:
    t: Any = nested.quantize(torch.randn(2, 64))
    for state, words in (
        ({"codes": t.codes}, "pickle holds codes"),
        ({"codes": t.codes[:1], "scales": t.scales[:1], "format": "int8", "block": 32}, "shape"),
    ):
        with pytest.raises(ValueError, match=words):
            t.__setstate__(state)


def dataset() -> list[tuple[Tensor, int]]:
    torch.manual_seed(4)
    return [(nested.quantize(torch.randn(n, 64), "int4"), n) for n in (3, 0, 5, 2)]


@pytest.mark.parametrize("num_workers", [0, pytest.param(2, marks=pytest.mark.full)])
def test_a_loader_makes_jagged_batches_of_quantized_sequences(num_workers: int) -> None:
    samples = dataset()
    loader = DataLoader(samples, 2, collate_fn=nested.collate, num_workers=num_workers)
    batches = [*loader]
    assert [labels.tolist() for _, labels in batches] == [[3, 0], [5, 2]]
    found = [row for batch, _ in batches for row in batch.unbind()]
    for row, (wanted, _) in zip(found, samples, strict=True):
        require_same(wanted, row)


def test_sequences_of_several_formats_are_no_batch() -> None:
    x = torch.randn(2, 64)
    with pytest.raises(ValueError, match=r"samples\[1\] is fp8/32; expected int8/32"):
        nested.collate([nested.quantize(x), nested.quantize(x, "fp8")])
    assert torch.equal(nested.collate([x, x]), torch.stack([x, x]))
