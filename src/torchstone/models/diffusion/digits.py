"""The digits data set, a classifier that scores generated digits, and image grids."""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from torchstone.microtorch.training.images import NUM_CLASSES, load_digits

SIZE = 8
# Training of the judge.
JUDGE_STEPS, JUDGE_BATCH, JUDGE_LR = 200, 64, 5e-3


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Digits:
    """Images of handwritten digits.

    Attributes:
        train_images: Shape ``(1437, 1, 8, 8)``, float32 from -1, white, to 1, black.
        train_labels: Shape ``(1437,)``, int64 from 0 to 9.
        test_images: Likewise, 360 images.
        test_labels: Likewise.

    Source:
        See ``torchstone.microtorch.training.images``, which defines the split.
    """

    train_images: Tensor
    train_labels: Tensor
    test_images: Tensor
    test_labels: Tensor


def load() -> Digits:
    """Load the bundled digits."""
    held = load_digits()
    return Digits(
        train_images=torch.from_numpy(held.train_images.array) * 2 - 1,
        train_labels=torch.from_numpy(held.train_labels.array),
        test_images=torch.from_numpy(held.test_images.array) * 2 - 1,
        test_labels=torch.from_numpy(held.test_labels.array),
    )


def train_judge(digits: Digits, seed: int = 0) -> nn.Module:
    """Train a small network that classifies digits, in about a second.

    The global random state is not changed.

    Returns:
        A module from images, shape ``(batch, 1, 8, 8)``, to logits, ``(batch, 10)``.
    """
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        judge = nn.Sequential(
            nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(),
            nn.Conv2d(16, 32, 3, padding=1, stride=2), nn.ReLU(),
            nn.Flatten(), nn.Linear(32 * (SIZE // 2) ** 2, NUM_CLASSES),
        )  # fmt: skip
    optimizer = torch.optim.Adam(judge.parameters(), lr=JUDGE_LR)
    for _ in range(JUDGE_STEPS):
        chosen = torch.randint(len(digits.train_images), (JUDGE_BATCH,), generator=generator)
        scores = judge(digits.train_images[chosen])
        optimizer.zero_grad()
        F.cross_entropy(scores, digits.train_labels[chosen]).backward()
        optimizer.step()
    return judge.eval().requires_grad_(False)


def recognised_share(judge: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Return the fraction of images that a judge classifies as their label."""
    with torch.no_grad():
        is_read: Tensor = judge(images).argmax(-1) == labels
    return is_read.double().mean().item()


def grid(images: Tensor, *, num_columns: int = 10, scale: int = 6) -> bytes:
    """Arrange images in a grid; return it as a grayscale PNG.

    Args:
        images: Shape ``(count, 1, height, width)``, from -1, white, to 1, black; other values are
            clamped.
        num_columns: The number of images per row.
        scale: The width and height of each pixel in the picture.

    Raises:
        ValueError: There are no images, their shape is wrong, a value is not finite, or a number is
            below 1.

    Source:
        Portable Network Graphics (PNG) Specification, Third Edition, W3C, 2025, sections 5 and 11.
    """
    if images.dim() != 4 or images.shape[1] != 1 or not images.numel():
        raise ValueError(
            f"grid: images has shape {tuple(images.shape)}; expected (count, 1, height, width), "
            f"none of them 0"
        )
    if num_columns < 1 or scale < 1:
        raise ValueError(f"grid: num_columns is {num_columns}, scale {scale}; expected 1 or more")
    if not bool(images.isfinite().all()):
        raise ValueError("grid: a pixel is not finite")
    count, _, height, width = images.shape
    num_columns = min(num_columns, count)
    # A gray line to the right of each image and below it.
    cells = torch.full((-(-count // num_columns) * num_columns, height + 1, width + 1), 0.5)
    cells[:count, :height, :width] = (1 - images[:, 0].detach().cpu().float().clamp(-1, 1)) / 2
    rows = cells.unflatten(0, (-1, num_columns)).transpose(1, 2).flatten(2).flatten(0, 1)
    shades = (rows * 255).round().to(torch.uint8)
    return _png(shades.repeat_interleave(scale, 0).repeat_interleave(scale, 1))


def _png(shades: Tensor) -> bytes:
    height, width = shades.shape
    # 8-bit grayscale; each row begins with its filter type, 0 for none.
    head = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    body = zlib.compress(F.pad(shades, (1, 0)).numpy().tobytes())
    chunks = (_chunk(b"IHDR", head), _chunk(b"IDAT", body), _chunk(b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checked = kind + data
    return struct.pack(">I", len(data)) + checked + struct.pack(">I", zlib.crc32(checked))
