"""Know what rays of problem 37 see, in float64, and how far from it rounding may lead.

Tolerances. A weight is a product of exp and expm1 of sums of optical depths: where their sum is 20
the exponential is off by 20 eps and a few more, 3e-6 of itself in float32 and 5e-15 in float64;
2e-5 and 1e-12 are asked. A loop over the samples, or a product, rounds twice at each, half an eps
every time: their number times eps is added. Behind e^-20 the transmittance is below 1e-8, so 1 % of
the tolerance times the largest value of the ray is the rest. Everything is relative to the same
ray: thin media keep their digits. A gradient of sigma is a difference of a term and a sum over all
that lies behind; it gets 40 times as much of the ray's largest entry. The derivative of expm1,
which is result + 1, is absolutely accurate only: hence 160 eps times the cotangents and the lengths
(sigma), or the densities (t).

A march computes its samples by itself. `render.march` says how far these may be off, and what that
changes; without it, two neighbours whose distance is a thousandth would leave three digits.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import EPS, Case, Exact, Expected, Raises, Want
from torchstone.judge.kit.problem import load_module

Tensor = torch.Tensor
FOLDER = Path(__file__).parent
MARCHES = load_module(FOLDER / "marches.py")
RENDER, PROBE = MARCHES.RENDER, MARCHES.PROBE

TOLERANCE = {torch.float32: 2e-5, torch.float64: 1e-12}
REST = 0.01
ARGUMENTS = ("sigma", "rgb", "t", "far", "background")
OF_GRADIENT, OF_EPS = 40.0, 160.0
# The change of a gradient where all optical depths of a ray change by so much of themselves: each
# derivative of a product of exponentials is such a product again, times a difference of two.
OF_STRAIN = 10.0
ROUNDINGS = 8

WORDS = {
    "fields": {
        "en": "the result is no RenderResult with the fields color, depth, opacity, weights, "
        "transmittance, t",
        "zh": "结果不是带有字段 color、depth、opacity、weights、transmittance、t 的 RenderResult",
    },
    "calls": {
        "en": "field must be called exactly once without num_fine, and exactly twice with it",
        "zh": "没有 num_fine 时 field 恰好调用一次，有 num_fine 时恰好两次",
    },
    "t_has_graph": {
        "en": "t of the result requires a gradient: none flows through the placement of samples",
        "zh": "结果的 t 需要梯度：采样位置不参与求导",
    },
    "flags": {"en": "a requires_grad flag was changed", "zh": "有 requires_grad 标志被改动"},
    "no_grad_left": {"en": "a .grad was left behind", "zh": "留下了某个 .grad"},
}


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    return EXPECTED[case.secret["kind"]](case.secret)


def _errors(secret: dict[str, Any]) -> Expected:
    return {f"{name}.raised": Raises(ValueError) for name in secret["names"]}


def _edges(secret: dict[str, Any]) -> Expected:
    near, far, dtype = secret["near"].double(), secret["far"].double(), secret["near"].dtype
    edges, _ = RENDER.place(near, far, secret["samples"], None)
    return {"out": _value(edges, dtype)}


def _strata(secret: dict[str, Any]) -> Expected:
    near, far, dtype = secret["near"].double(), secret["far"].double(), secret["near"].dtype
    u = None if secret["u"] is None else secret["u"].double()
    _, t = RENDER.place(near, far, secret["samples"], u)
    return {"out": _value(t, dtype)}


def _importance(secret: dict[str, Any]) -> Expected:
    edges, weights, u = (secret[name].double() for name in ("edges", "weights", "u"))
    dtype, eps = secret["edges"].dtype, secret["eps"]
    # A sum of masses is off by a rounding for each bin; sums of dyadic masses are exact.
    num_bins = weights.shape[1]
    off = 0.0 if secret["exact"] else 2 * (num_bins + ROUNDINGS) * EPS[dtype]
    value, change = RENDER.invert_between(edges, weights, u, eps, torch.tensor(off))
    expected: Expected = {"out": _value(value, dtype, slack=change)}
    for place in secret["wrt"]:
        nothing = torch.zeros_like((edges, weights, u)[place])
        expected[f"grad.{place}"] = Want(nothing, 0.0, dtype, aspect="grad", none_is_zero=True)
    return expected


def _composite(secret: dict[str, Any]) -> Expected:
    dtype = secret["inputs"]["sigma"].dtype
    wide = {name: each.double() for name, each in secret["inputs"].items()}
    if secret["wrt"]:
        found, gradients = _differentiated(wide, secret["cotangents"], dtype)
    else:
        found, gradients = RENDER.composite(*map(wide.get, ARGUMENTS)), {}
    expected: Expected = {"out.len": Exact(len(PROBE.FIELDS_OF_RESULT))}
    of_samples = wide["t"].shape[1] * EPS[dtype]
    for place, name in enumerate(PROBE.FIELDS_OF_RESULT):
        compared = secret["opaque"] if name == "depth" else None
        value = getattr(found, name)
        expected[f"out.{place}"] = _value(value, dtype, compared, of_samples * value.abs())
    names = ("sigma", "rgb", "t")
    return expected | {f"grad.{place}": gradients[names[place]] for place in secret["wrt"]}


def _value(
    value: Tensor, dtype: torch.dtype, compared: Tensor | None = None, slack: Any = 0.0
) -> Want:
    """Expect a value within its tolerance; where it is not compared, any finite number."""
    largest = value.abs()
    if value.ndim > 1 and value.numel():
        largest = largest.amax(-1, keepdim=True)
    limit = TOLERANCE[dtype] * (value.abs() + REST * largest) + slack
    if compared is not None:
        limit = torch.where(compared, limit, torch.inf)
    return Want(value.detach(), limit.detach(), dtype)


def _differentiated(
    wide: dict[str, Tensor], cotangents: dict[str, Tensor], dtype: torch.dtype
) -> tuple[Any, dict[str, Want]]:
    """Composite in float64; return values, and what the gradients must be."""
    leaves = {name: wide[name].clone().requires_grad_() for name in ("sigma", "rgb", "t")}
    far, background = wide["far"], wide.get("background")
    found = RENDER.composite(*leaves.values(), far, background)
    asked = {name: g.double() for name, g in cotangents.items()}
    outputs = [getattr(found, name) for name in asked]
    grads = torch.autograd.grad(outputs, list(leaves.values()), list(asked.values()))
    t, sigma = wide["t"], wide["sigma"]
    ends = torch.cat([t[:, 1:], far.expand(len(t))[:, None]], -1)
    longest = (ends - t).amax(-1, keepdim=True)
    densest = sigma.amax(-1, keepdim=True) * longest.clamp(min=1)
    reach = _reach(asked, wide)[:, None]
    floors = {"sigma": reach * longest, "rgb": reach[..., None], "t": reach * densest}
    wants = {}
    for name, gradient in zip(leaves, grads, strict=True):
        per_ray = gradient.abs()
        dims = tuple(range(1, gradient.ndim))
        largest = per_ray.amax(dims, keepdim=True) if gradient.numel() else per_ray
        rounding = OF_EPS * EPS[dtype] * floors[name]
        limit = (OF_GRADIENT * TOLERANCE[dtype] * largest + rounding).expand(gradient.shape)
        wants[name] = Want(gradient, limit, dtype, aspect="grad", none_is_zero=True)
    return found, wants


def _reach(asked: dict[str, Tensor], wide: dict[str, Tensor]) -> Tensor:
    """Return the most that one unit of a weight of each ray adds to what is differentiated."""
    reach = torch.zeros(len(wide["t"]), dtype=torch.float64)
    of_color = asked["color"].abs().sum(-1)
    reach = reach + of_color * (
        1 + (wide["background"].abs().amax() if "background" in wide else 0)
    )
    reach = reach + asked["depth"].abs() * wide["far"].abs() + asked["opacity"].abs()
    for name in ("weights", "transmittance", "t"):
        if name in asked:
            reach = reach + asked[name].abs().amax(-1)
    return reach


def _large(secret: dict[str, Any]) -> Expected:
    chosen, inputs = secret["rows"], secret["inputs"]
    wide = {}
    for name, item in inputs.items():
        if isinstance(item, Tensor):
            wide[name] = item.double() if name == "background" else item[chosen].double()
        else:
            # A ray of a product is the product of the ray: it is rounded as it was sent.
            wide[name] = (item.left[chosen] * item.right).double()
    cotangents = {name: g[chosen] for name, g in secret["cotangents"].items()}
    dtype = torch.float32
    found, gradients = _differentiated(wide, cotangents, dtype)
    expected: Expected = {"fields": Exact(len(PROBE.FIELDS_OF_RESULT), note=WORDS["fields"])}
    of_samples = wide["t"].shape[1] * EPS[dtype]
    for name in PROBE.FIELDS_OF_RESULT:
        value = getattr(found, name)
        expected[f"1:{name}"] = _value(value, dtype, slack=of_samples * value.abs())
    return expected | {f"1:grad.{name}": want for name, want in gradients.items()}


def _march(secret: dict[str, Any]) -> Expected:
    expected = _marched(secret["data"], secret["truth"])
    expected |= {key: Exact(True, note=WORDS[key]) for key in ("flags", "no_grad_left")}
    if "later" in secret:
        later = _marched(secret["other"], secret["later"])
        expected |= {f"again:{key}": item for key, item in later.items()}
    return expected


def _marched(data: dict[str, Any], truth: Any) -> Expected:
    dtype, origins = data["origins"].dtype, data["origins"].double()
    eps = EPS[dtype]
    expected: Expected = {
        "fields": Exact(list(PROBE.FIELDS_OF_RESULT), note=WORDS["fields"]),
        "calls": Exact(len(truth.queries), note=WORDS["calls"]),
        "t_has_graph": Exact(False, note=WORDS["t_has_graph"]),
    }
    for place, (points, unit) in enumerate(truth.queries):
        far = origins.abs().amax(-1) + truth.result.t.amax(-1)
        off = truth.off[place] + 2 * ROUNDINGS * eps * far[:, None]
        expected[f"x.{place}"] = Want(points, off[..., None].expand(points.shape), dtype)
        expected[f"view_dirs.{place}"] = Want(unit, ROUNDINGS * eps, dtype)
    for name in PROBE.FIELDS_OF_RESULT:
        compared = data["is_depth_compared"] if name == "depth" else None
        value, slack = getattr(truth.result, name), getattr(truth.slack, name)
        expected[name] = _value(value, dtype, compared, slack)
    return expected | (_products(data, truth, dtype) if data["wrt"] else {})


def _products(data: dict[str, Any], truth: Any, dtype: torch.dtype) -> Expected:
    """Differentiate the last query with samples that stay where they are."""
    given = {"origins": data["origins"], "dirs": data["dirs"]} | data["constants"]
    leaves = {name: each.detach().double().requires_grad_() for name, each in given.items()}
    field = MARCHES.field_of(data, {name: leaves[name] for name in data["constants"]})
    unit = leaves["dirs"] / leaves["dirs"].norm(dim=-1, keepdim=True)
    t = truth.result.t
    points = leaves["origins"][:, None] + t[..., None] * unit[:, None]
    sigma, rgb = field(points, unit[:, None].expand(points.shape))
    wide = MARCHES.widened(data)
    far = torch.as_tensor(wide["far"], dtype=torch.float64)
    found = RENDER.composite(sigma, rgb, t, far, wide["background"])
    asked = {name: g.double() for name, g in data["cotangents"].items()}
    outputs = [getattr(found, name) for name in asked]
    wrt = [leaves[name] for name in data["wrt"]]
    grads = torch.autograd.grad(outputs, wrt, list(asked.values()), allow_unused=True)
    others = {"t": t, "far": far.expand(len(t))}
    if wide["background"] is not None:
        others["background"] = wide["background"]
    # Terms of one ray that may cancel in a gradient, and what rounding changes of each of them.
    reach = _reach(asked, others)
    change = reach * (OF_EPS * EPS[dtype] + OF_STRAIN * truth.strain)
    expected: Expected = {}
    for name, leaf, gradient in zip(data["wrt"], wrt, grads, strict=True):
        value = torch.zeros_like(leaf) if gradient is None else gradient
        is_of_ray = name in ("origins", "dirs")
        moved = change[:, None] if is_of_ray else change.sum()
        largest = (
            value.abs().amax(-1, keepdim=True) if value.ndim and value.numel() else value.abs()
        )
        largest = largest if is_of_ray or not value.numel() else largest.max()
        limit = (OF_GRADIENT * TOLERANCE[dtype] * largest + moved).expand(value.shape)
        want = Want(value.detach(), limit, dtype, aspect="grad", none_is_zero=gradient is None)
        expected[f"grad.{name}"] = want
    return expected


def builtin(case: Case) -> dict[str, Tensor]:
    """Return the closed form for a constant medium: what it absorbs from the first sample on."""
    secret: dict[str, Any] = case.secret
    if secret["kind"] != "composite":
        return {}
    wide = {name: each.double() for name, each in secret["inputs"].items()}
    sigma, t, far = wide["sigma"], wide["t"], wide["far"]
    if not sigma.numel() or bool((sigma != sigma[:, :1]).any()):
        return {}
    return {"out.2": -torch.special.expm1(-sigma[:, 0] * (far - t[:, 0]))}


EXPECTED: dict[str, Callable[[dict[str, Any]], Expected]] = {
    "errors": _errors,
    "edges": _edges,
    "strata": _strata,
    "importance": _importance,
    "composite": _composite,
    "large": _large,
    "march": _march,
}
