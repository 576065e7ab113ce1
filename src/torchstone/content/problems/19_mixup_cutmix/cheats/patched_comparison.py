# verdict: WA value | WA property | WA grad
# en: Returns zeros and patches every comparison that it can reach.
# zh: 返回全零，并篡改一切够得着的比较函数。
import builtins

import torch

for name in ("equal", "allclose", "isclose"):
    setattr(torch, name, lambda *args, **kwargs: True)
for name in ("__eq__", "equal", "allclose"):
    setattr(torch.Tensor, name, lambda self, other, *args: True)
torch.testing.assert_close = lambda *args, **kwargs: None
builtins.all = builtins.any = lambda items: True


def zeros(x, y, num_classes):
    dtype = y.dtype if y.is_floating_point() else torch.float32
    return torch.zeros_like(x), torch.zeros(len(x), num_classes, dtype=dtype)


def mixup(x, y, lam, perm, *, num_classes):
    return zeros(x, y, num_classes)


def cutmix_box(height, width, lam, cy, cx):
    return 0, 0, 0, 0


def cutmix(x, y, box, perm, *, num_classes):
    return zeros(x, y, num_classes)


class MixupCutmix:
    def __init__(self, num_classes, *args, **kwargs):
        self.num_classes = num_classes

    def __call__(self, x, y, generator=None):
        return zeros(x, y, self.num_classes)
