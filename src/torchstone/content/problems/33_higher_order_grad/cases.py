"""Draw points, directions and functions for problem 33, each by its family and coefficients."""

from __future__ import annotations

from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request, lay_out

# "grad" differentiates the results; "large" has so many unknowns that no Hessian fits.
GROUPS = ("sample", "small", "edge", "layout", "grad", "large")

# Without parameters that train, with one sample and a function without mixed terms: here only those
# are refused who have no second derivative at all.
SAMPLE: tuple[dict[str, Any], ...] = (
    {"op": "hvp", "family": "tanh", "shapes": [[3]]},
    {"op": "hessian", "family": "polynomial", "shapes": [[2]]},
    {"op": "laplacian", "family": "separable", "shapes": [[3, 2]]},
    {"op": "gradient_penalty", "family": "tanh", "shapes": [[1, 3]], "options": {"target": 0.0}},
)
PENALTY = {"op": "gradient_penalty", "family": "tanh", "trains": True, "third": True}
SMALL: tuple[dict[str, Any], ...] = (
    {"op": "hvp", "family": "quadratic", "shapes": [[3]], "refill": True},
    {"op": "hvp", "family": "polynomial", "shapes": [[2, 3]], "dtype": "float32"},
    {"op": "hvp", "family": "softplus", "shapes": [[]], "returns": [1]},
    {"op": "hvp", "family": "logsumexp", "shapes": [[4]], "grads": ["leaf"]},
    {"op": "hvp", "family": "tanh", "shapes": [[2], [3]], "trains": True},
    {"op": "hvp", "family": "interaction", "shapes": [[2, 2], [3]], "returns": [1, 1]},
    {"op": "hvp", "family": "cross", "shapes": [[2], [3]], "dtype": "float32"},
    {"op": "hvp", "family": "polynomial", "shapes": [[2]], "single": False},
    {"op": "hvp", "family": "tanh", "shapes": [[1], [], [2, 1]], "grads": ["none", "leaf", "none"]},
    {"op": "hessian", "family": "quadratic", "shapes": [[2, 2]], "refill": True},
    {"op": "hessian", "family": "tanh", "shapes": [[3]], "returns": [1, 1], "trains": True},
    {"op": "hessian", "family": "polynomial", "shapes": [[]], "grads": ["leaf"]},
    {"op": "hessian", "family": "logsumexp", "shapes": [[2, 3]], "dtype": "float32"},
    {"op": "laplacian", "family": "polynomial", "shapes": [[4, 1]], "refill": True},
    {"op": "laplacian", "family": "tanh", "shapes": [[3, 2]], "trains": True, "graph": False},
    {"op": "laplacian", "family": "distance", "shapes": [[4, 3]], "dtype": "float32"},
    {"op": "laplacian", "family": "softplus", "shapes": [[2, 5]], "returns": "column"},
    {"op": "laplacian", "family": "polynomial", "shapes": [[3, 3]], "grads": ["leaf"]},
    PENALTY | {"shapes": [[3, 4]], "refill": True},
    PENALTY | {"shapes": [[4, 4]]},
    PENALTY | {"shapes": [[1, 3]]},
    PENALTY | {"shapes": [[2, 2, 3, 2]], "family": "softplus", "returns": "column"},
    PENALTY | {"shapes": [[3, 1, 2, 2]], "wide": True, "options": {"target": 15.0}},
    PENALTY | {"shapes": [[3, 2]], "grads": ["leaf", "leaf"], "others_train": True},
    PENALTY | {"shapes": [[3, 3]], "wide": True, "dtype": "float32", "third": False},
)
EDGE: tuple[dict[str, Any], ...] = (
    *(
        each | {"under_no_grad": True}
        for each in (
            {"op": "hvp", "family": "tanh", "shapes": [[3]], "trains": True},
            {"op": "hessian", "family": "polynomial", "shapes": [[2]], "grads": ["leaf"]},
            {"op": "laplacian", "family": "tanh", "shapes": [[3, 2]], "trains": True},
            PENALTY | {"shapes": [[3, 2]]},
        )
    ),
    {"op": "hvp", "family": "linear", "shapes": [[3]]},
    {"op": "hvp", "family": "linear", "shapes": [[2], [2]], "grads": ["leaf", "none"]}
    | {"trains": True},
    {"op": "hvp", "family": "number", "shapes": [[2], [1]]},
    {"op": "hvp", "family": "parameters", "shapes": [[2]], "trains": True},
    {"op": "hvp", "family": "first only", "shapes": [[2], [3]]},
    {"op": "hvp", "family": "half linear", "shapes": [[2], [3]], "trains": True},
    {"op": "hessian", "family": "linear", "shapes": [[2]], "trains": True},
    {"op": "hessian", "family": "number", "shapes": [[2, 1]]},
    {"op": "hessian", "family": "parameters", "shapes": [[2]], "trains": True},
    {"op": "laplacian", "family": "linear", "shapes": [[3, 2]], "trains": True},
    {"op": "laplacian", "family": "number", "shapes": [[3, 2]]},
    {"op": "laplacian", "family": "parameters", "shapes": [[2, 3]], "graph": False}
    | {"trains": True},
    {"op": "laplacian", "family": "tanh", "shapes": [[0, 3]]},
    {"op": "laplacian", "family": "tanh", "shapes": [[0, 2]], "graph": False, "returns": "column"},
    PENALTY | {"shapes": [[3, 2]], "family": "linear"},
    PENALTY | {"shapes": [[3, 2]], "family": "clamped"},
    PENALTY | {"shapes": [[2, 3]], "family": "flat", "options": {"target": 1.5}},
    PENALTY | {"shapes": [[2, 3]], "family": "number"},
    PENALTY | {"shapes": [[2, 1, 2]], "family": "parameters"},
    {"op": "hvp", "family": "tanh", "shapes": [[2]], "trains": True, "grads": ["leaf"]}
    | {"prior": True},
    PENALTY | {"shapes": [[2, 2]], "grads": ["leaf", "leaf"], "prior": True},
    {"errors": "hvp"},
    {"errors": "rows"},
)
LAYOUT: tuple[dict[str, Any], ...] = (
    {"op": "hvp", "family": "polynomial", "shapes": [[2, 3]], "layout": "transposed"},
    {"op": "hvp", "family": "tanh", "shapes": [[2, 2], [3]], "layout": "stepped"},
    {"op": "hvp", "family": "softplus", "shapes": [[3, 2]], "layout": "expanded"},
    {"op": "hessian", "family": "tanh", "shapes": [[2, 2]], "layout": "transposed"},
    {"op": "laplacian", "family": "polynomial", "shapes": [[4, 2]], "layout": "transposed"},
    {"op": "laplacian", "family": "tanh", "shapes": [[3, 3]], "layout": "expanded"},
    PENALTY | {"shapes": [[2, 3, 2]], "layout": "transposed"},
)
THIRD = {"graph": True, "third": True, "trains": True}
GRAD: tuple[dict[str, Any], ...] = tuple(
    THIRD | each
    for each in (
        {"op": "hvp", "family": "tanh", "shapes": [[3]], "grads": ["leaf"], "refill": True},
        {"op": "hvp", "family": "polynomial", "shapes": [[2, 2]], "grads": ["middle"]},
        {"op": "hvp", "family": "interaction", "shapes": [[2], [3]], "grads": ["leaf", "middle"]},
        {"op": "hvp", "family": "tanh", "shapes": [[2], [2]], "grads": ["none", "leaf"]},
        {"op": "hvp", "family": "polynomial", "shapes": [[3]], "trains": False, "grads": ["leaf"]},
        {"op": "hessian", "family": "polynomial", "shapes": [[3]], "grads": ["leaf"]},
        {"op": "hessian", "family": "tanh", "shapes": [[2, 1]], "grads": ["middle"]},
        {"op": "laplacian", "family": "tanh", "shapes": [[3, 2]], "grads": ["leaf"]},
        {"op": "laplacian", "family": "polynomial", "shapes": [[2, 3]], "grads": ["middle"]},
        {"op": "laplacian", "family": "distance", "shapes": [[3, 3]], "returns": "column"},
        {"op": "hvp", "family": "half linear", "shapes": [[2], [3]], "grads": ["leaf", "leaf"]},
        {"op": "hvp", "family": "linear", "shapes": [[2]], "grads": ["leaf"]},
        {"op": "hessian", "family": "parameters", "shapes": [[2]]},
        {"op": "laplacian", "family": "linear", "shapes": [[3, 2]]},
        {"op": "hvp", "family": "tanh", "shapes": [[2]], "under_no_grad": True},
        {"op": "hessian", "family": "softplus", "shapes": [[2]], "under_no_grad": True},
        {"op": "laplacian", "family": "tanh", "shapes": [[3, 2]], "under_no_grad": True},
        PENALTY | {"family": "softplus", "shapes": [[3, 2]], "grads": ["middle", "leaf"]},
    )
)
LARGE = ({"op": "hvp", "family": "chain", "shapes": [[20_000]], "counts": True},)
PLANS = {
    "sample": SAMPLE,
    "small": SMALL,
    "edge": EDGE,
    "layout": LAYOUT,
    "grad": GRAD,
    "large": LARGE,
}
DEFAULT_GRAPH = {"hvp": False, "hessian": False, "laplacian": True, "gradient_penalty": True}


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases: small ones together, one for each entry."""
    asked: dict[str, dict[str, Any]] = {}
    others = []
    for number, params in enumerate(PLANS[group]):
        if "errors" in params:
            others.append(dict(params))
        else:
            name = f"{number + 1}, {params['family']}"
            asked.setdefault(params["op"], {})[name] = dict(params)
    return [*({"parts": parts} for parts in asked.values()), *others]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the tensors of one case."""
    if "errors" in params:
        return _errors(ERRORS[params["errors"]], draw)
    op, data = params["op"], _data(params, draw)
    if params.get("refill"):
        other = _data(params, draw)
        data["again"] = [*other["params"], *other["inputs"], *other["others"]]
    secret = {"op": op, "data": data}
    return Case(steps=(Request(op=op, data=data),), secret=secret, shown=_shown(op, params, data))


def shrink(params: dict[str, Any]) -> list[dict[str, Any]]:
    """Propose smaller shapes for a failing case; what its families need stays."""
    if "errors" in params or params.get("refill") or params["op"] == "gradient_penalty":
        return []
    shapes = params["shapes"]
    smaller = [[min(size, 2) for size in shape] for shape in shapes]
    return [params | {"shapes": smaller}] if smaller != shapes else []


def _data(params: dict[str, Any], draw: Draw) -> dict[str, Any]:
    """Draw what a case sends; whatever the parameters leave open has its plain value here."""
    op, dtype = params["op"], getattr(torch, params.get("dtype", "float64"))
    shapes = [list(shape) for shape in params["shapes"]]
    layout = params.get("layout", "contiguous")
    if op == "gradient_penalty":
        shapes = [shapes[0], shapes[0]]
    inputs = [lay_out(_entries(shape, dtype, draw), layout) for shape in shapes]
    family, values = _coefficients(op, params["family"], inputs, draw)
    if family == "clamped":
        # The point of the first sample is negative, those of the others are not.
        for x in inputs:
            x.abs_()
            x[0].neg_()
    graph = params.get("graph", DEFAULT_GRAPH[op])
    options = dict(params.get("options", {}))
    if op != "gradient_penalty" and graph != DEFAULT_GRAPH[op]:
        options["create_graph"] = graph
    others = _others(op, inputs, params, draw)
    single = params.get("single", len(inputs) == 1)
    return {
        "family": family,
        "params": [value.to(dtype) for value in values],
        "trains": params.get("trains", False),
        "inputs": inputs,
        "grads": params.get("grads", ["none"] * len(inputs)),
        "single": single,
        "others": others,
        "others_train": params.get("others_train", False),
        "single_v": single,
        "options": options,
        "graph": graph,
        "returns": params.get("returns"),
        "cotangents": _cotangents(op, inputs, draw) if params.get("third") else [],
        "under_no_grad": params.get("under_no_grad", False),
        "prior": params.get("prior", False),
        "counts": params.get("counts", False),
    }


def _entries(shape: list[int], dtype: torch.dtype, draw: Draw) -> torch.Tensor:
    """Draw numbers of both signs between 0.3 and 1.4 in size, so that no power of them vanishes."""
    sign = draw.integers(shape, 0, 1, torch.float64) * 2 - 1
    return (sign * draw.uniform(shape, 0.3, 1.4, torch.float64)).to(dtype)


def _coefficients(
    op: str, family: str, inputs: list[torch.Tensor], draw: Draw
) -> tuple[str, list[torch.Tensor]]:
    """Draw what a family needs for points of these shapes."""
    sizes = [x.numel() for x in inputs]
    if op == "laplacian":
        sizes = [inputs[0].shape[1]]
    elif op == "gradient_penalty":
        sizes = [inputs[0][0].numel()]
    n, hidden = sum(sizes), 3
    layer = [[hidden, n], [hidden], [hidden]]
    shapes: dict[str, list[list[int]]] = {
        "quadratic": [[n, n], [n]],
        "polynomial": [[n], [n]],
        "tanh": layer,
        "softplus": layer,
        "flat": layer,
        "logsumexp": layer[:2],
        "chain": [[1], [1]],
        "cross": [sizes],
        "interaction": [list(x.shape) for x in inputs],
        "half linear": [list(x.shape) for x in inputs],
        "first only": [list(inputs[0].shape)],
    }
    values = [_entries(shape, torch.float64, draw) for shape in shapes.get(family, [[n]])]
    if family == "distance":
        # Outside the points, so that no distance is small.
        values[0] = values[0].sign() * 2.5 + values[0]
    if family == "flat":
        # The weights behind the activation are 0: a gradient that is exactly 0 everywhere.
        return "tanh", [*values[:2], values[2] * 0]
    return family, values


def _others(
    op: str, inputs: list[torch.Tensor], params: dict[str, Any], draw: Draw
) -> list[torch.Tensor]:
    """Draw the direction of a product, or the shares of the samples."""
    dtype = inputs[0].dtype
    if op == "hvp":
        layout = params.get("layout", "contiguous")
        return [lay_out(_entries(list(x.shape), dtype, draw), layout) for x in inputs]
    if op != "gradient_penalty":
        return []
    real = inputs[0]
    shape = [len(real), *[1] * (real.ndim - 1)] if params.get("wide") else [len(real)]
    return [draw.uniform(shape, 0.1, 0.9, dtype)]


def _cotangents(op: str, inputs: list[torch.Tensor], draw: Draw) -> list[torch.Tensor]:
    x = inputs[0]
    shapes = {
        "hvp": [each.shape for each in inputs],
        "hessian": [x.shape + x.shape],
        "laplacian": [x.shape[:1]],
        "gradient_penalty": [torch.Size()],
    }
    return [_entries(list(shape), x.dtype, draw) for shape in shapes[op]]


def _shown(op: str, params: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """Name a case as a person should see it."""
    names = {"hvp": "inputs", "gradient_penalty": "real and fake"}
    shown: dict[str, Any] = {"entry": op, "f": params["family"]}
    for position, x in enumerate(data["inputs"]):
        shown[f"{names.get(op, 'x')} {position}" if len(data["inputs"]) > 1 else "x"] = x
    for position, other in enumerate(data["others"]):
        shown[f"v {position}" if op == "hvp" else "alpha"] = other
    for position, value in enumerate(data["params"]):
        shown[f"coefficients {position}"] = value
    return shown | {"options": str(data["options"])}


_POINT = {"op": "hvp", "family": "polynomial", "shapes": [[3]]}
_PAIR = {"op": "hvp", "family": "interaction", "shapes": [[2], [3]]}
_ROWS = {"op": "laplacian", "family": "tanh", "shapes": [[3, 2]]}
_SAMPLES = {"op": "gradient_penalty", "family": "tanh", "shapes": [[3, 4]]}
_IMAGES = {"op": "gradient_penalty", "family": "tanh", "shapes": [[2, 3, 2, 2]]}
# What is wrong, the call that is made wrong by it, and what is replaced in its data.
ERRORS: dict[str, dict[str, tuple[dict[str, Any], dict[str, Any]]]] = {
    "hvp": {
        "hvp: f returns two numbers": (_POINT | {"returns": "twice"}, {}),
        "hvp: f returns no number": (_POINT | {"returns": "nothing"}, {}),
        "hvp: v is longer": (_POINT, {"v": [[4]]}),
        "hvp: v broadcasts": (_POINT, {"v": [[1]]}),
        "hvp: v has another dimension": (_POINT, {"v": [[3, 1]]}),
        "hvp: v is a tuple": (_POINT, {"v": [[3]], "single_v": False}),
        "hvp: v is one tensor": (_PAIR, {"v": [[2]], "single_v": True}),
        "hvp: v has one tensor": (_PAIR, {"v": [[2]]}),
        "hvp: v has three tensors": (_PAIR, {"v": [[2], [3], [3]]}),
        "hvp: v in another order": (_PAIR, {"v": [[3], [2]]}),
        "hessian: f returns two numbers": (_POINT | {"op": "hessian", "returns": "twice"}, {}),
        "hessian: f returns no number": (_POINT | {"op": "hessian", "returns": "nothing"}, {}),
    },
    "rows": {
        "laplacian: f returns two columns": (_ROWS | {"returns": "twice"}, {}),
        "laplacian: f returns one number": (_ROWS | {"returns": "sum"}, {}),
        "laplacian: f returns a row": (_ROWS | {"returns": "row"}, {}),
        "laplacian: f returns more rows": (_ROWS | {"returns": "longer"}, {}),
        "gradient_penalty: fake has more samples": (_SAMPLES, {"fake": [4, 4]}),
        "gradient_penalty: fake broadcasts": (_SAMPLES, {"fake": [1, 4]}),
        "gradient_penalty: fake has fewer dimensions": (_IMAGES, {"fake": [2, 3, 4]}),
        "gradient_penalty: alpha is longer": (_SAMPLES, {"v": [[4]]}),
        "gradient_penalty: alpha has one number": (_SAMPLES, {"v": [[1]]}),
        "gradient_penalty: alpha has no dimension": (_SAMPLES, {"v": [[]]}),
        "gradient_penalty: alpha is a row": (_SAMPLES, {"v": [[1, 3]]}),
        "gradient_penalty: alpha for each feature": (_SAMPLES, {"v": [[3, 4]]}),
        "gradient_penalty: alpha for each channel": (_IMAGES, {"v": [[2, 3, 1, 1]]}),
    },
}


def _errors(calls: dict[str, tuple[dict[str, Any], dict[str, Any]]], draw: Draw) -> Case:
    sent = {}
    for name, (params, change) in calls.items():
        data = _data(params, draw)
        if "v" in change:
            data["others"] = [_entries(shape, torch.float64, draw) for shape in change["v"]]
            data["single_v"] = change.get("single_v", data["single_v"])
        if "fake" in change:
            data["inputs"][1] = _entries(change["fake"], torch.float64, draw)
        sent[name] = {"op": params["op"], "data": data}
    return Case(
        steps=(Request(op="errors", data={"calls": sent}),),
        secret={"refused": list(sent)},
        shown={"calls": ", ".join(sent)},
    )
