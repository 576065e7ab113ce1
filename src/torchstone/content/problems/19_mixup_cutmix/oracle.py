"""Know the truth of problem 19: mixtures in float64, exact boxes, and the laws of the draws.

Legend: N batches, B images, K = B classes, H rows, W columns.
"""

from __future__ import annotations

import math
from collections import Counter
from functools import lru_cache
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expected, Holds, Raises, Want

Tensor = torch.Tensor

# Of twice the larger of |x| and |x[perm]|. In float32 that is ten units of rounding of the larger:
# an honest blend needs three, the form x[perm] + lam (x - x[perm]) up to five.
TOLERANCE = {
    torch.float64: 1e-15,
    torch.float32: 3e-7,
    torch.float16: 1.5e-3,
    torch.bfloat16: 1.2e-2,
}
# A gradient is the sum of two such terms, or of as many as a label has in its row.
VJP = {dtype: limit * 10 / 3 for dtype, limit in TOLERANCE.items()}
# What the weights in a batch of float32 may differ by.
SAME = 1e-6
SIGMAS = 6.0
# The distance of Kolmogorov and Smirnov exceeds 3 / sqrt(n) once in thirty million right answers.
DISTANCE = 3.0


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return TRUTHS[case.secret["op"]](case.secret)


def builtin(case: Case) -> dict[str, Tensor]:
    """Blend with ``torch.lerp``, which starts from the other end."""
    secret = case.secret
    if secret["op"] != "mixup":
        return {}
    x, y, perm = secret["x"].double(), secret["y"], secret["perm"]
    soft = y.double()
    if not y.is_floating_point():
        soft = torch.nn.functional.one_hot(y, secret["params"]["classes"]).double()
    weight = torch.as_tensor(secret["how"], dtype=torch.float64).expand(len(x))
    return {
        f"out.{k}": torch.lerp(a[perm], a, weight.reshape(-1, *[1] * (a.ndim - 1)))
        for k, a in enumerate((x, soft))
    }


# The two functions that mix


def _mixup(secret: dict[str, Any]) -> Expected:
    x, perm = secret["x"], secret["perm"]
    lam = torch.as_tensor(secret["how"], dtype=torch.float64).expand(len(x))
    own = lam.reshape(-1, *[1] * (x.ndim - 1)).expand(x.shape)
    return _images(secret, own, _limit(x, perm, x.dtype)) | _targets(secret, lam)


def _cutmix(secret: dict[str, Any]) -> Expected:
    x = secret["x"]
    top, bottom, left, right = secret["how"]
    height, width = x.shape[-2:]
    own = torch.ones(x.shape, dtype=torch.float64)
    own[..., top:bottom, left:right] = 0.0
    area = (bottom - top) * (right - left)
    lam = torch.full((len(x),), 1 - area / (height * width), dtype=torch.float64)
    return _images(secret, own, 0.0) | _targets(secret, lam)


def _images(secret: dict[str, Any], own: Tensor, limit: Tensor | float) -> Expected:
    """Want images of which ``own`` is the share of each pixel that stays."""
    x, perm = secret["x"], secret["perm"]
    wide = x.double()
    value = own * wide + (1 - own) * wide[perm]
    if not x.is_floating_point():
        value = torch.where(own == 1, x, x[perm])
    expected: Expected = {"out.len": Exact(2), "out.0": Want(value, limit, x.dtype)}
    if 0 in secret["wrt"]:
        g = secret["cotangents"][0].double()
        expected["grad.0"] = _gradient(g, own, perm, x.dtype)
    return expected


def _targets(secret: dict[str, Any], lam: Tensor) -> Expected:
    y, perm, num_classes = secret["y"], secret["perm"], secret["params"]["classes"]
    own = lam[:, None].expand(len(y), num_classes)
    if y.is_floating_point():
        soft, dtype = y.double(), y.dtype
    else:
        dtype = torch.float32
        soft = (y[:, None] == torch.arange(num_classes)).double()
    value = own * soft + (1 - own) * soft[perm]
    expected: Expected = {"out.1": Want(value, _limit(soft, perm, dtype), dtype)}
    if 1 in secret["wrt"]:
        g = secret["cotangents"][1].double()
        expected["grad.1"] = _gradient(g, own, perm, y.dtype)
    return expected


def _gradient(g: Tensor, own: Tensor, perm: Tensor, dtype: torch.dtype) -> Want:
    """Want what comes back to an image from itself, and from the image it is the partner of."""
    there = (1 - own) * g
    value, size = own * g, own * g.abs()
    value = value.index_add(0, perm, there)
    size = size.index_add(0, perm, there.abs())
    limit = VJP[dtype] * size + _half_of_the_smallest(dtype)
    # An empty result may come without a graph.
    return Want(value, limit, dtype, aspect="grad", none_is_zero=value.numel() == 0)


def _limit(a: Tensor, perm: Tensor, dtype: torch.dtype) -> Tensor:
    size = a.double().abs()
    scale = 2 * torch.maximum(size, size[perm])
    return TOLERANCE[dtype] * scale + _half_of_the_smallest(dtype)


def _half_of_the_smallest(dtype: torch.dtype) -> float:
    """Return what one rounding costs among the smallest numbers of a half dtype."""
    if dtype not in (torch.float16, torch.bfloat16):
        return 0.0
    info = torch.finfo(dtype)
    return 0.505 * info.smallest_normal * info.eps


# Boxes and errors


def _boxes(secret: dict[str, Any]) -> Expected:
    return {name: Exact(_box(*given), aspect="value") for name, given in secret["given"].items()}


def _box(height: int, width: int, lam: float, cy: int, cx: int) -> list[int]:
    """Cut [centre - half, centre + half) off at the borders, for both directions."""
    edges = []
    for size, centre in ((height, cy), (width, cx)):
        half = math.floor(size * math.sqrt(1 - lam) / 2)
        edges += [max(0, centre - half), min(size, centre + half)]
    return edges


def _errors(secret: dict[str, Any]) -> Expected:
    return {
        f"{name}.raised": Raises(TypeError if name.startswith("TypeError") else ValueError)
        for name in secret["names"]
    }


# One batch each, of wrappers that cannot mix


def _single(secret: dict[str, Any]) -> Expected:
    expected: Expected = {}
    for name, each in secret["calls"].items():
        x, y, num_classes = each["x"], each["y"], each["init"][0]
        soft = y if y.is_floating_point() else (y[:, None] == torch.arange(num_classes)).float()
        # An image alone is its own partner: blending it with itself rounds.
        rounds = "blended" in name
        for position, item in enumerate((x, soft)):
            value = item.double() if item.is_floating_point() else item
            exact = not rounds and ("pasted" not in name or position == 0)
            limit = 0.0 if exact else _limit(item, torch.arange(len(x)), item.dtype)
            expected[f"{name}.{position}"] = Want(value, limit, item.dtype)
    return expected


FACTS: dict[str, tuple[bool, str, str]] = {
    "same state": (
        True,
        "the same wrapper must give the same results for generators in the same state",
        "生成器状态相同，同一个包装器必须给出相同的结果",
    ),
    "another object": (
        True,
        "two equal wrappers must give the same results for generators in the same state",
        "生成器状态相同，两个参数相同的包装器必须给出相同的结果",
    ),
    "another seed": (
        False,
        "a generator with another seed must give other results",
        "生成器的种子不同，结果应当不同",
    ),
    "moved on": (
        False,
        "a generator that has drawn a number before must give other results",
        "已经抽过数的生成器应给出不同的结果",
    ),
    "advances": (
        True,
        "a call must advance the generator, or the next batch is mixed in the same way",
        "调用必须推进生成器，否则下一个 batch 会以同样的方式混合",
    ),
    "default advances": (
        True,
        "without a generator a call must advance the default one of torch",
        "不传生成器时，调用必须推进 torch 的默认生成器",
    ),
    "default again": (
        True,
        "without a generator torch.manual_seed must make the results repeat",
        "不传生成器时，torch.manual_seed 应能让结果重现",
    ),
    "default elsewhere": (
        False,
        "without a generator another torch.manual_seed must give other results",
        "不传生成器时，torch.manual_seed 的种子不同，结果应当不同",
    ),
    "torch untouched": (
        True,
        "torch's default generator must not move when a generator is given",
        "传入生成器时，不得动用 torch 的默认生成器",
    ),
    "random untouched": (
        True,
        "the global state of random must not change",
        "不得改变 random 的全局状态",
    ),
    "numpy untouched": (
        True,
        "the global state of numpy.random must not change",
        "不得改变 numpy.random 的全局状态",
    ),
}


def _facts(*names: str) -> Expected:
    return {
        name: Exact(FACTS[name][0], note={"en": FACTS[name][1], "zh": FACTS[name][2]})
        for name in names
    }


# Many batches: what they say about the draws


def _batches(secret: dict[str, Any]) -> Expected:
    num_images = secret["shape"][0]
    study = Study(secret)
    forms = {
        "images as": f"torch.float32 {tuple(secret['shape'])}",
        "targets as": f"torch.float32 {(num_images, num_images)}",
    }
    return (
        {name: Exact([form], aspect="shape") for name, form in forms.items()}
        | {"batches": Holds(study.read, _words("batches"))}
        | {name: Holds(getattr(study, name), _words(name)) for name in WORDS if name != "batches"}
        | _facts("torch untouched", "random untouched", "numpy untouched")
    )


WORDS = {
    "batches": (
        "images and targets of a batch must show the same partners and the same weight: "
        "one permutation, and one lam or one box with its area",
        "同一 batch 的图像与标签，搭档和权重必须一致：一个排列，一个 lam 或一个框（权重取其面积）",
    ),
    "shares": (
        "the shares of unchanged, blended and pasted batches must follow prob, switch_prob "
        "and the alphas",
        "未混合、Mixup、CutMix 三种 batch 的比例必须符合 prob、switch_prob 和两个 alpha",
    ),
    "partners": (
        "every permutation of the batch must be equally frequent",
        "batch 的每个排列出现的频率都应相同",
    ),
    "lam": (
        "lam of the blended batches must follow Beta(mixup_alpha, mixup_alpha)",
        "Mixup 的 lam 必须服从 Beta(mixup_alpha, mixup_alpha)",
    ),
    "boxes": (
        "the boxes must come from lam ~ Beta(cutmix_alpha, cutmix_alpha) and a centre that is "
        "uniform over all pixels",
        "框应由 lam ~ Beta(cutmix_alpha, cutmix_alpha) 和在所有像素上均匀分布的中心得到",
    ),
}


def _words(name: str) -> dict[str, str]:
    return dict(zip(("en", "zh"), WORDS[name], strict=True))


class Study:
    """Recover partners, lam, kind and box of every batch, and compare them with their laws.

    What `read` finds is judged by the other predicates, which see no batches of their own.
    """

    def __init__(self, secret: dict[str, Any]) -> None:
        self.shape, self.count = secret["shape"], secret["count"]
        options = secret["options"]
        self.alphas = options.get("mixup_alpha", 0.8), options.get("cutmix_alpha", 1.0)
        mixes, pastes = (alpha > 0 for alpha in self.alphas)
        switched = options.get("switch_prob", 0.5) if mixes and pastes else float(pastes)
        prob = options.get("prob", 1.0)
        self.wanted = prob * (1 - switched), prob * switched
        self.num_orders = math.factorial(self.shape[0])
        self.found = False
        self.orders = self.blended = self.rows = self.columns = self.areas = torch.empty(0)
        self.num_batches = 0

    def read(self, batches: Any) -> bool:
        """Recover what was drawn; tell whether images and targets agree."""
        if not self._are_batches(batches):
            return False
        # One channel speaks for all of them once they are known to be equal.
        images, targets = batches[0].double(), batches[1].double()
        if not bool(images.isfinite().all() & targets.isfinite().all()):
            return False
        flat = images.reshape(*images.shape[:2], -1, *self._sizes())
        if not bool((flat == flat[:, :, :1]).all()):
            return False
        drawn = _partners_of(targets)
        if drawn is None:
            return False
        partner, weight = drawn
        self.num_batches = len(images)
        return self._read_images(flat[:, :, 0], targets, partner, weight)

    def _are_batches(self, batches: Any) -> bool:
        if not (isinstance(batches, list) and len(batches) == 2):
            return False
        if not all(isinstance(each, Tensor) and each.is_floating_point() for each in batches):
            return False
        num_images = self.shape[0]
        wanted = [(self.count, *self.shape), (self.count, num_images, num_images)]
        return [tuple(each.shape) for each in batches] == wanted

    def _sizes(self) -> list[int]:
        return self.shape[-2:] if len(self.shape) > 2 else [1, self.shape[-1]]

    def _read_images(
        self, images: Tensor, targets: Tensor, partner: Tensor, weight: Tensor
    ) -> bool:
        numbers = torch.arange(1.0, images.shape[1] + 1, dtype=torch.float64)
        own, other = numbers.expand(partner.shape), partner + 1.0
        flat = images.flatten(2)
        is_constant = flat.amax(-1) == flat.amin(-1)
        blended = targets @ numbers
        pasted = ~is_constant.all(1)
        if bool(((flat[..., 0] - blended).abs() > SAME * numbers.sum())[~pasted].any()):
            return False
        moved = weight > SAME
        mask = (images == other[..., None, None]) & moved[..., None, None]
        exact = torch.where(mask, other[..., None, None], own[..., None, None]) == images
        if not bool(exact[pasted].all()):
            return False
        mixed = moved.any(1)
        self.orders = partner[mixed]
        self.blended = 1 - weight.amax(1)[mixed & ~pasted]
        self.found = self._read_boxes(mask[pasted], moved[pasted], weight[pasted])
        return self.found

    def _read_boxes(self, mask: Tensor, moved: Tensor, weight: Tensor) -> bool:
        """Read one rectangle from each batch: edges and area."""
        box = mask.any(1)
        rows, columns = box.any(2), box.any(1)
        if not bool((box == (rows[:, :, None] & columns[:, None, :])).all()):
            return False
        if not bool(((mask == box[:, None]) | ~moved[:, :, None, None]).all()):
            return False
        self.rows, self.columns = _edges(rows), _edges(columns)
        if self.rows.numel() and not bool(
            _is_run(rows, self.rows) & _is_run(columns, self.columns)
        ):
            return False
        self.areas = box.double().mean((1, 2))
        agree = (weight - self.areas[:, None]).abs() <= SAME
        return bool((agree | ~moved).all())

    # Each law is tested where the batches could be read at all.

    def shares(self, value: Any) -> bool:
        """Compare how many batches were blended and pasted with what the options say."""
        if not self.found:
            return True
        visible = 1 - 1 / self.num_orders
        alpha = self.alphas[0]
        blends = 1 - float(beta_cdf(torch.tensor([SAME]), alpha)) if alpha else 0.0
        pastes = 1 - boxes_of(*self._sizes(), self.alphas[1])[0] if self.alphas[1] else 0.0
        came = len(self.blended), len(self.areas)
        wanted = self.wanted[0] * blends * visible, self.wanted[1] * pastes * visible
        pairs = zip(came, wanted, strict=True)
        return all(_is_likely(count, self.num_batches, share) for count, share in pairs)

    def partners(self, value: Any) -> bool:
        """Compare the permutations, which must be equally frequent; nobody sees the identity."""
        if not self.found:
            return True
        base = self.shape[0]
        codes = self.orders @ (base ** torch.arange(base))
        counts = Counter(codes.tolist())
        share, total = 1 / (self.num_orders - 1), len(codes)
        return len(counts) <= self.num_orders - 1 and all(
            _is_likely(count, total, share)
            for count in (*counts.values(), *[0] * (self.num_orders - 1 - len(counts)))
        )

    def lam(self, value: Any) -> bool:
        """Compare lam of the blended batches with its law, where it can be told from 1."""
        if not self.found or not self.alphas[0]:
            return True
        drawn, alpha = self.blended, self.alphas[0]
        ends = beta_cdf(torch.tensor([SAME, 1 - SAME]), alpha)
        inside = drawn[(drawn > SAME) & (drawn < 1 - SAME)].sort().values
        law = (beta_cdf(inside, alpha) - ends[0]) / (ends[1] - ends[0])
        grid = torch.linspace(0, 1, len(inside) + 1, dtype=torch.float64)
        distance = torch.maximum(law - grid[:-1], grid[1:] - law).amax() if len(law) else 0.0
        spread = (inside * (1 - inside)).mean()
        mean, deviation = spread_of(alpha)
        slack = SIGMAS * deviation / math.sqrt(max(1, len(inside)))
        # Few seeds behind many batches repeat themselves.
        is_new = len(inside.unique()) >= 0.9 * len(inside)
        near = is_new and bool(abs(spread - mean) <= slack)
        return near and bool(distance < DISTANCE / math.sqrt(max(1, len(inside))))

    def boxes(self, value: Any) -> bool:
        """Compare the edges and the areas of the pasted boxes with their laws."""
        if not self.found or not self.alphas[1]:
            return True
        _, rows, columns, areas = boxes_of(*self._sizes(), self.alphas[1])
        total = len(self.areas)
        for edges, law in ((self.rows, rows), (self.columns, columns)):
            counts = Counter(map(tuple, edges.tolist()))
            if not set(counts) <= set(law):
                return False
            if not all(_is_likely(counts[edge], total, share) for edge, share in law.items()):
                return False
        sizes = torch.tensor(sorted(areas), dtype=torch.float64)
        law = torch.tensor([areas[size] for size in sorted(areas)], dtype=torch.float64).cumsum(0)
        came = (self.areas[:, None] <= sizes + SAME).double().mean(0)
        return bool((came - law).abs().amax() < DISTANCE / math.sqrt(max(1, total)))


def _partners_of(targets: Tensor) -> tuple[Tensor, Tensor] | None:
    """Return who is mixed into whom, and by which weight; None if targets are no such mixture."""
    num_images = targets.shape[1]
    everyone = torch.arange(num_images)
    others = targets.clone()
    others[:, everyone, everyone] = 0.0
    weight, partner = others.max(2)
    partner = torch.where(weight > SAME, partner, everyone)
    own = targets[:, everyone, everyone]
    is_mixture = ((own + weight - 1).abs() <= SAME) & (others.abs().sum(2) - weight <= SAME)
    is_order = partner.sort(1).values == everyone
    most = weight.amax(1, keepdim=True)
    one_weight = (weight <= SAME) | ((weight - most).abs() <= SAME)
    right = bool((is_mixture & is_order & one_weight & (own >= -SAME)).all())
    return (partner, weight) if right else None


def _edges(inside: Tensor) -> Tensor:
    """Return the first place of each row, and one behind the last."""
    places = torch.arange(inside.shape[1])
    first = torch.where(inside, places, inside.shape[1]).amin(1)
    last = torch.where(inside, places, -1).amax(1)
    return torch.stack([first, last + 1], 1)


def _is_run(inside: Tensor, edges: Tensor) -> Tensor:
    return (inside.sum(1) == edges[:, 1] - edges[:, 0]).all()


def _is_likely(count: int, total: int, share: float) -> bool:
    """Tell whether a count is within six standard deviations, and three more for small counts."""
    return abs(count - total * share) <= SIGMAS * math.sqrt(total * share * (1 - share)) + 3


# The laws


@lru_cache
def _half_of_beta(alpha: float) -> tuple[Tensor, Tensor]:
    """Tabulate the integral of the density over x ** alpha up to x = 1/2: there it is smooth."""
    u = torch.linspace(0, 0.5**alpha, 4001, dtype=torch.float64)
    height = (1 - u ** (1 / alpha)) ** (alpha - 1)
    steps = torch.cumulative_trapezoid(height, u)
    area = torch.cat([torch.zeros(1, dtype=torch.float64), steps])
    return u, 0.5 * area / area[-1]


def beta_cdf(x: Tensor, alpha: float) -> Tensor:
    """Return the probability that a Beta(alpha, alpha) variable is at most x."""
    x = x.double()
    u, area = _half_of_beta(alpha)
    low = torch.minimum(x, 1 - x).clamp(min=0) ** alpha
    place = (low / u[-1] * (len(u) - 1)).clamp(max=len(u) - 1.000001)
    index = place.long()
    below = area[index] + (place - index) * (area[index + 1] - area[index])
    return torch.where(x <= 0.5, below, 1 - below)


@lru_cache
def spread_of(alpha: float) -> tuple[float, float]:
    """Return mean and deviation of lam (1 - lam), where lam is neither 0 nor 1 to six digits."""
    u, area = _half_of_beta(alpha)
    x = u ** (1 / alpha)
    kept = x[1:] > SAME
    weights, middle = area.diff()[kept], ((u[1:] + u[:-1]) / 2)[kept] ** (1 / alpha)
    value = middle * (1 - middle)
    mean = (weights * value).sum() / weights.sum()
    variance = (weights * (value - mean) ** 2).sum() / weights.sum()
    return float(mean), float(variance.sqrt())


@lru_cache
def boxes_of(height: int, width: int, alpha: float) -> tuple[float, Any, Any, Any]:
    """Return the laws of a box: how often it is empty; if it is not, its edges and its area."""
    # Half a side grows by one where sqrt(1 - lam) passes 2 k / side.
    steps = {2 * k / side for side in (height, width) for k in range(1, side // 2 + 1)}
    ends = sorted({0.0, *steps, 1.0})
    shares = beta_cdf(torch.tensor(ends, dtype=torch.float64) ** 2, alpha).diff().tolist()
    empty = 0.0
    rows: Counter[Any] = Counter()
    columns: Counter[Any] = Counter()
    areas: Counter[Any] = Counter()
    for low, high, share in zip(ends, ends[1:], shares, strict=False):
        middle = (low + high) / 4
        halves = int(middle * height), int(middle * width)
        if not all(halves):
            empty += share
            continue
        tall, wide = (
            Counter((max(0, at - half), min(size, at + half)) for at in range(size))
            for size, half in zip((height, width), halves, strict=True)
        )
        for edge, count in tall.items():
            rows[edge] += share * count / height
        for edge, count in wide.items():
            columns[edge] += share * count / width
        for (top, bottom), down in tall.items():
            for (left, right), along in wide.items():
                area = (bottom - top) * (right - left) / (height * width)
                areas[area] += share * down * along / (height * width)
    full = 1 - empty
    laws = ({key: share / full for key, share in law.items()} for law in (rows, columns, areas))
    return empty, *laws


TRUTHS = {
    "mixup": _mixup,
    "cutmix": _cutmix,
    "boxes": _boxes,
    "errors": _errors,
    "single": _single,
    "repeats": lambda secret: _facts(*FACTS),
    "batches": _batches,
}
