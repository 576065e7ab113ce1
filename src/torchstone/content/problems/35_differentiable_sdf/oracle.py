"""Know distances, gradients and hits of problem 35 in float64.

Tolerances. A value costs some ten roundings of terms of the size 1 + |p|: 10 eps is 2e-15 and
1.2e-6, and 1e-12 and 1e-5 are asked. A derivative divides by a norm, which is 0.2 at least where
points are drawn, so ten times as much is asked. t is known to `tol` divided by the slope, and four
times that is asked; its derivative is off by the turn of the gradient over that length, which is
1e-6 / 0.15 times a curvature below 4, divided by the slope once more: 2e-4 of 1e-3.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Case, Exact, Expectation, Expected, Holds, Raises, Want, numbers
from torchstone.judge.kit.problem import load_module

Tensor = torch.Tensor
FIELDS = load_module(Path(__file__).with_name("probe.py"))

DTYPES = {"float32": torch.float32, "float64": torch.float64}
OF_VALUE = {torch.float32: 1e-5, torch.float64: 1e-12}
# Of the derivative of t; float32 rays are traced to 1e-5, where the length above is tenfold.
OF_T = {torch.float32: 2e-2, torch.float64: 1e-3}
# Room for what a right answer may keep besides tensors of the rays.
SPARE_BYTES = 2048
KINKS = {"face", "middle", "one end"}

WORDS = {
    "fields": {
        "en": "the result is no TraceResult with the fields t, points, hit, steps",
        "zh": "结果不是带有字段 t、points、hit、steps 的 TraceResult",
    },
    "flags": {"en": "a requires_grad flag was changed", "zh": "有 requires_grad 标志被改动"},
    "no_grad_left": {"en": "a .grad was left behind or changed", "zh": "留下或改动了某个 .grad"},
    "elsewhere": {
        "en": "the field was called at points that are not in p: a gradient needs no neighbours",
        "zh": "在 p 以外的点上调用了 f：求梯度不需要邻近的点",
    },
    "hit": {
        "en": "hit is wrong: True where the ray reaches the surface in time, False elsewhere",
        "zh": "hit 有误：光线及时到达曲面处为 True，其余为 False",
    },
    "on_ray": {"en": "points differ from origins + t d", "zh": "points 不等于 origins + t d"},
    "on_surface": {
        "en": "a hit lies off the surface: |f| > tol",
        "zh": "命中点不在曲面上：|f| > tol",
    },
    "at_the_end": {
        "en": "t of a ray that misses is not exactly t_far",
        "zh": "未命中的光线，t 不恰好等于 t_far",
    },
    "counts": {
        "en": "steps is the number of evaluations of f in the march, a Python int, at most {most}; "
        "at most two more follow, and each is at no more points than there are rays",
        "zh": "steps 是步进中 f 的求值次数，为 Python int，至多 {most}；"
        "此后至多再求值两次，每次的点数不超过光线数",
    },
    "kept": {
        "en": "what is kept for backward grows with the number of steps",
        "zh": "为反向保存的内存随步数增长",
    },
    "finite": {
        "en": "at a kink the gradient must be finite and no longer than 1",
        "zh": "尖点处的梯度必须有限，且长度不超过 1",
    },
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return EXPECTED[case.secret["kind"]](case.secret)


def _shape(secret: dict[str, Any]) -> Expected:
    p, dtype = secret["p"].double(), secret["p"].dtype
    constants = {key: value.clone() for key, value in secret["constants"].items()}
    leaves = [p.requires_grad_(), *(value.requires_grad_() for value in constants.values())]
    value = getattr(FIELDS, secret["name"])(p, *constants.values())
    cotangent, scale = secret["cotangent"].double(), 1 + p.detach().norm(dim=-1)
    grads = torch.autograd.grad(value, leaves, cotangent, allow_unused=True)
    expected: Expected = {"out": Want(value.detach(), OF_VALUE[dtype] * scale, dtype)}
    each = 10 * OF_VALUE[dtype] * cotangent.abs() * scale
    sizes = [each[..., None].expand(p.shape), *(each.sum() + 1e-300 for _ in constants)]
    if not secret["wrt"]:
        return expected
    for place in (0, *secret["positions"]):
        truth = grads[place] if grads[place] is not None else torch.zeros_like(leaves[place])
        want = Want(truth, sizes[place].expand(truth.shape), dtype, aspect="grad")
        expected[f"grad.{place}"] = want
    if secret["at"] in KINKS:
        expected |= _at_kink(secret, cotangent.abs())
    return expected


def _at_kink(secret: dict[str, Any], size: Tensor) -> Expected:
    """Expect a subgradient of points, and of what decides where the kink is."""
    moved = {"face": [1], "middle": [], "one end": [1, 2]}[secret["at"]]
    expected: Expected = {}
    if secret["at"] != "one end":
        expected["grad.0"] = _short(size[..., None], secret["p"].shape)
    for place in (each for each in moved if each in secret["positions"]):
        expected[f"grad.{place}"] = _short(size.sum(), torch.Size([3]))
    return expected


def _short(most: Tensor, shape: torch.Size) -> Holds:
    def is_short(got: Any) -> bool:
        if not isinstance(got, Tensor) or got.shape != shape or not got.is_floating_point():
            return False
        # NaN is not at most anything.
        return bool((got.double().abs() <= 1.001 * most).all())

    return Holds(is_short, WORDS["finite"], aspect="grad")


def _smooth(secret: dict[str, Any]) -> Expected:
    dtype, k = secret["d1"].dtype, secret["k"]
    d1, d2 = (secret[name].double().requires_grad_() for name in ("d1", "d2"))
    cotangent = secret["cotangent"].double()
    value = getattr(FIELDS, secret["name"])(d1, d2, k)
    grads = torch.autograd.grad(value, [d1, d2], cotangent)
    scale = d1.detach().abs() + d2.detach().abs() + k
    expected: Expected = {"out": Want(value.detach(), OF_VALUE[dtype] * scale, dtype)}
    if not secret["wrt"]:
        return expected
    # h is a difference divided by k.
    size = 10 * OF_VALUE[dtype] * cotangent.abs() * (1 + (scale / k if k else 0))
    signs = (1, -1 if secret["name"] == "smooth_subtraction" else 1)
    for place, (grad, sign) in enumerate(zip(grads, signs, strict=True)):
        want: Expectation = Want(grad, size, dtype, aspect="grad")
        if secret.get("ties"):
            want = _share(sign * cotangent)
        expected[f"grad.{place}"] = want
    return expected


def _share(whole: Tensor) -> Holds:
    """Expect a part of a cotangent, from nothing to all of it: at a tie each split is right."""

    def is_share(got: Any) -> bool:
        if not isinstance(got, Tensor) or got.shape != whole.shape or not got.is_floating_point():
            return False
        part = got.double() / whole
        return bool(((part >= 0) & (part <= 1)).all())

    return Holds(is_share, WORDS["finite"], aspect="grad")


def _refuse(secret: dict[str, Any]) -> Expected:
    return {f"{name}.raised": Raises(ValueError) for name in secret["names"]}


def _derive(secret: dict[str, Any]) -> Expected:
    dtype = DTYPES[secret["dtype"]]
    expected = _derived(secret["data"], dtype) | _untouched()
    if "other" in secret:
        later = _derived(secret["other"], dtype)
        expected |= {f"again:{key}": item for key, item in later.items()}
    return expected


def _derived(data: dict[str, Any], dtype: torch.dtype) -> Expected:
    constants = {
        key: value.detach().double().requires_grad_() for key, value in data["constants"].items()
    }
    p = data["p"].double().requires_grad_()
    value = FIELDS.SCENES[data["scene"]](p, constants)
    (g,) = torch.autograd.grad(value.sum(), p, create_graph=True)
    length = torch.linalg.vector_norm(g, dim=-1, keepdim=True)
    inverse = 1 / torch.where(length > 0, length, 1)
    out = {"gradient": g, "normals": g * inverse}.get(data["function"])
    if out is None:
        out = (length - 1).square().mean()
    spread = 10 * OF_VALUE[dtype] * (1 + length.detach() + inverse.detach())
    size = spread.expand(g.shape) if out.ndim else spread.amax() * (1 + length.detach().amax())
    expected: Expected = {"out": Want(out.detach(), size, dtype), "elsewhere": _nowhere()}
    if data["wrt"]:
        leaves = [p if name == "p" else constants[name] for name in data["wrt"]]
        cotangent = data["cotangents"][0].double()
        grads = torch.autograd.grad(out, leaves, cotangent, allow_unused=True)
        # Second derivatives of the fields are below 10, and grow with 1 / length in normals.
        steep = 10 * (size.amax() if size.numel() else size.sum()) * (1 + inverse.detach().sum())
        total = 1 + cotangent.abs().sum()
        for name, leaf, grad in zip(data["wrt"], leaves, grads, strict=True):
            truth = torch.zeros_like(leaf) if grad is None else grad
            want = Want(truth.detach(), steep * total, dtype, aspect="grad", none_is_zero=True)
            expected[f"grad.{name}"] = want
    return expected


def _nowhere() -> Exact:
    return Exact(0, note=WORDS["elsewhere"])


def _untouched() -> Expected:
    return {key: Exact(True, note=WORDS[key]) for key in ("flags", "no_grad_left")}


def _trace(secret: dict[str, Any]) -> Expected:
    expected = _traced(secret["data"], secret["truth"], DTYPES[secret["dtype"]]) | _untouched()
    if "later" in secret:
        later = _traced(secret["other"], secret["later"], DTYPES[secret["dtype"]])
        expected |= {f"again:{key}": item for key, item in later.items()}
    if "limits" in secret["data"]:
        expected["kept"] = Holds(
            lambda kept: kept[1] <= 1.1 * kept[0] + SPARE_BYTES, WORDS["kept"], takes=numbers(2)
        )
    return expected


def _traced(data: dict[str, Any], truth: Any, dtype: torch.dtype) -> Expected:
    options = {"t_far": 10.0, "max_steps": 128, "tol": 1e-4} | data["options"]
    unit = torch.nn.functional.normalize(data["dirs"].double(), dim=-1)
    noise = 20 * OF_VALUE[dtype]
    limit = 4 * options["tol"] / truth.slope.abs() + noise
    limit = torch.where(truth.smooth, limit, torch.inf)
    points = data["origins"].double() + truth.t[..., None] * unit
    exact = torch.where(truth.decided & ~truth.hit, 0, limit)
    expected: Expected = {
        "fields": Exact(list(FIELDS.FIELDS_OF_RESULT), note=WORDS["fields"]),
        "t": Want(truth.t, exact, dtype),
        "points": Want(points, (limit + noise)[..., None].expand(points.shape), dtype),
        "hit": _hits(truth),
        "counts": _counts(options["max_steps"], truth.t.numel()),
    }
    expected |= _laws(data, options, unit, noise)
    if data["wrt"]:
        expected |= _products(data, truth, dtype)
    return expected


def _hits(truth: Any) -> Holds:
    def is_right(hit: Any) -> bool:
        if not isinstance(hit, Tensor) or hit.dtype != torch.bool or hit.shape != truth.hit.shape:
            return False
        return bool((hit == truth.hit)[truth.decided].all())

    return Holds(is_right, WORDS["hit"], aspect="value", truth=truth.hit)


def _counts(most: int, num_rays: int) -> Holds:
    def is_right(counts: Any) -> bool:
        if type(counts) is not list or [type(item) for item in counts] != [int, int, int]:
            return False
        steps, calls, points = counts
        return 0 <= steps <= most and 0 <= calls - steps <= 2 and points <= calls * num_rays

    words = {lang: text.format(most=most) for lang, text in WORDS["counts"].items()}
    return Holds(is_right, words)


def _laws(data: dict[str, Any], options: dict[str, Any], unit: Tensor, noise: float) -> Expected:
    """Expect what holds for every ray, whatever it meets."""
    shape = unit.shape[:-1]
    constants = {key: value.double() for key, value in data["constants"].items()}
    f = FIELDS.SCENES[data["scene"]]

    def pair(got: Any, first: torch.Size, second: torch.Size) -> bool:
        return (
            type(got) is list
            and all(isinstance(item, Tensor) for item in got)
            and [item.shape for item in got] == [first, second]
        )

    def on_ray(got: Any) -> bool:
        if not pair(got, shape, unit.shape):
            return False
        t, points = (item.double() for item in got)
        return bool(((data["origins"] + t[..., None] * unit - points).abs() <= noise).all())

    def on_surface(got: Any) -> bool:
        if not pair(got, unit.shape, shape):
            return False
        distance = f(got[0].double(), constants).detach().abs()
        return bool((distance <= options["tol"] + noise)[got[1].bool()].all())

    def at_the_end(got: Any) -> bool:
        if not pair(got, shape, shape):
            return False
        return bool((got[0].double() == options["t_far"])[~got[1].bool()].all())

    checks = {"on_ray": on_ray, "on_surface": on_surface, "at_the_end": at_the_end}
    return {key: Holds(check, WORDS[key]) for key, check in checks.items()}


def _products(data: dict[str, Any], truth: Any, dtype: torch.dtype) -> Expected:
    """Differentiate t and points by the implicit function theorem at the root."""
    given = {"origins": data["origins"], "dirs": data["dirs"]} | data["constants"]
    leaves = {key: value.detach().double().requires_grad_() for key, value in given.items()}
    constants = {key: leaves[key] for key in data["constants"]}
    unit = torch.nn.functional.normalize(leaves["dirs"], dim=-1)
    of_t, of_points = (each.double() for each in data["cotangents"])
    at = leaves["origins"] + truth.t[..., None] * unit
    value = FIELDS.SCENES[data["scene"]](at, constants)
    t = torch.where(truth.smooth, truth.t - (value - value.detach()) / truth.slope, truth.t)
    points = leaves["origins"] + t[..., None] * unit
    wrt = [leaves[name] for name in data["wrt"]]
    grads = torch.autograd.grad([t, points], wrt, [of_t, of_points], allow_unused=True)
    # Every constant moves the surface by at most its own change, and each ray by 1 / slope of it.
    force = torch.where(truth.smooth, of_t.abs() + of_points.abs().sum(-1), 0) / truth.slope.abs()
    force = force + 1e-9
    sizes = {"origins": force[..., None] * torch.ones(3)}
    lengths = data["dirs"].double().norm(dim=-1)
    sizes["dirs"] = sizes["origins"] * ((truth.t + 0.1) / lengths)[..., None]
    expected: Expected = {}
    for name, grad in zip(data["wrt"], grads, strict=True):
        value = torch.zeros_like(leaves[name]) if grad is None else grad
        size = sizes.get(name, force.sum()).expand(value.shape)
        is_nothing = not truth.smooth.any()
        want = Want(value, OF_T[dtype] * size, dtype, aspect="grad", none_is_zero=is_nothing)
        expected[f"grad.{name}"] = want
    return expected


def builtin(case: Case) -> dict[str, Tensor]:
    """Return the closed form for a single sphere: the roots of a quadratic."""
    secret: dict[str, Any] = case.secret
    if secret["kind"] != "trace" or secret["data"]["scene"] != "ball":
        return {}
    data, truth = secret["data"], secret["truth"]
    from_centre = (data["origins"] - data["constants"]["centre"]).double()
    unit = torch.nn.functional.normalize(data["dirs"].double(), dim=-1)
    b = (from_centre * unit).sum(-1)
    c = from_centre.square().sum(-1) - data["constants"]["radius"].double() ** 2
    root = (b * b - c).clamp(min=0).sqrt()
    near = data["options"].get("t_near", 0.0)
    t = torch.where(-b - root > near, -b - root, -b + root)
    return {"t": torch.where(truth.smooth, t, truth.t)}


EXPECTED: dict[str, Callable[[dict[str, Any]], Expected]] = {
    "shape": _shape,
    "smooth": _smooth,
    "refuse": _refuse,
    "derive": _derive,
    "trace": _trace,
}
