"""index_select for partners, scatter_ for targets, and Python's Beta, seeded by the generator."""

from __future__ import annotations

import math
import random

import torch
from torch import Tensor

HALF = {torch.float16, torch.bfloat16}


def _targets(x: Tensor, y: Tensor, num_classes: int) -> Tensor:
    if y.size(0) != x.size(0):
        raise ValueError("images and targets differ in number")
    if torch.is_floating_point(y):
        if tuple(y.shape) != (x.size(0), num_classes):
            raise ValueError("soft targets have another number of classes")
        return y
    return torch.zeros(x.size(0), num_classes).scatter_(1, y[:, None], 1.0)


def _partner(a: Tensor, perm: Tensor) -> Tensor:
    return torch.index_select(a, 0, perm)


def _combine(a: Tensor, own: Tensor | float, perm: Tensor) -> Tensor:
    wide = a.to(torch.float32) if a.dtype in HALF else a
    return torch.add(wide * own, _partner(wide, perm) * (1 - own)).type(a.dtype)


def mixup(
    x: Tensor, y: Tensor, lam: float | Tensor, perm: Tensor, *, num_classes: int
) -> tuple[Tensor, Tensor]:
    if not x.dtype.is_floating_point:
        raise TypeError("mixup blends floating images")
    if isinstance(lam, torch.Tensor):
        values = lam.tolist()
        of_image, of_target = lam.view([-1] + [1] * (x.dim() - 1)), lam.view(-1, 1)
    else:
        values, of_image, of_target = [lam], lam, lam
    if any(not 0 <= value <= 1 for value in values):
        raise ValueError("lam is a share")
    targets = _targets(x, y, num_classes)
    return _combine(x, of_image, perm), _combine(targets, of_target, perm)


def cutmix_box(height: int, width: int, lam: float, cy: int, cx: int) -> tuple[int, int, int, int]:
    def interval(size: int, centre: int) -> tuple[int, int]:
        reach = math.floor(0.5 * math.sqrt(1 - lam) * size)
        return max(centre - reach, 0), min(centre + reach, size)

    return (*interval(height, cy), *interval(width, cx))


def cutmix(
    x: Tensor, y: Tensor, box: tuple[int, int, int, int], perm: Tensor, *, num_classes: int
) -> tuple[Tensor, Tensor]:
    if x.dim() < 3:
        raise ValueError("cutmix cuts rows and columns")
    *_, height, width = x.shape
    top, bottom, left, right = box
    for low, high, size in ((top, bottom, height), (left, right, width)):
        if low < 0 or high < low or size < high:
            raise ValueError("the box is not inside the image")
    partner = _partner(x, perm)
    # Five pieces: above, below, and between them left, box and right.
    middle = torch.cat(
        [
            x[..., top:bottom, :left],
            partner[..., top:bottom, left:right],
            x[..., top:bottom, right:],
        ],
        dim=-1,
    )
    pasted = torch.cat([x[..., :top, :], middle, x[..., bottom:, :]], dim=-2)
    outside = height * width - (bottom - top) * (right - left)
    return pasted, _combine(_targets(x, y, num_classes), outside / (height * width), perm)


class MixupCutmix:
    def __init__(
        self,
        num_classes: int,
        mixup_alpha: float = 0.8,
        cutmix_alpha: float = 1.0,
        prob: float = 1.0,
        switch_prob: float = 0.5,
    ) -> None:
        for alpha in (mixup_alpha, cutmix_alpha):
            if not alpha >= 0:
                raise ValueError("an alpha is negative")
        for share in (prob, switch_prob):
            if not 0 <= share <= 1:
                raise ValueError("a probability is outside [0, 1]")
        self.num_classes = num_classes
        self.mixup_alpha = mixup_alpha
        self.cutmix_alpha = cutmix_alpha
        self.prob = prob
        self.switch_prob = switch_prob

    def __call__(
        self, x: Tensor, y: Tensor, generator: torch.Generator | None = None
    ) -> tuple[Tensor, Tensor]:
        # One number of the generator seeds a private source, from which the rest follows.
        source = random.Random(int(torch.randint(1 << 62, (), generator=generator)))
        if self.mixup_alpha + self.cutmix_alpha == 0 or source.random() >= self.prob:
            return x.clone(), _targets(x, y, self.num_classes).clone()
        share = self.switch_prob
        if self.mixup_alpha == 0 or self.cutmix_alpha == 0:
            share = float(self.mixup_alpha == 0)
        order = list(range(x.size(0)))
        source.shuffle(order)
        perm = torch.tensor(order, dtype=torch.int64)
        if source.random() >= share:
            lam = source.betavariate(self.mixup_alpha, self.mixup_alpha)
            return mixup(x, y, lam, perm, num_classes=self.num_classes)
        lam = source.betavariate(self.cutmix_alpha, self.cutmix_alpha)
        *_, height, width = x.shape
        box = cutmix_box(height, width, lam, source.randrange(height), source.randrange(width))
        return cutmix(x, y, box, perm, num_classes=self.num_classes)
