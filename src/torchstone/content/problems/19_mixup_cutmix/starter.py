import torch
from torch import Tensor


def mixup(
    x: Tensor, y: Tensor, lam: float | Tensor, perm: Tensor, *, num_classes: int
) -> tuple[Tensor, Tensor]:
    """Return ``lam * x + (1 - lam) * x[perm]``, and the soft targets mixed in the same way.

    Shapes:
        x: (B, ...). y: int64 (B,) or floating (B, num_classes). lam: a number or (B,). perm: (B,).

    Raises:
        TypeError: ``x`` is not floating.
        ValueError: ``lam`` is outside [0, 1], or ``y`` does not fit.
    """
    raise NotImplementedError


def cutmix_box(height: int, width: int, lam: float, cy: int, cx: int) -> tuple[int, int, int, int]:
    """Return top, bottom, left, right of the box around (cy, cx), clipped to the image."""
    raise NotImplementedError


def cutmix(
    x: Tensor, y: Tensor, box: tuple[int, int, int, int], perm: Tensor, *, num_classes: int
) -> tuple[Tensor, Tensor]:
    """Return ``x`` with the box of ``x[perm]`` pasted into it, and soft targets by area.

    Shapes:
        x: (B, ..., H, W). y: int64 (B,) or floating (B, num_classes). perm: (B,).

    Raises:
        ValueError: ``x`` has fewer than 3 dimensions, or the box or ``y`` does not fit.
    """
    raise NotImplementedError


class MixupCutmix:
    """Apply Mixup, CutMix or nothing to a batch; every draw comes from the generator."""

    def __init__(
        self,
        num_classes: int,
        mixup_alpha: float = 0.8,
        cutmix_alpha: float = 1.0,
        prob: float = 1.0,
        switch_prob: float = 0.5,
    ) -> None:
        raise NotImplementedError

    def __call__(
        self, x: Tensor, y: Tensor, generator: torch.Generator | None = None
    ) -> tuple[Tensor, Tensor]:
        raise NotImplementedError
