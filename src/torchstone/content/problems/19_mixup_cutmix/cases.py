"""Draw batches, partners and boxes for problem 19.

Legend: B images, C channels, H rows, W columns, K classes.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, call, lay_out, refusals

Params = dict[str, Any]

# "small" is the first group with soft targets, with one lam per sample and with pasted pixels.
GROUPS = ("sample", "small", "edge", "layout", "dtype", "box", "random", "errors")

DEFAULTS: Params = {
    "dtype": "float32",
    "layout": "contiguous",
    "lam": 0.5,
    "targets": "labels",
    # The dtype of soft targets; None means that of the images.
    "soft": None,
    "values": "normal",
    "perm": "cycle",
    "classes": 5,
    "vjp": True,
}
# The dtype of the images, and another one of their soft targets.
SOFT = (("float32", "float64"), ("float64", "float32"), ("float16", "float32"))
NUM_TUPLES = 260
# A box whose half side is this near a whole number could be rounded to either.
CLEAR = 1e-4


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    return BUILDERS[params["op"]](params, draw)


def shrink(params: Params) -> list[Params]:
    """Return simpler parameters: fewer boxes at once."""
    if params["op"] == "boxes" and len(params["rows"]) > 1:
        half = len(params["rows"]) // 2
        return [params | {"rows": params["rows"][:half]}, params | {"rows": params["rows"][half:]}]
    return []


def _together(**parts: Params) -> Params:
    return {"op": "together", "parts": parts}


def _mixup(shape: list[int], lam: Any, **options: Any) -> Params:
    return DEFAULTS | {"op": "mixup", "shape": shape, "lam": lam} | options


def _cutmix(shape: list[int], box: list[int], **options: Any) -> Params:
    return DEFAULTS | {"op": "cutmix", "shape": shape, "box": box} | options


def _lam(draw: Draw) -> float:
    return float(draw.uniform([], 0.15, 0.85, torch.float64))


def _box(draw: Draw, height: int, width: int) -> list[int]:
    """Draw a box that touches no border and is neither empty nor half of the image."""
    top, left = draw.integer(1, height // 2), draw.integer(1, width // 2)
    return [top, draw.integer(top + 1, height - 1), left, draw.integer(left + 1, width - 1)]


def _sample(draw: Draw) -> list[Params]:
    # Square, centred alike in both directions and of full size: only clipping shows.
    size = draw.integer(5, 9)
    corner = [[size, size, 0.0, at, at] for at in (1, size - 2)]
    return [
        _mixup([3, 2, 3, 4], _lam(draw)),
        _mixup([4, 6], _lam(draw)),
        {"op": "boxes", "rows": corner},
    ]


def _small(draw: Draw) -> list[Params]:
    b, h, w = draw.integer(3, 5), draw.integer(4, 6), draw.integer(7, 9)
    soft: Params = {"targets": "soft"}
    return [
        _together(
            per_sample=_mixup([b, 2, h, b], "each", classes=b),
            soft=_mixup([b, 2, 3, w], _lam(draw), **soft),
            vector=_mixup([b], _lam(draw)),
        ),
        _together(
            per_sample_soft=_mixup([b, h, b], "each", classes=b, **soft),
            vector_per_sample=_mixup([b], "each", classes=b),
            again=_mixup([b, 3, 2], _lam(draw), again=True),
        ),
        _together(
            labels=_cutmix([b, 2, h, w], _box(draw, h, w)),
            soft=_cutmix([b, 1, w, h], _box(draw, w, h), **soft),
            square=_cutmix([b, h, h], _box(draw, h, h)),
        ),
        _cutmix([b, 2, w, h], _box(draw, w, h), again=True, **soft),
    ]


def _edge(draw: Draw) -> list[Params]:
    b, h, w = draw.integer(3, 4), draw.integer(4, 6), draw.integer(5, 8)
    return [
        _together(
            nothing=_mixup([0, 2, 3], _lam(draw)),
            nothing_each=_mixup([0, 2, 3], "each"),
            one=_mixup([1, 2, 3], _lam(draw), perm="any"),
            all_own=_mixup([b, 2, 3], 1.0),
            all_other=_mixup([b, 2, 3], 0.0),
            whole_number=_mixup([b, 2], 1, targets="soft"),
            ends=_mixup([b, 4], "ends"),
            no_pixels=_mixup([b, 0, 3], _lam(draw)),
            one_class=_mixup([b, 3], _lam(draw), classes=1),
            some_alone=_mixup([6, 3], "each", perm="any"),
        ),
        _together(
            nothing=_cutmix([0, 2, h, w], _box(draw, h, w)),
            one=_cutmix([1, 2, h, w], _box(draw, h, w), perm="any"),
            no_rows=_cutmix([b, 1, h, w], [2, 2, 1, w]),
            no_columns=_cutmix([b, 1, h, w], [0, h, w, w], targets="soft"),
            full=_cutmix([b, 1, h, w], [0, h, 0, w]),
            row=_cutmix([b, 1, h, w], [h - 1, h, 0, w], perm="any"),
            leading=_cutmix([b, 2, 1, 2, h, w], _box(draw, h, w)),
            one_pixel=_cutmix([b, 1, 1], [0, 1, 0, 1]),
        ),
    ]


def _layout(draw: Draw) -> list[Params]:
    b, h, w = draw.integer(3, 4), draw.integer(4, 6), draw.integer(5, 8)
    mixup = {
        layout: _mixup([b, 2, h, w], _lam(draw), layout=layout, targets="soft")
        for layout in ("transposed", "stepped", "offset", "expanded", "channels_last")
    }
    cutmix = {
        layout: _cutmix([b, 3, h, w], _box(draw, h, w), layout=layout)
        for layout in ("transposed", "stepped", "offset", "expanded", "channels_last")
    }
    return [_together(**mixup), _together(**cutmix)]


def _dtype(draw: Draw) -> list[Params]:
    b, h, w = draw.integer(3, 5), draw.integer(4, 6), draw.integer(5, 8)
    halves = ("float16", "bfloat16")
    wide: Params = {"dtype": "float64"}
    return [
        _together(
            float64=_mixup([b, 2, h], _lam(draw), **wide),
            soft64=_mixup([b, h, w], "each", targets="soft", **wide),
            **{name: _mixup([b, 3, w], _lam(draw), dtype=name, targets="soft") for name in halves},
            **{f"{name}_each": _mixup([b, h, w], "each", dtype=name) for name in halves},
        ),
        # The sum of two halves of the smallest number is that number, if it is rounded once. The
        # difference of two large ones is infinite in float16.
        _together(
            huge=_mixup([4, 4, w], _lam(draw), dtype="float16", values="huge", vjp=False),
            **{
                name: _mixup([6, 4, w], 0.5, dtype=name, values="tiny", vjp=False)
                for name in halves
            },
        ),
        # Soft targets keep their own dtype, whatever that of the images is.
        _together(
            **{
                f"{own}_in_{name}": _mixup([b, w], _lam(draw), dtype=name, targets="soft", soft=own)
                for name, own in SOFT
            },
            **{
                f"pasted_{own}_in_{name}": _cutmix(
                    [b, h, w], _box(draw, h, w), dtype=name, targets="soft", soft=own
                )
                for name, own in (*SOFT, ("uint8", "float64"))
            },
        ),
        _together(
            uint8=_cutmix([b, 3, h, w], _box(draw, h, w), dtype="uint8"),
            int64=_cutmix([b, 2, h, w], _box(draw, h, w), dtype="int64"),
            float64=_cutmix([b, 1, h, w], _box(draw, h, w), targets="soft", **wide),
            **{name: _cutmix([b, 1, h, w], _box(draw, h, w), dtype=name) for name in halves},
            **{
                f"{name}_targets": _cutmix([b, h, w], _box(draw, h, w), dtype=name, targets="soft")
                for name in halves
            },
        ),
    ]


def _boxes(draw: Draw) -> list[Params]:
    # More than are needed, as those are left out on whose half sides rounding has a say.
    drawn = [2 * NUM_TUPLES, 2]
    sides, centres = draw.integers(drawn, 1, 40).tolist(), draw.integers(drawn, 0, 1 << 30).tolist()
    weights = draw.uniform(drawn[:1], 0.0, 1.0, torch.float64).tolist()
    rows: list[list[Any]] = []
    for (height, width), (cy, cx), weight in zip(sides, centres, weights, strict=True):
        position = len(rows) % 20
        lam = float(position) if position < 2 else weight  # The two ends, now and then
        if _is_clear(height, width, lam):
            rows.append([height, width, lam, cy % height, cx % width])
    return [{"op": "boxes", "rows": rows[part:NUM_TUPLES:2]} for part in (0, 1)]


def _is_clear(height: int, width: int, lam: float) -> bool:
    halves = [0.5 * math.sqrt(1 - lam) * side for side in (height, width)]
    return lam in (0.0, 1.0) or all(abs(half - round(half)) > CLEAR for half in halves)


def _random(draw: Draw) -> list[Params]:
    both = {
        "mixup_alpha": 0.2,
        "cutmix_alpha": 3.0,
        "prob": 0.8,
        "switch_prob": draw.choice((0.2, 0.8)),
    }
    apart: Params = {"mixup_alpha": 4.0, "cutmix_alpha": 0.25, "switch_prob": 0.8}
    alone: Params = {"mixup_alpha": 0.2, "cutmix_alpha": 0.0, "switch_prob": 0.7}
    pastes: Params = {"mixup_alpha": 0.0, "cutmix_alpha": 0.3, "switch_prob": 0.3}
    return [
        {"op": "batches", "options": {}, "shape": [4, 5, 3], "count": 300},
        {"op": "batches", "options": alone, "shape": [4, 2], "count": 200},
        {"op": "batches", "options": pastes, "shape": [4, 2, 9, 14], "count": 200},
        {"op": "batches", "options": both, "shape": [4, 3, 5], "count": 500},
        # Enough boxes, and large ones, to tell that they follow the alpha of their own method.
        {"op": "batches", "options": apart, "shape": [4, 8, 9], "count": 600},
        {"op": "repeats"},
        {"op": "single"},
    ]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "layout": _layout,
    "dtype": _dtype,
    "box": _boxes,
    "random": _random,
    "errors": lambda draw: [{"op": "errors", "of": name} for name in ERRORS],
}


def _images(params: Params, draw: Draw) -> torch.Tensor:
    shape, dtype = params["shape"], getattr(torch, params["dtype"])
    if dtype == torch.uint8:
        x = draw.integers(shape, 0, 255, torch.uint8)
    elif dtype == torch.int64:
        # Larger than what a floating dtype can hold to the last digit.
        x = draw.integers(shape, 1 << 60, 1 << 62)
    elif params["values"] == "tiny":
        # Odd multiples of the smallest positive number.
        info = torch.finfo(dtype)
        unit = info.smallest_normal * info.eps
        x = (draw.integers(shape, -2, 1, torch.float64) * 2 + 1).mul(unit).to(dtype)
    elif params["values"] == "huge":
        sign = draw.integers(shape, 0, 1, torch.float64) * 2 - 1
        x = (sign * draw.uniform(shape, 0.9, 0.99, torch.float64) * torch.finfo(dtype).max).to(
            dtype
        )
    else:
        x = draw.normal(shape, dtype)
    if params["layout"] == "channels_last":
        return x.contiguous(memory_format=torch.channels_last)
    return lay_out(x, params["layout"])


def _targets(params: Params, draw: Draw) -> torch.Tensor:
    num_images, num_classes = params["shape"][0], params["classes"]
    if params["targets"] == "labels":
        # Distinct where there are enough classes: partners of one class would hide a mistake.
        order = torch.randperm(num_classes, generator=draw.generator)
        return order[torch.arange(num_images) % num_classes]
    dtype = getattr(torch, params["soft"] or params["dtype"])
    raw = draw.uniform([num_images, num_classes], 0.05, 1.0, torch.float64)
    soft = raw / raw.sum(1, keepdim=True)
    wanted = torch.float32 if dtype == torch.uint8 else dtype
    return lay_out(soft.to(wanted), draw.choice(("contiguous", "transposed", "stepped")))


def _partners(params: Params, draw: Draw) -> torch.Tensor:
    """Draw a permutation; a cycle leaves nobody alone and differs from its inverse."""
    order = torch.randperm(params["shape"][0], generator=draw.generator)
    if params["perm"] == "any":
        return order
    perm = torch.empty_like(order)
    perm[order] = order.roll(1)
    return perm


def _weights(params: Params, draw: Draw) -> Any:
    """Return the number of the plan, or draw one for each image."""
    if params["lam"] not in ("each", "ends"):
        return params["lam"]
    dtype = torch.float64 if params["dtype"] == "float64" else torch.float32
    num_images = params["shape"][0]
    if params["lam"] == "ends":
        return (torch.arange(num_images) % 2).to(dtype)
    return draw.uniform([num_images], 0.1, 0.9, dtype)


def _build_mixup(params: Params, draw: Draw) -> Case:
    lam = _weights(params, draw)
    return _core("mixup", lam, params, draw)


def _build_cutmix(params: Params, draw: Draw) -> Case:
    return _core("cutmix", tuple(params["box"]), params, draw)


def _core(name: str, how: Any, params: Params, draw: Draw) -> Case:
    x, y, perm = _images(params, draw), _targets(params, draw), _partners(params, draw)
    secret: Params = {"op": name, "x": x, "y": y, "how": how, "perm": perm, "params": params}
    wrt = [k for k, item in enumerate((x, y)) if item.is_floating_point() and params["vjp"]]
    cotangents: list[torch.Tensor | None] = []
    if wrt:
        soft = y.dtype if y.is_floating_point() else torch.float32
        layout = draw.choice(("contiguous", "transposed", "stepped"))
        cotangents = [
            lay_out(draw.normal(x.shape, x.dtype), layout) if 0 in wrt else None,
            lay_out(draw.normal([len(x), params["classes"]], soft), layout) if 1 in wrt else None,
        ]
    secret |= {"cotangents": cotangents, "wrt": wrt}
    request = call(
        name, x, y, how, perm, num_classes=params["classes"], wrt=wrt, cotangents=cotangents
    )
    names = ("x", "y", "lam" if name == "mixup" else "box", "perm")
    shown = dict(zip(names, (x, y, how, perm), strict=True))
    return Case(steps=(request,), secret=secret, shown=shown | {"num_classes": params["classes"]})


def _build_boxes(params: Params, draw: Draw) -> Case:
    given = {f"cutmix_box({', '.join(map(repr, row))})": row for row in params["rows"]}
    request = Request(op="boxes", data={"given": given})
    shown = {f"call {position}": name for position, name in enumerate(given)}
    return Case(steps=(request,), secret={"op": "boxes", "given": given}, shown=shown)


def _build_batches(params: Params, draw: Draw) -> Case:
    shape, options, count = params["shape"], params["options"], params["count"]
    num_images = shape[0]
    numbers = torch.arange(1.0, num_images + 1).reshape(-1, *[1] * (len(shape) - 1))
    data = {
        "init": [num_images],
        "options": options,
        "x": numbers.expand(shape).contiguous(),
        "y": torch.arange(num_images),
        "seed": draw.integer(0, 1 << 40),
        "count": count,
    }
    secret = {"op": "batches", "shape": shape, "options": options, "count": count}
    shown = {
        "wrapper": f"MixupCutmix({', '.join([str(num_images), *_spelt(options)])})",
        "x": f"{count} times the images of the constants 1 to {num_images}, of shape {shape}",
        "y": data["y"],
    }
    return Case(steps=(Request(op="batches", data=data),), secret=secret, shown=shown)


def _spelt(options: Params) -> list[str]:
    return [f"{name}={value}" for name, value in options.items()]


def _build_repeats(params: Params, draw: Draw) -> Case:
    data = {
        "init": [3],
        "x": draw.normal([5, 1, 6, 8]),
        "y": draw.integers([5], 0, 2),
        "seeds": [draw.integer(1, 1 << 20), draw.integer((1 << 20) + 1, 1 << 40)],
        "count": 6,
    }
    shown = {"wrapper": "MixupCutmix(3)", "x": data["x"], "y": data["y"]}
    return Case(steps=(Request(op="repeats", data=data),), secret={"op": "repeats"}, shown=shown)


def _build_single(params: Params, draw: Draw) -> Case:
    off: Params = {"mixup_alpha": 0.0, "cutmix_alpha": 0.0}
    paste: Params = {"mixup_alpha": 0.0}
    blend: Params = {"cutmix_alpha": 0.0}
    soft = {"targets": "soft"}
    table: dict[str, tuple[Params, Params]] = {
        "prob is 0": ({"prob": 0.0}, {"shape": [4, 2, 3, 5]}),
        "prob is 0, soft targets": ({"prob": 0.0}, {"shape": [4, 3, 5], **soft}),
        "both off": (off, {"shape": [4, 3, 5], "dtype": "float64"}),
        "both off, soft targets": (off, {"shape": [4, 2], "dtype": "bfloat16", **soft}),
        "one image, pasted": (paste, {"shape": [1, 3, 6, 5], "dtype": "uint8"}),
        "one image, blended": (blend, {"shape": [1, 7], **soft}),
        "one image, always pasted": ({"switch_prob": 1.0}, {"shape": [1, 6, 5]}),
        "one image, always blended": ({"switch_prob": 0.0}, {"shape": [1, 6, 5]}),
        "no images, pasted": (paste, {"shape": [0, 6, 5]}),
        "no images, blended": (blend, {"shape": [0, 2], **soft}),
    }
    calls = {}
    for name, (options, given) in table.items():
        each = DEFAULTS | given
        calls[name] = {
            "init": [each["classes"]],
            "options": options,
            "x": _images(each, draw),
            "y": _targets(each, draw),
            "seed": draw.integer(0, 1 << 40),
        }
    secret = {"op": "single", "calls": calls}
    return Case(steps=(Request(op="single", data={"calls": calls}),), secret=secret, shown=calls)


def _mixup_errors(draw: Draw) -> dict[str, Any]:
    x, y, perm = draw.normal([4, 2, 3]), draw.integers([4], 0, 2), torch.tensor([1, 2, 3, 0])
    good = (x, y, 0.5, perm)
    many = torch.tensor([0.2, 0.5, 1.25, 0.3])
    few = torch.tensor([-0.25, 0.5, 1.0, 0.3])
    changed = {
        "TypeError, uint8 images": (0, draw.integers([4, 2, 3], 0, 255, torch.uint8)),
        "TypeError, int64 images": (0, draw.integers([4, 2], 0, 9)),
        "TypeError, bool images": (0, draw.integers([4, 2], 0, 1, torch.bool)),
        "lam above 1": (2, 1.5),
        "lam below 0": (2, -0.01),
        "one lam above 1": (2, many),
        "one lam below 0": (2, few),
    }
    return _calls("mixup", good, changed | _wrong_targets(draw))


def _cutmix_errors(draw: Draw) -> dict[str, Any]:
    x, y, perm = draw.normal([4, 2, 5, 6]), draw.integers([4], 0, 2), torch.tensor([1, 2, 3, 0])
    good = (x, y, (1, 3, 2, 5), perm)
    changed: dict[str, tuple[int, Any]] = {
        "two dimensions": (0, draw.normal([4, 6])),
        "top below 0": (2, (-1, 3, 2, 5)),
        "left below 0": (2, (1, 3, -2, 5)),
        "bottom beyond the image": (2, (1, 6, 2, 5)),
        "right beyond the image": (2, (1, 3, 2, 7)),
        "rows reversed": (2, (3, 1, 2, 5)),
        "columns reversed": (2, (1, 3, 5, 2)),
    }
    return _calls("cutmix", good, changed | _wrong_targets(draw))


def _wrong_targets(draw: Draw) -> dict[str, tuple[int, Any]]:
    return {
        "more labels than images": (1, draw.integers([5], 0, 2)),
        "fewer labels than images": (1, draw.integers([3], 0, 2)),
        "one label": (1, draw.integers([1], 0, 2)),
        "soft targets for more images": (1, draw.uniform([5, 3], 0.0, 1.0)),
        "soft targets of one image": (1, draw.uniform([1, 3], 0.0, 1.0)),
        "soft targets with a class more": (1, draw.uniform([4, 4], 0.0, 1.0)),
        "soft targets with one class": (1, draw.uniform([4, 1], 0.0, 1.0)),
    }


def _calls(name: str, good: tuple[Any, ...], changed: dict[str, tuple[int, Any]]) -> dict[str, Any]:
    return {
        what: call(name, *good[:position], item, *good[position + 1 :], num_classes=3)
        for what, (position, item) in changed.items()
    }


def _wrapper_errors(draw: Draw) -> dict[str, Any]:
    wrong: dict[str, Params] = {
        "mixup_alpha below 0": {"mixup_alpha": -0.5},
        "cutmix_alpha below 0": {"cutmix_alpha": -0.5},
        "prob above 1": {"prob": 1.25},
        "prob below 0": {"prob": -0.25},
        "switch_prob above 1": {"switch_prob": 1.5},
        "switch_prob below 0": {"switch_prob": -0.5},
    }
    return {what: call("MixupCutmix", 3, **options) for what, options in wrong.items()}


ERRORS = {"mixup": _mixup_errors, "cutmix": _cutmix_errors, "wrapper": _wrapper_errors}


def _build_errors(params: Params, draw: Draw) -> Case:
    calls = ERRORS[params["of"]](draw)
    secret = {"op": "errors", "names": list(calls)}
    return Case(steps=(refusals(calls),), secret=secret, shown={"calls": list(calls)})


BUILDERS = {
    "mixup": _build_mixup,
    "cutmix": _build_cutmix,
    "boxes": _build_boxes,
    "batches": _build_batches,
    "repeats": _build_repeats,
    "single": _build_single,
    "errors": _build_errors,
}
