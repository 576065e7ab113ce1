"""A NumPy Generator seeded from the torch generator; targets by index_add, pixels by index_put."""

import numpy as np
import torch
from torch import Tensor


class Mixture:
    """Partners and the weight that stays, applied to anything with a batch dimension."""

    def __init__(self, perm: Tensor, own) -> None:
        self.perm = perm
        self.own = own

    def of(self, a: Tensor) -> Tensor:
        dtype = torch.promote_types(a.dtype, torch.float32)
        own = self.own
        if torch.is_tensor(own):
            own = own.to(dtype)[(...,) + (None,) * (a.dim() - 1)]
        out = a.to(dtype) * own
        out = out + a.to(dtype).take_along_dim(self._index(a), 0) * (1 - own)
        return out.to(a.dtype)

    def _index(self, a: Tensor) -> Tensor:
        return self.perm.view(-1, *[1] * (a.dim() - 1)).expand(a.shape)


def probabilities(x: Tensor, y: Tensor, num_classes: int) -> Tensor:
    if len(y) != len(x) or (y.is_floating_point() and y.size(-1) != num_classes):
        raise ValueError("targets do not fit")
    if y.is_floating_point():
        return y
    soft = torch.zeros(len(y), num_classes)
    soft.index_put_((torch.arange(len(y)), y), torch.ones(()), accumulate=True)
    return soft


def mixup(x, y, lam, perm, *, num_classes):
    if not x.is_floating_point():
        raise TypeError("not floating")
    if not np.all((0 <= np.asarray(lam)) & (np.asarray(lam) <= 1)):
        raise ValueError("lam")
    mixture = Mixture(perm, lam)
    return mixture.of(x), mixture.of(probabilities(x, y, num_classes))


def cutmix_box(height, width, lam, cy, cx):
    r = 0.5 * float(np.sqrt(1 - lam))
    hh, hw = int(r * height), int(r * width)
    rows, columns = np.clip([cy - hh, cy + hh], 0, height), np.clip([cx - hw, cx + hw], 0, width)
    return int(rows[0]), int(rows[1]), int(columns[0]), int(columns[1])


def cutmix(x, y, box, perm, *, num_classes):
    if x.dim() < 3:
        raise ValueError("dimensions")
    top, bottom, left, right = box
    height, width = x.size(-2), x.size(-1)
    if top not in range(bottom + 1) or left not in range(right + 1):
        raise ValueError("reversed or negative")
    if bottom > height or right > width:
        raise ValueError("too large")
    rows, columns = torch.arange(top, bottom), torch.arange(left, right)
    pasted = x.clone().index_put(
        (
            *[
                torch.arange(n).view(-1, *[1] * (x.dim() - k - 1))
                for k, n in enumerate(x.shape[:-2])
            ],
            rows[:, None],
            columns,
        ),
        x.index_select(0, perm)[..., top:bottom, left:right],
    )
    own = 1 - rows.numel() * columns.numel() / (height * width)
    return pasted, Mixture(perm, own).of(probabilities(x, y, num_classes))


class MixupCutmix:
    def __init__(self, num_classes, mixup_alpha=0.8, cutmix_alpha=1.0, prob=1.0, switch_prob=0.5):
        if mixup_alpha < 0 or cutmix_alpha < 0:
            raise ValueError("alphas")
        if not (0 <= prob <= 1 and 0 <= switch_prob <= 1):
            raise ValueError("probabilities")
        self.settings = num_classes, mixup_alpha, cutmix_alpha, prob, switch_prob

    def __call__(self, x, y, generator=None):
        num_classes, mixup_alpha, cutmix_alpha, prob, switch_prob = self.settings
        rng = np.random.default_rng(int(torch.randint(1 << 60, (), generator=generator)))
        applied = rng.random() < prob and (mixup_alpha or cutmix_alpha)
        if not applied:
            return x.clone(), probabilities(x, y, num_classes).clone()
        pastes = rng.random() < switch_prob if mixup_alpha and cutmix_alpha else not mixup_alpha
        alpha = cutmix_alpha if pastes else mixup_alpha
        lam = rng.beta(alpha, alpha)
        perm = torch.from_numpy(rng.permutation(len(x)))
        if not pastes:
            return mixup(x, y, lam, perm, num_classes=num_classes)
        height, width = x.shape[-2:]
        box = cutmix_box(height, width, lam, int(rng.integers(height)), int(rng.integers(width)))
        return cutmix(x, y, box, perm, num_classes=num_classes)
