"""torch.lerp for the blend, a mask and torch.where for the box, Beta as a ratio of gammas."""

import torch
from torch import Tensor


def widen(a: Tensor) -> Tensor:
    return a.float() if a.dtype in (torch.half, torch.bfloat16) else a


def distribution(x: Tensor, y: Tensor, num_classes: int) -> Tensor:
    if y.shape[0] != x.shape[0]:
        raise ValueError("one target for each image, please")
    if y.is_floating_point():
        if y.ndim != 2 or y.shape[1] != num_classes:
            raise ValueError("one probability for each class, please")
        return y
    return (y.unsqueeze(1) == torch.arange(num_classes, device=y.device)).to(torch.float32)


def mix(a: Tensor, weight: Tensor, perm: Tensor) -> Tensor:
    wide = widen(a)
    weight = weight.to(wide.dtype).view(-1, *(1,) * (a.ndim - 1))
    return torch.lerp(wide[perm], wide, weight).to(a.dtype)


def mixup(x, y, lam, perm, *, num_classes):
    if not torch.is_floating_point(x):
        raise TypeError("pixels of integers cannot be blended")
    weight = torch.as_tensor(lam, dtype=torch.float64)
    if not bool(((weight >= 0) & (weight <= 1)).all()):
        raise ValueError("a weight lies between 0 and 1")
    weight = weight.expand(x.shape[0])
    return mix(x, weight, perm), mix(distribution(x, y, num_classes), weight, perm)


def cutmix_box(height, width, lam, cy, cx):
    r = 0.5 * (1.0 - lam) ** 0.5
    hh, hw = int(r * height), int(r * width)
    return max(cy - hh, 0), min(cy + hh, height), max(cx - hw, 0), min(cx + hw, width)


def cutmix(x, y, box, perm, *, num_classes):
    if x.dim() < 3:
        raise ValueError("there are no rows and columns")
    top, bottom, left, right = box
    height, width = x.shape[-2], x.shape[-1]
    if min(top, left) < 0 or bottom > height or right > width or top > bottom or left > right:
        raise ValueError("no such box")
    row = torch.arange(height, device=x.device).unsqueeze(1)
    column = torch.arange(width, device=x.device)
    inside = (row >= top) & (row < bottom) & (column >= left) & (column < right)
    pasted = torch.where(inside, x[perm], x)
    share = torch.tensor(1.0 - inside.sum().item() / (height * width), dtype=torch.float64)
    soft = distribution(x, y, num_classes)
    return pasted, mix(soft, share.expand(x.shape[0]), perm)


class MixupCutmix:
    def __init__(self, num_classes, mixup_alpha=0.8, cutmix_alpha=1.0, prob=1.0, switch_prob=0.5):
        if min(mixup_alpha, cutmix_alpha) < 0:
            raise ValueError("alpha")
        if min(prob, switch_prob) < 0 or max(prob, switch_prob) > 1:
            raise ValueError("probability")
        self.num_classes, self.prob, self.switch_prob = num_classes, prob, switch_prob
        self.alphas = {"mixup": mixup_alpha, "cutmix": cutmix_alpha}

    def choose(self, generator):
        kinds = [kind for kind, alpha in self.alphas.items() if alpha > 0]
        if not kinds or not torch.rand((), generator=generator) < self.prob:
            return None
        if len(kinds) == 1:
            return kinds[0]
        return kinds[int(torch.rand((), generator=generator) < self.switch_prob)]

    def __call__(self, x, y, generator=None):
        kind = self.choose(generator)
        if kind is None:
            return x.clone(), distribution(x, y, self.num_classes).clone()
        gammas = torch._standard_gamma(
            torch.tensor([self.alphas[kind]] * 2, dtype=torch.double), generator=generator
        )
        lam = float(gammas[0] / gammas.sum())
        perm = torch.randperm(x.shape[0], generator=generator)
        if kind == "mixup":
            return mixup(x, y, lam, perm, num_classes=self.num_classes)
        height, width = x.shape[-2:]
        centre = int(torch.randint(height * width, (1,), generator=generator))
        box = cutmix_box(height, width, lam, *divmod(centre, width))
        return cutmix(x, y, box, perm, num_classes=self.num_classes)
