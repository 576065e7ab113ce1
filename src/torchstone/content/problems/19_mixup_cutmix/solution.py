"""Mixup and CutMix with given partners, and a wrapper that draws everything from one generator."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def mixup(
    x: Tensor, y: Tensor, lam: float | Tensor, perm: Tensor, *, num_classes: int
) -> tuple[Tensor, Tensor]:
    if not x.is_floating_point():
        raise TypeError(f"mixup needs floating images; got {x.dtype}.")
    outside = (lam < 0) | (lam > 1)
    if outside.any() if isinstance(lam, Tensor) else outside:
        raise ValueError("lam must lie between 0 and 1.")
    targets = soft_targets(x, y, num_classes)
    return blend(x, lam, perm), blend(targets, lam, perm)


def cutmix_box(height: int, width: int, lam: float, cy: int, cx: int) -> tuple[int, int, int, int]:
    # The area has the share 1 - lam of the image, so a side has its root; r is half of a side.
    r = 0.5 * math.sqrt(1 - lam)
    half_height, half_width = int(r * height), int(r * width)
    top, bottom = max(cy - half_height, 0), min(cy + half_height, height)
    left, right = max(cx - half_width, 0), min(cx + half_width, width)
    return top, bottom, left, right


def cutmix(
    x: Tensor, y: Tensor, box: tuple[int, int, int, int], perm: Tensor, *, num_classes: int
) -> tuple[Tensor, Tensor]:
    if x.ndim < 3:
        raise ValueError(f"cutmix needs images (B, ..., H, W); got the shape {tuple(x.shape)}.")
    height, width = x.shape[-2:]
    top, bottom, left, right = box
    if not (0 <= top <= bottom <= height and 0 <= left <= right <= width):
        raise ValueError(f"the box {box} does not fit into an image of {height} x {width}.")
    targets = soft_targets(x, y, num_classes)
    mixed = x.clone()
    mixed[..., top:bottom, left:right] = x[perm, ..., top:bottom, left:right]
    # The box may have been clipped: what counts is the area that was really pasted.
    lam = 1 - (bottom - top) * (right - left) / (height * width)
    return mixed, blend(targets, lam, perm)


class MixupCutmix:
    def __init__(
        self,
        num_classes: int,
        mixup_alpha: float = 0.8,
        cutmix_alpha: float = 1.0,
        prob: float = 1.0,
        switch_prob: float = 0.5,
    ) -> None:
        if mixup_alpha < 0 or cutmix_alpha < 0:
            raise ValueError("mixup_alpha and cutmix_alpha must not be negative.")
        if not (0 <= prob <= 1 and 0 <= switch_prob <= 1):
            raise ValueError("prob and switch_prob must lie between 0 and 1.")
        self.num_classes = num_classes
        self.mixup_alpha, self.cutmix_alpha = mixup_alpha, cutmix_alpha
        self.prob, self.switch_prob = prob, switch_prob

    def __call__(
        self, x: Tensor, y: Tensor, generator: torch.Generator | None = None
    ) -> tuple[Tensor, Tensor]:
        applied, switched = torch.rand(2, generator=generator).tolist()
        if applied >= self.prob or self.mixup_alpha == self.cutmix_alpha == 0:
            return x.clone(), soft_targets(x, y, self.num_classes).clone()
        pastes = self.mixup_alpha == 0 or (self.cutmix_alpha > 0 and switched < self.switch_prob)
        lam = draw_beta(self.cutmix_alpha if pastes else self.mixup_alpha, generator)
        perm = torch.randperm(len(x), generator=generator)
        if not pastes:
            return mixup(x, y, lam, perm, num_classes=self.num_classes)
        height, width = x.shape[-2:]
        cy = int(torch.randint(height, (), generator=generator))
        cx = int(torch.randint(width, (), generator=generator))
        box = cutmix_box(height, width, lam, cy, cx)
        return cutmix(x, y, box, perm, num_classes=self.num_classes)


def draw_beta(alpha: float, generator: torch.Generator | None) -> float:
    """Draw from Beta(alpha, alpha): the share of one of two gamma variables in their sum."""
    shape = torch.full((2,), alpha, dtype=torch.float64)
    first, second = torch._standard_gamma(shape, generator=generator).tolist()
    return first / (first + second)


def soft_targets(x: Tensor, y: Tensor, num_classes: int) -> Tensor:
    """Return a distribution over the classes for each image; labels become one-hot rows."""
    if len(y) != len(x):
        raise ValueError(f"there are {len(x)} images and {len(y)} targets.")
    if not y.is_floating_point():
        return F.one_hot(y, num_classes).float()
    if y.shape[1:] != (num_classes,):
        raise ValueError(f"soft targets have the shape {tuple(y.shape)}; wanted {num_classes=}.")
    return y


def blend(a: Tensor, lam: float | Tensor, perm: Tensor) -> Tensor:
    """Return lam * a + (1 - lam) * a[perm]; half precision is rounded once, at the end."""
    wide = a.float() if a.dtype in (torch.float16, torch.bfloat16) else a
    if isinstance(lam, Tensor):
        lam = lam.reshape(-1, *[1] * (a.ndim - 1))
    return (lam * wide + (1 - lam) * wide[perm]).to(a.dtype)
