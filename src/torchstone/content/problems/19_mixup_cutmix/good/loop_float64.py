"""Image by image in float64, and Beta by Jöhnk's method in log space."""

import math

import torch


def check_targets(x, y, num_classes):
    wanted = (len(x), num_classes) if y.is_floating_point() else (len(x),)
    if tuple(y.shape) != wanted:
        raise ValueError(f"targets of the shape {tuple(y.shape)}; wanted {wanted}")


def one_target(y, index, num_classes):
    if y.is_floating_point():
        return y[index].double()
    row = torch.zeros(num_classes, dtype=torch.float64)
    row[y[index]] = 1.0
    return row


def gather(rows, like, shape, dtype):
    if not rows:
        return like.new_zeros(shape, dtype=dtype)
    return torch.stack(rows).to(dtype)


def mix_targets(x, y, shares, partners, num_classes):
    check_targets(x, y, num_classes)
    rows = []
    for i, (share, j) in enumerate(zip(shares, partners, strict=True)):
        rows.append(
            share * one_target(y, i, num_classes) + (1 - share) * one_target(y, j, num_classes)
        )
    dtype = y.dtype if y.is_floating_point() else torch.float32
    return gather(rows, y, (len(x), num_classes), dtype)


def mixup(x, y, lam, perm, *, num_classes):
    if not x.is_floating_point():
        raise TypeError("floating images only")
    shares = [float(v) for v in lam] if torch.is_tensor(lam) else [float(lam)] * len(x)
    if any(share < 0 or share > 1 for share in shares):
        raise ValueError("lam")
    partners = perm.tolist()
    targets = mix_targets(x, y, shares, partners, num_classes)
    rows = [
        share * x[i].double() + (1 - share) * x[j].double()
        for i, (share, j) in enumerate(zip(shares, partners, strict=True))
    ]
    return gather(rows, x, x.shape, x.dtype), targets


def cutmix_box(height, width, lam, cy, cx):
    side = math.sqrt(1 - lam)
    half_height = int(0.5 * side * height)
    half_width = int(0.5 * side * width)
    top, left = cy - half_height, cx - half_width
    bottom, right = cy + half_height, cx + half_width
    if top < 0:
        top = 0
    if left < 0:
        left = 0
    if bottom > height:
        bottom = height
    if right > width:
        right = width
    return top, bottom, left, right


def cutmix(x, y, box, perm, *, num_classes):
    if x.ndim < 3:
        raise ValueError("no images")
    height, width = x.shape[-2:]
    top, bottom, left, right = box
    rows_fit = 0 <= top and top <= bottom and bottom <= height
    columns_fit = 0 <= left and left <= right and right <= width
    if not rows_fit or not columns_fit:
        raise ValueError("box")
    share = 1 - (bottom - top) * (right - left) / (height * width)
    partners = perm.tolist()
    targets = mix_targets(x, y, [share] * len(x), partners, num_classes)
    images = []
    for i, j in enumerate(partners):
        image = x[i].clone()
        image[..., top:bottom, left:right] = x[j][..., top:bottom, left:right]
        images.append(image)
    return gather(images, x, x.shape, x.dtype), targets


class MixupCutmix:
    def __init__(self, num_classes, mixup_alpha=0.8, cutmix_alpha=1.0, prob=1.0, switch_prob=0.5):
        if mixup_alpha < 0 or cutmix_alpha < 0:
            raise ValueError("alpha")
        if prob < 0 or prob > 1 or switch_prob < 0 or switch_prob > 1:
            raise ValueError("prob")
        self.num_classes = num_classes
        self.mixup_alpha = mixup_alpha
        self.cutmix_alpha = cutmix_alpha
        self.prob = prob
        self.switch_prob = switch_prob

    def __call__(self, x, y, generator=None):
        def uniform():
            return torch.rand((), dtype=torch.float64, generator=generator).item()

        def below(n):
            return min(int(uniform() * n), n - 1)

        def beta(alpha):
            # Jöhnk: u ** (1 / a) against v ** (1 / a), accepted while their sum is at most 1.
            while True:
                a = math.log(uniform() + 1e-300) / alpha
                b = math.log(uniform() + 1e-300) / alpha
                top = max(a, b)
                total = top + math.log(math.exp(a - top) + math.exp(b - top))
                if total <= 0:
                    return math.exp(a - total)

        chosen = self.choose(uniform)
        if chosen is None:
            own = torch.arange(len(x))
            targets = mix_targets(x, y, [1.0] * len(x), own.tolist(), self.num_classes)
            return x.clone(), targets
        perm = torch.rand(len(x), dtype=torch.float64, generator=generator).argsort()
        if chosen == "mixup":
            return mixup(x, y, beta(self.mixup_alpha), perm, num_classes=self.num_classes)
        height, width = x.shape[-2:]
        lam = beta(self.cutmix_alpha)
        box = cutmix_box(height, width, lam, below(height), below(width))
        return cutmix(x, y, box, perm, num_classes=self.num_classes)

    def choose(self, uniform):
        if uniform() >= self.prob:
            return None
        if self.mixup_alpha > 0 and self.cutmix_alpha > 0:
            return "cutmix" if uniform() < self.switch_prob else "mixup"
        if self.mixup_alpha > 0:
            return "mixup"
        return "cutmix" if self.cutmix_alpha > 0 else None
