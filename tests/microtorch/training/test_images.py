"""Images come from files that anybody may have broken; each fault is told by its own sentence."""

import gzip
import struct
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from torchstone.microtorch.training.images import (
    FILES,
    LAYOUTS,
    Images,
    load_digits,
    load_mnist,
    synthetic,
)
from torchstone.microtorch.training.refusal import Refusal

pytestmark = pytest.mark.pure

SHAPES = {"train_images": (6, 5, 5), "train_labels": (6,), "test_images": (3, 5, 5),
          "test_labels": (3,)}  # fmt: skip


def idx(array: np.ndarray) -> bytes:
    head = struct.pack(f">BBBB{array.ndim}I", 0, 0, 8, array.ndim, *array.shape)
    return head + array.astype(np.uint8).tobytes()


def arrays() -> dict[str, np.ndarray]:
    random = np.random.default_rng(3)
    return {
        key: random.integers(0, 10 if "labels" in key else 256, shape)
        for key, shape in SHAPES.items()
    }


def write(
    folder: Path,
    *,
    pack: Callable[[bytes], bytes] = bytes,
    ending: str = "",
    dotted: bool = False,
    **replaced: bytes | None,
) -> dict[str, np.ndarray]:
    """Write the four files, some of them replaced or left out; give what they hold."""
    folder.mkdir(parents=True, exist_ok=True)
    made = arrays()
    for key, name in FILES.items():
        body = replaced.get(key, idx(made[key]))
        if body is not None:
            spelled = name.replace("-idx", ".idx") if dotted else name
            (folder / f"{spelled}{ending}").write_bytes(pack(body))
    return made


def refusal_of(folder: Path) -> Refusal:
    with pytest.raises(Refusal) as caught:
        load_mnist(folder)
    return caught.value


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("ending", ["", ".gz"])
@pytest.mark.parametrize("dotted", [False, True])
def test_all_layouts_are_read(tmp_path: Path, layout: str, ending: str, dotted: bool) -> None:
    pack = gzip.compress if ending else bytes
    made = write(tmp_path / layout, pack=pack, ending=ending, dotted=dotted)
    read = load_mnist(tmp_path)
    assert read.name == "IDX"
    for part in ("train", "test"):
        images, labels = getattr(read, f"{part}_images"), getattr(read, f"{part}_labels")
        wanted = made[f"{part}_images"][:, None].astype(np.float32) / 255
        assert np.array_equal(images.numpy(), wanted)
        assert images.numpy().dtype == np.float32
        assert labels.numpy().dtype == np.int64
        assert np.array_equal(labels.numpy(), made[f"{part}_labels"])


def test_what_is_packed_is_told_by_its_bytes_and_not_by_its_name(tmp_path: Path) -> None:
    write(tmp_path / "a", pack=gzip.compress)
    write(tmp_path / "b", ending=".gz")
    assert load_mnist(tmp_path / "a").fingerprint() == load_mnist(tmp_path / "b").fingerprint()


@pytest.mark.parametrize("key", FILES)
def test_a_missing_file_is_named_with_where_it_was_looked_for(tmp_path: Path, key: str) -> None:
    write(tmp_path, **{key: None})
    refusal = refusal_of(tmp_path)
    assert refusal.code == "data_missing"
    for words in (str(tmp_path), FILES[key], f"{FILES[key]}.gz", *LAYOUTS[1:]):
        assert words in str(refusal)


def test_a_folder_that_is_none_is_refused_as_one_without_files(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "absent", tmp_path / "file"):
        assert refusal_of(folder).code == "data_missing"


GOOD = idx(np.zeros((6, 5, 5)))
# Not of this moment: the name of a test must be the same in all processes.
PACKED = gzip.compress(GOOD, mtime=0)


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", "data_foreign"),
        (GOOD[:3], "data_foreign"),
        (GOOD[:15], "data_foreign"),
        (b"<html>" + GOOD, "data_foreign"),
        (bytes([0, 0, 0x0D, 3]) + GOOD[4:], "data_foreign"),
        (idx(np.zeros(6)), "data_foreign"),
        (GOOD[:16], "data_cut"),
        (GOOD[:-1], "data_cut"),
        (GOOD + b"0", "data_cut"),
        # 2^32 x 2^32 pixels are none in 64 bits.
        (struct.pack(">4B3I", 0, 0, 8, 3, 2**31, 2**31, 4), "data_cut"),
        (PACKED[:-9], "unreadable"),
        (PACKED[:5], "unreadable"),
        (PACKED[:20] + b"\xff" * 20, "unreadable"),
        (idx(np.zeros((0, 5, 5))), "data_empty"),
        (idx(np.zeros((6, 5, 4))), "data_shape"),
        (idx(np.zeros((6, 3, 3))), "data_shape"),
        (idx(np.zeros((6, 0, 0))), "data_shape"),
        (idx(np.zeros((5, 5, 5))), "data_unequal"),
    ],
)
def test_broken_images_are_refused_by_name(tmp_path: Path, body: bytes, code: str) -> None:
    write(tmp_path, train_images=body)
    refusal = refusal_of(tmp_path)
    named = FILES["train_labels" if code == "data_unequal" else "train_images"]
    assert (refusal.code, named in str(refusal)) == (code, True)


def test_images_to_test_with_of_another_size_are_refused(tmp_path: Path) -> None:
    write(tmp_path, test_images=idx(np.zeros((3, 6, 6))))
    assert refusal_of(tmp_path).code == "data_shape"


def test_labels_that_no_network_knows_are_refused(tmp_path: Path) -> None:
    write(tmp_path, train_labels=idx(np.full(6, 10)))
    refusal = refusal_of(tmp_path)
    assert (refusal.code, refusal.values["label"]) == ("data_label", 10)


def test_a_file_that_is_a_folder_is_not_found(tmp_path: Path) -> None:
    write(tmp_path, test_labels=None)
    (tmp_path / FILES["test_labels"]).mkdir()
    assert refusal_of(tmp_path).code == "data_missing"


def test_the_digits_are_those_that_come_along_in_an_order_of_their_own() -> None:
    digits = load_digits()
    assert digits.train_images.shape == (1437, 1, 8, 8)
    assert digits.test_images.shape == (360, 1, 8, 8)
    values = digits.train_images.numpy()
    assert (values.min(), values.max()) == (0, 1)
    assert set(digits.test_labels.numpy().tolist()) == set(range(10))
    assert digits.fingerprint() == load_digits().fingerprint()


def test_noise_has_the_shape_of_mnist_and_two_parts() -> None:
    made = synthetic(70)
    assert made.train_images.shape == (60, 1, 28, 28)
    assert len(made.test_labels) == 10
    assert len(synthetic(2).train_images) == len(synthetic(2).test_images) == 1
    with pytest.raises(Refusal, match="synthetic is 1"):
        synthetic(1)


def test_a_fingerprint_tells_images_apart_that_have_one_name() -> None:
    first = synthetic(20)
    for changed in ("train_images", "train_labels", "test_images", "test_labels"):
        parts = {name: getattr(first, name).clone() for name in SHAPES}
        parts[changed][0] = 1 - parts[changed][0]
        assert Images(name="synthetic", **parts).fingerprint() != first.fingerprint()
