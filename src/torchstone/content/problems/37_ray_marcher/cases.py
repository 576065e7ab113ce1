"""Draw the inputs of problem 37: media of every density, distributions, and rays through fields.

The groups before ``scale`` draw float32 and no thin medium: what is wrong about digits is told
there, and what is wrong about the model before. For the same reason they compare the depth of
opaque rays only.

Legend: R rays, S samples or bins, M fine samples, C channels.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Product, Request, call, lay_out, refusals
from torchstone.judge.kit.problem import load_module

Params = dict[str, Any]
Tensor = torch.Tensor

FOLDER = Path(__file__).parent
MEDIA = load_module(FOLDER / "media.py")
MARCHES = load_module(FOLDER / "marches.py")

GROUPS = ("sample", "small", "edge", "scale", "layout", "large", "grad")
DTYPES = {"float32": torch.float32, "float64": torch.float64}


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases."""
    return PLANS[group](draw)


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    return BUILDERS[params["op"]](params, draw)


def shrink(params: Params) -> list[Params]:
    """Return simpler parameters: fewer rays."""
    rays = params.get("rays", 1)
    if params["op"] not in ("errors", "large") and rays > 2:
        return [params | {"rays": rays // 2}]
    return []


def _edges(**options: Any) -> Params:
    return {"op": "edges", "rays": 3, "samples": 4, "dtype": "float32"} | options


def _strata(**options: Any) -> Params:
    return {"op": "strata", "rays": 4, "samples": 5, "dtype": "float32", "u": True} | options


def _composite(medium: str, **options: Any) -> Params:
    base: Params = {"op": "composite", "medium": medium, "rays": 4, "samples": 6, "channels": 3}
    rest: Params = {"dtype": "float32", "far": "rays", "background": "one", "wrt": [0, 1, 2]}
    return base | rest | {"depth": "opaque", "layout": "contiguous"} | options


def _importance(kind: str = "plain", **options: Any) -> Params:
    base: Params = {"op": "importance", "kind": kind, "rays": 4, "bins": 6, "samples": 7}
    rest: Params = {"dtype": "float32", "eps": None, "layout": "contiguous", "wrt": [0, 1, 2]}
    return base | rest | options


def _march(scene: str, **options: Any) -> Params:
    base: Params = {"op": "march", "scene": scene, "rays": 5, "coarse": 7, "fine": 0}
    rest: Params = {"dtype": "float32", "ends": "numbers", "us": "both", "background": "one"}
    more: Params = {"wrt": True, "depth": "opaque", "layout": "contiguous", "moves": False}
    return base | rest | more | {"channels": 3, "grad_mode": True} | options


def _together(*each: Params) -> Params:
    return {"parts": {f"call {place + 1}": part for place, part in enumerate(each)}}


def _sample(draw: Draw) -> list[Params]:
    return [
        _together(
            _edges(),
            _strata(),
            _strata(u=False),
            _composite("mixed"),
            _importance(),
        ),
        _composite("mixed", background=None, again=True),
        _march("blob", rays=6),
        _march("blob", fine=6, moves=True),
        _march("network", fine=5, ends="rays"),
    ]


def _small(draw: Draw) -> list[Params]:
    return [
        _together(
            _composite("mixed", samples=1, rays=3),
            _composite("mixed", samples=2, rays=3, channels=1, far="one"),
            _composite("mixed", channels=4, background="rays"),
            # As many rays as channels: a background of either shape would broadcast.
            _composite("mixed", rays=3, background="rays", far="one"),
            _composite("mixed", rays=0, samples=3),
            _edges(samples=1),
            _edges(rays=0),
            _strata(samples=1),
            _strata(rays=0),
            _importance(bins=1, samples=3),
            _importance(samples=1, eps=0.25),
            _importance(rays=0),
        ),
        {"op": "errors"},
        _march("blob", rays=3, coarse=1, fine=1, background=None),
        _march("network", rays=0, fine=2, coarse=3),
        _march("network", rays=3, coarse=3, fine=4, us="none", channels=1, ends="mixed"),
        _march("blob", rays=4, coarse=4, us="coarse", fine=3, channels=4, background="rays"),
        _march("network", rays=2, coarse=2, us="none", grad_mode=False, wrt=False),
        # What is remembered for inference alone shows in no march with gradients.
        _march("blob", rays=4, fine=4, moves=True, wrt=False),
    ]


def _edge(draw: Draw) -> list[Params]:
    exact: Params = {"eps": 0.0, "samples": 8}
    return [
        _together(
            _importance("plateaus", **exact),
            _importance("plateaus", dtype="float64", **exact),
            _importance("zeros", **exact),
            _importance("zeros", eps=None),
            _importance("some zeros", **exact),
            _importance("negative"),
            _importance("negative", eps=0.3),
            _importance("ends"),
            _importance("ends", dtype="float64", bins=5),
            _strata(u="zero"),
        ),
        _importance("plain", again=True),
        _importance("plain", again=True, wrt=[]),
        _composite("mixed", again=True, wrt=[]),
        _edges(again=True),
        _strata(again=True),
    ]


def _scale(draw: Draw) -> list[Params]:
    full: Params = {"depth": "all"}
    wide: Params = {"depth": "all", "dtype": "float64"}
    return [
        _together(
            _composite("ladder", rays=18, background=None, **full),
            _composite("ladder", rays=18, samples=5, **wide),
            _composite("thin", **full),
            _importance("thin", eps=0.0),
            _composite("wall", **full),
            _composite("empty", **full),
            _composite("overflow", wrt=[], **full),
            _composite("mixed", **full),
        ),
        _together(
            _composite("wall", background=None, **wide),
            _composite("mixed", **wide),
            _composite("constant", samples=200, rays=6, wrt=[], **full),
            _composite("constant", samples=200, rays=6, wrt=[], **wide),
            _edges(dtype="float64"),
            _strata(dtype="float64"),
            _importance(dtype="float64"),
        ),
        _march("blob", fine=6, ends="rays", **wide),
        _march("fog", fine=3, amount=1e-7, rays=3, **full),
        _march("fog", fine=5, amount=0.0, rays=3, **full),
    ]


def _layout(draw: Draw) -> list[Params]:
    full: Params = {"depth": "all"}
    return [
        _together(
            *(_composite("mixed", layout=each, **full) for each in ("transposed", "stepped")),
            _composite("mixed", layout="expanded", dtype="float64", **full),
            _importance(layout="transposed"),
            _importance(layout="expanded", dtype="float64"),
            _strata(layout="stepped"),
        ),
        _march("blob", layout="expanded", dtype="float64", fine=4, **full),
        _march("network", layout="transposed", dtype="float64", fine=3, ends="rays", **full),
    ]


def _large(draw: Draw) -> list[Params]:
    return [{"op": "large", "rays": 4096, "samples": 192, "dtype": "float32"}]


def _grad(draw: Draw) -> list[Params]:
    wide: Params = {"depth": "all", "dtype": "float64"}
    return [
        _march("network", rays=6, coarse=8, **wide),
        _march("network", rays=6, coarse=8, fine=8, background=None, moves=True, **wide),
        # The middles of sixths are no numbers of float32.
        _march("blob", rays=6, coarse=10, fine=6, ends="mixed", us="coarse", **wide),
    ]


PLANS = {
    "sample": _sample,
    "small": _small,
    "edge": _edge,
    "scale": _scale,
    "layout": _layout,
    "large": _large,
    "grad": _grad,
}


def _edges_case(params: Params, draw: Draw) -> Case:
    near, far = MEDIA.ends(params["rays"], DTYPES[params["dtype"]], draw)
    secret = {"kind": "edges", "near": near, "far": far, "samples": params["samples"]}
    return Case(steps=(call("bin_edges", near, far, params["samples"]),), secret=secret)


def _strata_case(params: Params, draw: Draw) -> Case:
    dtype, samples = DTYPES[params["dtype"]], params["samples"]
    near, far = MEDIA.ends(params["rays"], dtype, draw)
    u = None
    if params["u"]:
        u = draw.uniform([params["rays"], samples], 0.02, 0.98, dtype)
        u = u * 0 if params["u"] == "zero" else lay_out(u, params.get("layout", "contiguous"))
    arguments = [near, far, samples] if u is None else [near, far, samples, u]
    secret = {"kind": "strata", "near": near, "far": far, "samples": samples, "u": u}
    return Case(steps=(call("stratified_samples", *arguments),), secret=secret)


def _composite_case(params: Params, draw: Draw) -> Case:
    dtype = DTYPES[params["dtype"]]
    sigma, rgb, t, far = MEDIA.medium(params, dtype, draw)
    rays, channels = params["rays"], params["channels"]
    shape = {"one": [channels], "rays": [rays, channels], None: []}[params["background"]]
    background = draw.uniform(shape, 0.2, 1.0, dtype) if params["background"] else None
    inputs = {"sigma": sigma, "rgb": rgb, "t": t, "far": far}
    if background is not None:
        inputs["background"] = background
    opaque = MEDIA.opaque(inputs) if params["depth"] == "opaque" else None
    cotangents = MEDIA.cotangents(rays, params["samples"], channels, opaque, dtype, draw)
    request = call(
        "composite",
        *inputs.values(),
        wrt=params["wrt"],
        cotangents=list(cotangents.values()),
        fields=MARCHES.PROBE.FIELDS_OF_RESULT,
        # The samples of the result may be those that came.
        views=True,
    )
    secret = {"kind": "composite", "inputs": inputs, "cotangents": cotangents, "opaque": opaque}
    secret["wrt"] = params["wrt"]
    return Case(steps=(request,), secret=secret, shown=inputs)


def _importance_case(params: Params, draw: Draw) -> Case:
    dtype = DTYPES[params["dtype"]]
    edges, weights, u = MEDIA.distribution(params, dtype, draw)
    options = {} if params["eps"] is None else {"eps": params["eps"]}
    wrt = params["wrt"]
    cotangents = [draw.normal(u.shape, dtype)] if wrt else []
    request = call(
        "importance_samples", edges, weights, u, wrt=wrt, cotangents=cotangents, **options
    )
    secret = {"kind": "importance", "edges": edges, "weights": weights, "u": u, "wrt": wrt}
    secret |= {"eps": 1e-5, "exact": params["kind"] == "plateaus"} | options
    return Case(steps=(request,), secret=secret)


def _march_case(params: Params, draw: Draw) -> Case:
    """Ask for a march through a field with hidden constants."""
    data, truth = MARCHES.drawn(params, DTYPES[params["dtype"]], draw)
    secret: Params = {"kind": "march", "data": data, "truth": truth}
    shown = {name: data[name] for name in ("origins", "dirs", "near", "far", *data["options"])}
    if params["moves"]:
        other, later = MARCHES.drawn(params, DTYPES[params["dtype"]], draw)
        # Numbers are the same in both; tensors are overwritten in place.
        names = ["origins", "dirs", "u_coarse", "u_fine", "background", "near", "far"]
        moved = {name: other[name] for name in names if isinstance(data[name], Tensor)}
        data = data | {"again": moved | other["constants"]}
        data["cotangents_again"] = other["cotangents"]
        secret |= {"data": data, "other": other, "later": later}
    return Case(steps=(Request(op="march", data=data),), secret=secret, shown=shown)


def _large_case(params: Params, draw: Draw) -> Case:
    """Ask for many rays; only afterwards which of them are looked at."""
    rays, samples, dtype = params["rays"], params["samples"], DTYPES[params["dtype"]]
    steps = (torch.arange(samples) + draw.uniform([samples], 0.1, 0.9)) / samples
    near = draw.uniform([rays, 1], 1.0, 2.0)
    inputs: Params = {
        "sigma": Product(draw.uniform([rays, 1], 0.2, 3.0), draw.uniform([1, samples], 0.1, 1.0)),
        "rgb": Product(
            draw.uniform([rays, 1, 3], 0.3, 1.0), draw.uniform([1, samples, 3], 0.2, 1.0)
        ),
        "t": Product(near, 1 + steps[None]),
        "far": 2 * near[:, 0] + 0.01,
        "background": draw.uniform([3], 0.2, 1.0),
    }
    cotangents = {
        "color": draw.normal([rays, 3], dtype),
        "depth": draw.normal([rays], dtype),
        "opacity": draw.normal([rays], dtype),
    }
    chosen = torch.randperm(rays, generator=draw.generator)[:64]
    work = Request(op="large", data=inputs | {"cotangents": cotangents})
    look = Request(op="rows", data={"rows": chosen, "num_rays": rays})
    shown = {"rays": rays, "samples": samples}
    secret = {"kind": "large", "inputs": inputs, "cotangents": cotangents, "rows": chosen}
    return Case(steps=(work, look), secret=secret, shown=shown)


def _errors_case(params: Params, draw: Draw) -> Case:
    near, far = MEDIA.ends(4, torch.float32, draw)
    sigma, rgb = draw.uniform([4, 5], 0, 1), draw.uniform([4, 5, 3], 0, 1)
    t = draw.uniform([4, 6], 1, 2).sort(-1).values
    edges, u = draw.uniform([4, 6], 1, 2).sort(-1).values, draw.uniform([4, 6], 0, 1)
    wrong: dict[str, tuple[Any, ...]] = {
        "no bins": ("bin_edges", near, far, 0),
        "fewer than none": ("bin_edges", near, far, -2),
        "no samples": ("stratified_samples", near, far, 0),
        "u too long": ("stratified_samples", near, far, 5, u),
        "u of one ray": ("stratified_samples", near, far, 6, u[:1].clone()),
        "u without rays": ("stratified_samples", near, far, 6, u[0].clone()),
        "u of one sample": ("stratified_samples", near, far, 6, u[:, :1].clone()),
        "t too long": ("composite", sigma, rgb, t, far),
        "t of one ray": ("composite", sigma, rgb, t[:1, :5].clone(), far),
        "rgb too long": ("composite", t, rgb, t, far),
        "rgb of one ray": ("composite", sigma, rgb[:1].clone(), t[:, :5].clone(), far),
        "sigma of one sample": ("composite", sigma[:, :1].clone(), rgb, t[:, :5].clone(), far),
        "as many edges": ("importance_samples", edges, u, u),
        "an edge too many": ("importance_samples", edges, sigma[:, :4].clone(), u),
        "u of fewer rays": ("importance_samples", edges, sigma, u[:3].clone()),
        "u without rays, again": ("importance_samples", edges, sigma, u[0].clone()),
    }
    calls = {name: call(*arguments) for name, arguments in wrong.items()}
    shown = {name: list(arguments[1:]) for name, arguments in wrong.items()}
    secret = {"kind": "errors", "names": list(calls)}
    return Case(steps=(refusals(calls),), secret=secret, shown=shown)


BUILDERS = {
    "edges": _edges_case,
    "strata": _strata_case,
    "composite": _composite_case,
    "importance": _importance_case,
    "march": _march_case,
    "large": _large_case,
    "errors": _errors_case,
}
