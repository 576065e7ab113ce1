"""Image data sets: the bundled digits, MNIST from a folder, and synthetic images.

Source:
    E. Alpaydin and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning
    Repository (1998), CC BY 4.0: 1,797 images of 8 x 8 pixels, as scikit-learn has them.
    LeCun et al., Gradient-based learning applied to document recognition (1998): MNIST.
    Xiao et al., Fashion-MNIST (2017).
"""

from __future__ import annotations

import gzip
import hashlib
import math
import os
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from torchstone.microtorch.tensor import Array, Tensor, wrap
from torchstone.microtorch.training.refusal import Refusal

NUM_CLASSES = 10
# The CNN halves its images twice.
MIN_SIDE = 4
DIGITS = Path(__file__).with_name("digits.npz")
# Number of digits reserved for testing.
NUM_DIGITS_TO_TEST = 360
# The four files; some copies have a dot for the dash before "idx". Each may be gzipped.
FILES = {
    "train_images": "train-images-idx3-ubyte",
    "train_labels": "train-labels-idx1-ubyte",
    "test_images": "t10k-images-idx3-ubyte",
    "test_labels": "t10k-labels-idx1-ubyte",
}
# Subfolders that are searched for the files.
LAYOUTS = (".", "raw", "MNIST/raw", "FashionMNIST/raw", "mnist", "fashion")
# MD5 of the gzipped training images -> name of the data set.
KNOWN = {
    "f68b3c2dcbeaaa9fbdd348bbdeb94873": "MNIST",
    "8d4fb7e6c68d591d4c3dfef9ec88bf0d": "Fashion-MNIST",
}
IDX_UBYTE = 0x08
GZIP_MAGIC = b"\x1f\x8b"


@dataclass(frozen=True, slots=True, kw_only=True)
class Images:
    """Images and their labels.

    Attributes:
        name: The name of the data set.
        train_images: (count, 1, height, width), float32 in [0, 1].
        train_labels: (count,), int64.
        test_images: Likewise, for testing.
        test_labels: Likewise, for testing.
    """

    name: str
    train_images: Tensor
    train_labels: Tensor
    test_images: Tensor
    test_labels: Tensor

    def fingerprint(self) -> str:
        """Return a fingerprint that identifies these images."""
        crc = 0
        for each in (self.train_images, self.train_labels, self.test_images, self.test_labels):
            crc = zlib.crc32(np.ascontiguousarray(each.array).data, crc)
        return f"{self.name} {crc:08x}"


def load_digits() -> Images:
    """Load the bundled digits."""
    with np.load(DIGITS) as file:
        images, labels = file["images"].astype(np.float32) / 16, file["labels"]
    # Shuffle once, with a fixed seed, because different people wrote the first and the last images.
    # NumPy guarantees the stream of RandomState, but not that of default_rng.
    order = np.random.RandomState(0).permutation(len(images))
    return _images("digits", images[order], labels[order], NUM_DIGITS_TO_TEST)


def synthetic(count: int = 60_000, *, size: int = 28, seed: int = 0) -> Images:
    """Create noise in the shape of MNIST, for measuring speed.

    Raises:
        Refusal: ``count`` is too small for a training and a test set.
    """
    if count < 2:
        raise Refusal("number", name="synthetic", came=count, wanted="≥ 2")
    random = np.random.default_rng(seed)
    images = random.random((count, size, size), np.float32)
    labels = random.integers(0, NUM_CLASSES, count)
    return _images("synthetic", images, labels, max(1, count // 7))


def _images(name: str, images: Array, labels: Array, num_test: int) -> Images:
    parts = images[:-num_test], images[-num_test:]
    answers = labels[:-num_test], labels[-num_test:]
    return Images(
        name=name,
        train_images=wrap(np.ascontiguousarray(parts[0][:, None])),
        train_labels=wrap(answers[0].astype(np.int64)),
        test_images=wrap(np.ascontiguousarray(parts[1][:, None])),
        test_labels=wrap(answers[1].astype(np.int64)),
    )


def load_mnist(folder: str | Path) -> Images:
    """Load MNIST, or a data set in its format, from its four files.

    Raises:
        Refusal: A file is missing or invalid, or the networks can't be trained on its contents.
    """
    found = {key: _find(Path(folder), name) for key, name in FILES.items()}
    arrays = {key: _read_idx(path, 3 if "images" in key else 1) for key, path in found.items()}
    side = arrays["train_images"].shape[-1]
    for part in ("train", "test"):
        _check_images(found[f"{part}_images"], arrays[f"{part}_images"], side)
        _check_labels(found[f"{part}_labels"], arrays[f"{part}_labels"], arrays[f"{part}_images"])
    packed = found["train_images"].read_bytes()
    digest = hashlib.md5(packed, usedforsecurity=False).hexdigest()
    return Images(
        name=KNOWN.get(digest, "IDX"),
        train_images=_scaled(arrays["train_images"]),
        train_labels=wrap(arrays["train_labels"].astype(np.int64)),
        test_images=_scaled(arrays["test_images"]),
        test_labels=wrap(arrays["test_labels"].astype(np.int64)),
    )


def _scaled(images: Array) -> Tensor:
    return wrap(images[:, None].astype(np.float32) / 255)


def _check_images(path: Path, images: Array, side: int) -> None:
    count, height, width = images.shape
    if count == 0:
        raise Refusal("data_empty", path=path)
    if not height == width == side >= MIN_SIDE:
        raise Refusal("data_shape", path=path, height=height, width=width, least=MIN_SIDE)


def _check_labels(path: Path, labels: Array, images: Array) -> None:
    if len(images) != len(labels):
        raise Refusal("data_unequal", path=path, labels=len(labels), images=len(images))
    if labels.max() >= NUM_CLASSES:
        raise Refusal("data_label", path=path, label=int(labels.max()), last=NUM_CLASSES - 1)


def _find(folder: Path, name: str) -> Path:
    for layout in LAYOUTS:
        for spelled in (name, name.replace("-idx", ".idx")):
            for ending in (".gz", ""):
                path = folder / layout / f"{spelled}{ending}"
                # os.path.isfile, unlike Path.is_file, does not raise for an inaccessible folder.
                if os.path.isfile(path):
                    return path
    raise Refusal("data_missing", folder=folder, file=name, layouts=", ".join(LAYOUTS[1:]))


def _read_idx(path: Path, ndim: int) -> Array:
    """Read an array in the IDX format: a header with type and sizes, then the bytes."""
    try:
        body = path.read_bytes()
        # Detected by content, because some programs unpack a file without renaming it.
        if body.startswith(GZIP_MAGIC):
            body = gzip.decompress(body)
    except (OSError, EOFError, zlib.error) as error:
        raise Refusal("unreadable", path=path, reason=reason_of(error)) from error
    head = 4 + 4 * ndim
    if len(body) < head or body[:4] != bytes([0, 0, IDX_UBYTE, ndim]):
        raise Refusal("data_foreign", path=path, ndim=ndim)
    shape = np.frombuffer(body, ">u4", ndim, offset=4).tolist()
    # Python integers, because NumPy's product may overflow.
    if len(body) - head != math.prod(shape):
        raise Refusal("data_cut", path=path, came=len(body) - head, wanted=math.prod(shape))
    return np.frombuffer(body, np.uint8, offset=head).reshape(shape)


def reason_of(error: Exception) -> str:
    """Return the system's description of an error, without the path."""
    return getattr(error, "strerror", None) or str(error)
