"""What is saved comes back; what others saved is read; what is hostile is refused."""

import io
import json
import os
import pickle
import zipfile
from collections import OrderedDict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import torchstone.microtorch as micro
from torchstone.microtorch.serialization import LoadError

pytestmark = pytest.mark.torch


def same(one: Any, other: Any) -> bool:
    if isinstance(one, micro.Tensor):
        return one.dtype is other.dtype and np.array_equal(one.array, other.array)
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple):
        return type(one) is type(other) and all(map(same, one, other))
    return type(one) is type(other) and bool(one == other)


def test_a_structure_comes_back_as_it_was(tmp_path: Path) -> None:
    saved = {
        "model": {"w": micro.randn(3, 4), "b": micro.zeros(0, 2), "n": micro.tensor(5)},
        "optimizer": {"state": {0: {"step": micro.tensor(1.0)}}, "param_groups": [{"lr": 0.1}]},
        "mask": micro.tensor([True, False]),
        "betas": (0.9, 0.999),
        "epoch": 3,
        "name": "试金石",
        "none": None,
    }
    micro.save(saved, tmp_path / "a.pt")
    assert same(micro.load(tmp_path / "a.pt"), saved)
    assert [each.name for each in tmp_path.iterdir()] == ["a.pt"]


def test_a_file_object_does_as_well() -> None:
    file = io.BytesIO()
    micro.save([micro.ones(2)], file)
    file.seek(0)
    assert same(micro.load(file), [micro.ones(2)])


def test_a_strided_tensor_is_saved_as_what_it_shows(tmp_path: Path) -> None:
    whole = micro.arange(12).reshape(3, 4)
    micro.save({"t": whole.t(), "row": whole[1]}, tmp_path / "a.safetensors")
    loaded = micro.load(tmp_path / "a.safetensors")
    assert loaded["t"].tolist() == whole.t().tolist()
    assert loaded["row"].tolist() == [4, 5, 6, 7]


def test_the_library_of_the_format_reads_what_we_write(tmp_path: Path) -> None:
    safetensors = pytest.importorskip("safetensors.numpy")
    micro.save({"w": micro.arange(6.0).reshape(2, 3)}, tmp_path / "a.safetensors")
    loaded = safetensors.load_file(tmp_path / "a.safetensors")
    assert loaded["w"].tolist() == [[0, 1, 2], [3, 4, 5]]
    safetensors.save_file({"v": np.arange(3, dtype=np.int16)}, tmp_path / "b.safetensors")
    assert micro.load(tmp_path / "b.safetensors")["v"].tolist() == [0, 1, 2]


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8", "bool"])
def test_a_checkpoint_of_pytorchs_is_read(tmp_path: Path, dtype: str) -> None:
    torch.manual_seed(0)
    whole = (torch.randn(4, 6) * 3).to(getattr(torch, dtype))
    saved: dict[str, Any] = OrderedDict(
        a=whole, view=whole[1:, ::2], t=whole.t(), empty=whole[:0], nested=[whole[0], {"k": 1.5}]
    )
    torch.save(saved, tmp_path / "a.pt")
    loaded = micro.load(tmp_path / "a.pt")
    assert list(loaded) == list(saved)
    for key in ("a", "view", "t", "empty"):
        assert str(loaded[key].dtype) == str(saved[key].dtype)
        assert loaded[key].tolist() == saved[key].tolist()
    assert loaded["view"].stride() == saved["view"].stride()
    assert loaded["nested"][1] == {"k": 1.5}


def test_a_state_dict_of_pytorchs_is_loaded_into_our_module(tmp_path: Path) -> None:
    theirs = torch.nn.Module()
    theirs.w = torch.nn.Parameter(torch.randn(3))
    theirs.register_buffer("count", torch.tensor(7))
    torch.save({"model": theirs.state_dict(), "w": theirs.w}, tmp_path / "a.pt")
    ours = micro.nn.Module()
    ours.w = micro.nn.Parameter(micro.zeros(3))
    ours.register_buffer("count", micro.tensor(0))
    loaded = micro.load(tmp_path / "a.pt")
    ours.load_state_dict(loaded["model"])
    assert ours.w.tolist() == theirs.w.tolist()
    assert ours.count.item() == 7
    assert isinstance(loaded["w"], micro.nn.Parameter)
    assert loaded["w"].requires_grad


def test_bfloat16_is_read_as_float32(tmp_path: Path) -> None:
    torch.save(torch.tensor([1.5, -2.0, 3.140625], dtype=torch.bfloat16), tmp_path / "a.pt")
    loaded = micro.load(tmp_path / "a.pt")
    assert loaded.dtype is micro.float32
    assert loaded.tolist() == [1.5, -2.0, 3.140625]


class Attack:
    """Runs a command when it is unpickled."""

    def __init__(self, proof: Path) -> None:
        self.proof = proof

    def __reduce__(self) -> tuple[Any, ...]:
        return os.system, (f"touch {self.proof}",)


def checkpoint(pickled: bytes, **storages: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
        for key, body in storages.items():
            archive.writestr(f"archive/data/{key.removeprefix('s')}", body)
    return file.getvalue()


def test_a_pickle_that_would_run_code_is_refused(tmp_path: Path) -> None:
    proof = tmp_path / "proof"
    (tmp_path / "a.pt").write_bytes(checkpoint(pickle.dumps({"w": Attack(proof)}, protocol=2)))
    with pytest.raises(LoadError, match="could run code"):
        micro.load(tmp_path / "a.pt")
    assert not proof.exists()


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("builtins", "eval"),
        ("builtins", "getattr"),
        ("os", "system"),
        ("torch.serialization", "load"),
        ("collections", "OrderedDict.fromkeys"),
        ("torchstone.microtorch.serialization", "load"),
    ],
)
def test_no_other_name_is_found(tmp_path: Path, module: str, name: str) -> None:
    pickled = f"c{module}\n{name}\n.".encode()
    (tmp_path / "a.pt").write_bytes(checkpoint(pickled))
    with pytest.raises(LoadError):
        micro.load(tmp_path / "a.pt")


def test_a_tensor_may_not_lie_outside_of_its_storage(tmp_path: Path) -> None:
    torch.save(torch.zeros(4), tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    # The size of the tensor, 4, stands in the pickle as one byte after its opcode.
    files["a/data.pkl"] = files["a/data.pkl"].replace(b"K\x04\x85", b"K\x7f\x85")
    with zipfile.ZipFile(tmp_path / "b.pt", "w") as archive:
        for name, body in files.items():
            archive.writestr(name, body)
    with pytest.raises(LoadError, match=r"outside of its storage"):
        micro.load(tmp_path / "b.pt")


def safetensors_of(header: Any, body: bytes = b"") -> bytes:
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + body


BROKEN = {
    "empty": b"",
    "short": b"abc",
    "length beyond the file": (2**60).to_bytes(8, "little") + b"{}",
    "no JSON": (4).to_bytes(8, "little") + b"nope",
    "a list": safetensors_of([1, 2]),
    "bytes beyond the file": safetensors_of(
        {"w": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}, b"1234"
    ),
    "offsets backwards": safetensors_of(
        {"w": {"dtype": "F32", "shape": [0], "data_offsets": [8, 0]}}, bytes(8)
    ),
    "shape and bytes differ": safetensors_of(
        {"w": {"dtype": "F32", "shape": [3], "data_offsets": [0, 8]}}, bytes(8)
    ),
    "an unknown type": safetensors_of(
        {"w": {"dtype": "F8", "shape": [8], "data_offsets": [0, 8]}}, bytes(8)
    ),
    "a broken structure": safetensors_of(
        {"__metadata__": {"torchstone.structure": '{"tensor": "gone"}'}}
    ),
    "a zip that is none": b"PK\x03\x04" + bytes(40),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused_with_one_kind_of_error(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.pt").write_bytes(BROKEN[name])
    with pytest.raises(LoadError, match=r"^load: "):
        micro.load(tmp_path / "a.pt")


def test_what_can_not_be_saved_is_named_and_leaves_the_old_file(tmp_path: Path) -> None:
    micro.save({"w": micro.ones(1)}, tmp_path / "a.pt")
    with pytest.raises(TypeError, match=r"model\.hook is a function"):
        micro.save({"model": {"hook": lambda: None}}, tmp_path / "a.pt")
    assert micro.load(tmp_path / "a.pt")["w"].tolist() == [1.0]


@pytest.mark.parametrize(
    "saved",
    [
        {"a.b": micro.ones(1), "a": {"b": micro.zeros(1)}},
        {1: micro.ones(1), "1": micro.zeros(1)},
        {"__metadata__": micro.ones(1)},
    ],
    ids=["dots", "numbers", "metadata"],
)
def test_tensors_whose_paths_are_alike_are_kept_apart(saved: Any) -> None:
    file = io.BytesIO()
    micro.save(saved, file)
    file.seek(0)
    assert same(micro.load(file), saved)


@pytest.mark.parametrize(
    "header",
    [
        {"__metadata__": None},
        {"__metadata__": {"torchstone.structure": "[1]"}},
        {"__metadata__": {"torchstone.structure": "[" * 100_000}},
        {"a": {"dtype": "BF16", "shape": [1], "data_offsets": [-2, 0]}},
        {"a": {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]}},
    ],
    ids=["no metadata", "no structure", "deep", "before the bytes", "any size"],
)
def test_a_header_that_is_none_is_refused(header: Any) -> None:
    text = json.dumps(header).encode()
    with pytest.raises(LoadError, match="is broken"):
        micro.load(io.BytesIO(len(text).to_bytes(8, "little") + text + b"abcd"))


@pytest.mark.parametrize("pickled", [b"(.", b"]\x8c\x01ab.", b"K\x01)R.", b"h\x05."])
def test_a_pickle_that_is_none_is_refused(pickled: bytes) -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickled)
    file.seek(0)
    with pytest.raises(LoadError, match="is broken"):
        micro.load(file)
