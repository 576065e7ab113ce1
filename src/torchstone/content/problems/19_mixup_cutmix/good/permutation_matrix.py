"""The difference form with a permutation matrix; a private generator seeded by the one given."""

import torch


def matrix_of(perm, dtype):
    return torch.eye(len(perm), dtype=dtype)[perm]


def towards_partner(a, amount, perm):
    """Return a + amount * (a[perm] - a), the partners by a product with a permutation matrix."""
    work = torch.float32 if a.dtype in (torch.float16, torch.bfloat16) else a.dtype
    flat = a.to(work).flatten(1) if a.ndim > 1 else a.to(work)[:, None]
    partner = matrix_of(perm, work) @ flat
    if isinstance(amount, torch.Tensor):
        amount = amount.to(work)[:, None]
    return (flat + amount * (partner - flat)).unflatten(0, (len(a),)).reshape(a.shape).to(a.dtype)


def as_probabilities(x, y, num_classes):
    count = x.shape[0]
    if y.is_floating_point():
        if y.shape != torch.Size([count, num_classes]):
            raise ValueError("soft targets")
        return y
    if y.shape != torch.Size([count]):
        raise ValueError("labels")
    return torch.eye(num_classes, dtype=torch.float32)[y]


def mixup(x, y, lam, perm, *, num_classes):
    if x.dtype not in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        raise TypeError("mixup of integers")
    low, high = (lam, lam)
    if isinstance(lam, torch.Tensor) and lam.numel():
        low, high = lam.min(), lam.max()
    elif isinstance(lam, torch.Tensor):
        low, high = 0, 1
    if low < 0 or high > 1:
        raise ValueError("lam")
    soft = as_probabilities(x, y, num_classes)
    return towards_partner(x, 1 - lam, perm), towards_partner(soft, 1 - lam, perm)


def cutmix_box(height, width, lam, cy, cx):
    r = 0.5 * (1 - lam) ** 0.5
    edges = torch.tensor([[cy, cy], [cx, cx]])
    edges += torch.tensor([[-1, 1]]) * torch.tensor([[int(r * height)], [int(r * width)]])
    edges = edges.clamp(min=0).minimum(torch.tensor([[height], [width]]))
    return tuple(edges.flatten().tolist())


def cutmix(x, y, box, perm, *, num_classes):
    if len(x.shape) < 3:
        raise ValueError("shape")
    top, bottom, left, right = box
    height, width = x.shape[-2:]
    if sorted([0, top, bottom, height]) != [0, top, bottom, height]:
        raise ValueError("rows")
    if sorted([0, left, right, width]) != [0, left, right, width]:
        raise ValueError("columns")
    inside = torch.zeros(height, width, dtype=torch.bool)
    inside[top:bottom, left:right] = True
    share = (bottom - top) * (right - left) / (height * width)
    pasted = x.masked_fill(inside, 0) + x[perm].masked_fill(~inside, 0)
    return pasted, towards_partner(as_probabilities(x, y, num_classes), share, perm)


class MixupCutmix:
    def __init__(self, num_classes, mixup_alpha=0.8, cutmix_alpha=1.0, prob=1.0, switch_prob=0.5):
        if mixup_alpha < 0 or cutmix_alpha < 0:
            raise ValueError("alpha")
        if abs(prob - 0.5) > 0.5 or abs(switch_prob - 0.5) > 0.5:
            raise ValueError("probability")
        self.num_classes = num_classes
        pastes = float(mixup_alpha == 0) if 0 in (mixup_alpha, cutmix_alpha) else switch_prob
        applies = 0.0 if mixup_alpha == cutmix_alpha == 0 else prob
        self.ends = 1 - applies, 1 - applies * pastes
        self.alphas = (None, mixup_alpha, cutmix_alpha)

    def __call__(self, x, y, generator=None):
        seed = torch.randint(2**63 - 1, (1,), generator=generator).item()
        private = torch.Generator().manual_seed(seed)
        place = torch.rand((), generator=private).item()
        kind = sum(place >= end for end in self.ends)
        if kind == 0:
            return x.clone(), as_probabilities(x, y, self.num_classes).clone()
        shape = torch.full((1, 2), float(self.alphas[kind]), dtype=torch.float64)
        lam = float(torch._sample_dirichlet(shape, generator=private)[0, 0])
        perm = torch.randperm(x.shape[0], generator=private)
        if kind == 1:
            return mixup(x, y, lam, perm, num_classes=self.num_classes)
        size = torch.tensor(x.shape[-2:])
        centre = (torch.rand(2, dtype=torch.float64, generator=private) * size).long().tolist()
        box = cutmix_box(*x.shape[-2:], lam, *centre)
        return cutmix(x, y, box, perm, num_classes=self.num_classes)
