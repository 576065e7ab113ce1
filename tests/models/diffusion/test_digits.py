"""Digits are those that come along, a judge reads them, and a picture holds every pixel."""

import struct
import zlib

import pytest
import torch
from torch import Tensor

from torchstone.microtorch.training.images import load_digits
from torchstone.models.diffusion.digits import grid, load, recognised_share, train_judge

pytestmark = pytest.mark.torch


def test_they_are_those_that_come_along() -> None:
    digits, known = load(), load_digits()
    assert digits.train_images.shape == (1437, 1, 8, 8)
    assert digits.test_images.shape == (360, 1, 8, 8)
    assert (digits.train_images.min().item(), digits.train_images.max().item()) == (-1.0, 1.0)
    ink = (digits.test_images + 1) / 2
    assert torch.equal(ink, torch.from_numpy(known.test_images.array))
    assert digits.test_labels.tolist() == known.test_labels.array.tolist()
    assert digits.train_labels.dtype == torch.int64


def test_the_judge_reads_digits_it_has_not_seen_and_leaves_chance_as_it_was() -> None:
    digits, before = load(), torch.get_rng_state()
    judge = train_judge(digits)
    assert torch.equal(torch.get_rng_state(), before)
    assert recognised_share(judge, digits.test_images, digits.test_labels) > 0.97
    # Each digit as another one, and noise, is not taken for what it is not.
    assert recognised_share(judge, digits.test_images, (digits.test_labels + 1) % 10) < 0.03


def read_png(data: bytes) -> Tensor:
    """Read what the specification says of a picture of grey without filters."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    chunks, place = {}, 8
    while place < len(data):
        (length,) = struct.unpack_from(">I", data, place)
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + length]
        (crc,) = struct.unpack_from(">I", data, place + 8 + length)
        assert crc == zlib.crc32(kind + body)
        chunks[kind] = body
        place += 12 + length
    assert list(chunks) == [b"IHDR", b"IDAT", b"IEND"]
    width, height, *rest = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert rest == [8, 0, 0, 0, 0]
    raw = torch.frombuffer(bytearray(zlib.decompress(chunks[b"IDAT"])), dtype=torch.uint8)
    rows = raw.reshape(height, width + 1)
    assert not bool(rows[:, 0].any())
    return rows[:, 1:]


def test_a_picture_holds_every_pixel() -> None:
    images = torch.tensor([-1.0, 0.0, 1.0, -7.0, 7.0, 0.5]).reshape(3, 1, 1, 2)
    # Ink is dark; beside and below each image is a line, and the fourth place is empty.
    wanted = [
        [255, 128, 128, 0, 255, 128],
        [128, 128, 128, 128, 128, 128],
        [0, 64, 128, 128, 128, 128],
        [128, 128, 128, 128, 128, 128],
    ]
    assert read_png(grid(images, num_columns=2, scale=1)).tolist() == wanted
    large = read_png(grid(images, num_columns=2, scale=3))
    assert large.shape == (12, 18)
    assert large[1::3, 1::3].tolist() == large[::3, 2::3].tolist() == wanted
    assert read_png(grid(images)).shape == (2 * 6, 9 * 6)


def test_what_is_no_picture_is_refused() -> None:
    for wrong in (torch.zeros(2, 8, 8), torch.zeros(2, 3, 8, 8), torch.zeros(0, 1, 8, 8)):
        with pytest.raises(ValueError, match=r"expected \(count, 1, height, width\)"):
            grid(wrong)
    with pytest.raises(ValueError, match="not finite"):
        grid(torch.full((1, 1, 2, 2), torch.nan))
    for named in ({"num_columns": 0}, {"scale": 0}):
        with pytest.raises(ValueError, match="expected 1 or more"):
            grid(torch.zeros(1, 1, 2, 2), **named)
