"""Draw maps, cells and scenes for problem 34.

Legend: B samples, n numbers of a sample, J the Jacobian of the step, rho the norm of J.
"""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, Request

Params = dict[str, Any]

GROUPS = ("sample", "small", "edge", "grad", "perf")

RUN: Params = {
    "batch": 4,
    "n": 4,
    "shape": None,  # of a sample; [n] if None
    "kind": "identity",
    "form": "general",
    "rho": [0.1, 0.7],
    "start": "normal",
    "scale": 1.0,
    "dtype": "float64",
    "breaks_at": 0,
    "instead": math.nan,
    "options": {"tol": 1e-8, "max_iter": 400},
    # What the oracle asks: whether it converges, most calls, and the best point and exact report.
    "converges": True,
    "limit": None,
    "strict": False,
}
LAYER: Params = {
    "op": "layer",
    "scene": "once",
    "kind": "tied",
    "rho": 0.4,
    "batch": 3,
    "n": 5,
    "shape": None,
    "drive": None,  # numbers of a sample of x; the shape of z if None
    "dtype": "float64",
    # The judge's iteration, the same with a detour, the submission's anderson, or none given.
    "solver": "picard",
    "options": {"tol": 1e-11, "max_iter": 1000},
    "frozen": [],
    "x_needs_grad": True,
    "z0": False,
    "converges": True,
    # Which rules of the report and of the calls hold in this group: "", "report" or "calls".
    "rules": "",
}
# 640,000 bytes: above 256 KiB, from which on the C library maps a block of its own.
TILE, REPEATS, WIDTH = 40, 500, 4
FEW, MANY = 3, 17


def plan(group: str, draw: Draw) -> list[Params]:
    """List the parameters of a group's cases: those of a solver together, and those of a layer."""
    cases: list[Params] = []
    asked: dict[str, dict[str, Params]] = {}
    for number, params in enumerate(PLANS[group](draw)):
        op = params["op"]
        if op in ("solve", "layer"):
            asked.setdefault(op, {})[f"{op} {number + 1}"] = params
        else:
            cases.append(params)
    return [*({"parts": parts} for parts in asked.values()), *cases]


def build(group: str, params: Params, draw: Draw) -> Case:
    """Draw the inputs of one case."""
    return BUILDERS[params["op"]](params, draw)


def shrink(params: Params) -> list[Params]:
    """Return simpler parameters: fewer runs, fewer samples."""
    if params["op"] == "solve" and len(params["runs"]) > 1 and params["inner"] is None:
        return [params | {"runs": [run]} for run in params["runs"]]
    if params["op"] == "layer" and params["batch"] > 1:
        return [params | {"batch": 1}]
    return []


def _solve(*runs: Params, inner: bool | None = None) -> Params:
    return {"op": "solve", "runs": [RUN | run for run in runs], "inner": inner}


def _options(**options: Any) -> Params:
    return {"tol": 1e-8, "max_iter": 400} | options


def _layer(**options: Any) -> Params:
    return LAYER | options


def _sample(draw: Draw) -> list[Params]:
    return [
        _layer(rho=0.5),
        _solve({"start": "solution", "limit": 1}),
        _layer(batch=1, n=2, rho=0.3),
    ]


def _small(draw: Draw) -> list[Params]:
    ends = [
        {"n": n, "options": _options(m=n + more), "limit": n + 4}
        for n, more in ((1, 0), (2, 0), (4, 0), (1, 2), (2, 3), (4, draw.integer(1, 4)))
    ]
    ends.append({"n": 3, "options": _options(m=3, beta=draw.uniform([], 0.3, 0.7).item())})
    ends[-1]["limit"] = 7
    # The default of m: a window of four differences takes more calls than that.
    ends.append({"n": 5, "options": {"tol": 1e-8}, "limit": 9})
    stiff = {"n": 40, "batch": 1, "form": "stiff", "options": _options(m=8, tol=1e-10)}
    return [
        _solve(*ends),
        _solve(stiff | {"limit": 150}),
        _solve(
            {"n": 6, "kind": "tanh", "rho": [0.3, 0.6], "options": _options(m=1)},
            {"n": 6, "kind": "tanh", "rho": [0.3, 0.6], "options": _options(m=1, beta=0.4)},
            {"n": 5, "kind": "tanh", "batch": 1, "options": _options(m=3, beta=1.3)},
        ),
        _solve({"n": 12, "shape": [3, 4], "kind": "tanh"}),
        _solve({"n": 4, "dtype": "float32", "options": _options(m=4, tol=1e-5)}),
        # One after the other on the same shape, then one inside another.
        _solve(*[{"n": 4, "options": _options(m=4), "limit": 8} for _ in range(3)]),
        _solve({"n": 4, "options": _options(m=4), "limit": 8}, inner=True),
        _layer(n=12, shape=[3, 4]),
        _layer(dtype="float32", rho=0.5, options={"tol": 1e-5, "max_iter": 200}),
        _layer(frozen=["a", "b"]),
        _layer(frozen=["a", "u", "b"]),
        _layer(x_needs_grad=False),
        _layer(frozen=["a", "u", "b"], x_needs_grad=False),
        _layer(drive=3, z0=True),
        *[_layer(scene=scene) for scene in ("chained", "side_by_side", "retained")],
        _layer(scene="without_grad"),
    ]


def _edge(draw: Draw) -> list[Params]:
    strict: Params = {"strict": True}
    short = strict | {"n": 10, "kind": "tanh", "rho": [0.6, 0.9], "converges": False}
    growing = strict | {"form": "growing", "start": "small", "converges": False}
    broken = strict | {"breaks_at": draw.integer(4, 6), "converges": False, "n": 8}
    layers: Params = {"rules": "report", "converges": False}
    return [
        _solve(
            *[short | {"options": _options(max_iter=count)} for count in (1, 2, 5)],
            *[growing | {"options": _options(max_iter=count)} for count in (2, 3)],
        ),
        _solve(growing | {"n": 6, "options": _options(max_iter=9, m=1), "batch": 2}),
        # Without options: more numbers than five differences reach in 50 calls.
        _solve(strict | {"n": 40, "batch": 1, "form": "stiff", "options": {}, "converges": False}),
        _solve(broken, broken | {"instead": math.inf}, growing | {"breaks_at": 3}),
        _solve(
            strict | {"breaks_at": 1, "converges": False},
            strict | {"breaks_at": 1, "converges": False, "instead": -math.inf},
        ),
        _solve(strict | {"batch": 0}, strict | {"start": "solution"}),
        _solve(strict | {"batch": 64, "n": 6, "form": "one slow"}),
        _solve(strict | {"scale": 1e8, "batch": 3}, strict | {"scale": 1e-6, "batch": 3}),
        _solve(
            strict | {"kind": "tanh", "n": 6, "dtype": "float32", "options": _options(tol=1e-5)}
        ),
        _layer(**layers, solver="own", options={"tol": 1e-11, "max_iter": 4}, rho=0.9),
        _layer(**layers, solver="own", options={"tol": 1e-11, "max_iter": 9}, rho=3.0),
        _layer(**layers, solver="picard", options={"tol": 1e-11, "max_iter": 3}, rho=0.9),
        _layer(batch=0, rules="report", solver="own"),
        _layer(solver="detour", rules="report"),
        _layer(scene="forward_only", rules="report", solver="default", options={}, rho=0.4),
    ]


def _grad(draw: Draw) -> list[Params]:
    n = draw.integer(4, 7)
    kinds = (("tanh", 0.95, "own"), ("linear", 0.9, "picard"), ("sin", 0.8, "own"))
    return [
        *[
            _layer(kind=kind, rho=rho, n=n, rules="report", solver=solver)
            for kind, rho, solver in kinds
        ],
        _layer(kind="tanh", rho=0.8, n=6, shape=[2, 3], drive=4, z0=True),
    ]


def _perf(draw: Draw) -> list[Params]:
    calls: Params = {"rules": "calls", "kind": "tanh", "rho": 0.7}
    apart = {"tol": 1e-11, "max_iter": 300, "backward_tol": 1e-12, "backward_max_iter": 250}
    return [
        _layer(**calls, z0=True),
        _layer(**calls, options=apart),
        _layer(**calls, options=apart, scene="retained"),
        _layer(**calls, scene="without_grad"),
        _layer(**calls, solver="own"),
        {"op": "memory", "max_iters": [3, 60]},
        {"op": "alone", "max_iters": [FEW, MANY]},
    ]


PLANS = {"sample": _sample, "small": _small, "edge": _edge, "grad": _grad, "perf": _perf}


# --- maps -----------------------------------------------------------------------------------------


def _orthogonal(draw: Draw, count: int, n: int) -> torch.Tensor:
    """Draw orthogonal matrices."""
    return torch.linalg.qr(draw.normal([count, n, n], torch.float64)).Q


def _matrices(run: Params, draw: Draw) -> torch.Tensor:
    """Draw the matrix of each sample; the form says how its singular values lie."""
    count, n = run["batch"], run["n"]
    q = _orthogonal(draw, count, n)
    if run["form"] == "stiff":
        # Symmetric, with eigenvalues from 0 to 0.97: Picard takes about 600 calls to 1e-10.
        return q @ torch.diag(torch.linspace(0.0, 0.97, n, dtype=torch.float64)) @ q.mT
    if run["form"] == "growing":
        # Rotations by a right angle, times 1.6 or more: residuals of Picard grow from the first.
        half = n // 2
        turn = torch.zeros(n, n, dtype=torch.float64)
        turn[:half, half:], turn[half:, :half] = torch.eye(half), -torch.eye(half)
        return q @ turn @ q.mT * draw.uniform([count, 1, 1], 1.6, 2.0, torch.float64)
    rho = draw.uniform([count, 1, 1], *run["rho"], torch.float64)
    if run["form"] == "one slow":
        rho.fill_(0.1)[draw.integer(0, count - 1)] = 0.95
    size = draw.uniform([count, 1, n], 0.4, 1.0, torch.float64)
    size[..., 0] = 1.0
    return (q * size * rho) @ _orthogonal(draw, count, n).mT


def _solution(matrix: torch.Tensor, shift: torch.Tensor) -> torch.Tensor:
    """Solve z = M z + c."""
    eye = torch.eye(matrix.shape[-1], dtype=torch.float64)
    return torch.linalg.solve(eye - matrix, shift)


def _build_run(run: Params, draw: Draw) -> Params:
    count, n = run["batch"], run["n"]
    matrix = _matrices(run, draw)
    shift = draw.normal([count, n], torch.float64, run["scale"])
    if run["form"] == "growing":
        shift = torch.zeros_like(shift)
    z0 = draw.normal([count, n], torch.float64, 0.05 if run["start"] == "small" else 1.0)
    if run["start"] == "solution":
        z0 = _solution(matrix, shift)
    dtype = getattr(torch, run["dtype"])
    spec = {
        "matrix": matrix.to(dtype),
        "shift": shift.to(dtype),
        "kind": run["kind"],
        "breaks_at": run["breaks_at"],
        "place": draw.integer(0, max(count * n - 1, 0)),
        "instead": run["instead"],
    }
    shape = [count, *(run["shape"] or [n])]
    return {"map": spec, "z0": z0.to(dtype).reshape(shape), "options": run["options"]}


def _build_solve(params: Params, draw: Draw) -> Case:
    runs = [_build_run(run, draw) for run in params["runs"]]
    inner = _build_run(RUN | {"options": {}, "batch": 4, "n": 4}, draw)
    data = {"runs": runs, "inner": inner if params["inner"] else None}
    shown: Params = {}
    for number, (asked, run) in enumerate(zip(params["runs"], runs, strict=True)):
        prefix = f"run {number}: " if len(runs) > 1 else ""
        shown[f"{prefix}f"] = f"{asked['kind']}(M z + c), M {asked['form']}"
        shown[f"{prefix}z0"] = run["z0"]
        shown |= {f"{prefix}{name}": value for name, value in run["options"].items()}
    secret = {"op": "solve", "data": data, "runs": params["runs"]}
    return Case(steps=(Request(op="solve", data=data),), secret=secret, shown=shown)


# --- cells ----------------------------------------------------------------------------------------


def _cell(
    kind: str, n: int, drive: int, rho: float, draw: Draw, *, frozen: list[str] | None = None
) -> Params:
    """Draw a cell whose Jacobian has at most the norm rho; the matrix is a product of two."""
    left = _orthogonal(draw, 1, n)[0]
    size = draw.uniform([n], 0.5, 1.0, torch.float64)
    size[0] = 1.0
    if kind == "tied":
        # The slope of tanh is at most 1, so the norm of a D a^T is at most that of a, squared.
        tensors = {"a": (left * size * math.sqrt(rho)) @ _orthogonal(draw, 1, n)[0]}
    else:
        right = _orthogonal(draw, 1, n)[0]
        mixer = _orthogonal(draw, 1, n)[0] * draw.uniform([n], 0.5, 2.0, torch.float64)
        # p q^T = left size rho right^T, whatever the mixer is.
        tensors = {
            "p": (left * size * rho) @ mixer,
            "q": right @ torch.linalg.inv(mixer).mT,
        }
    tensors["u"] = draw.normal([drive, n], torch.float64, 1.0 / math.sqrt(drive))
    tensors["b"] = draw.normal([n], torch.float64, 0.3)
    kinds = {"linear": "identity"}
    return {"kind": kinds.get(kind, kind), "tensors": tensors, "frozen": frozen or []}


def _build_layer(params: Params, draw: Draw) -> Case:
    n, count, dtype = params["n"], params["batch"], getattr(torch, params["dtype"])
    shape = [count, *(params["shape"] or [n])]
    drive = params["drive"] or n
    x_shape = shape if params["drive"] is None else [count, drive]
    cell = _cell(params["kind"], n, drive, params["rho"], draw, frozen=params["frozen"])
    cell["tensors"] = {name: value.to(dtype) for name, value in cell["tensors"].items()}
    data = {
        "cell": cell,
        "x": draw.normal(x_shape, dtype),
        "z0": draw.normal(shape, dtype) if params["z0"] else None,
        "cotangents": [draw.normal(shape, dtype)],
        "scene": params["scene"],
        "solver": params["solver"],
        "options": params["options"],
        "x_needs_grad": params["x_needs_grad"],
    }
    shown = {
        "scene": params["scene"],
        "cell": f"{params['kind']}, rho {params['rho']}",
        "solver": params["solver"],
        **params["options"],
        "frozen": params["frozen"],
        **{name: data[name] for name in ("x", "z0")},
        "cotangent": data["cotangents"][0],
    }
    secret = {"op": "layer", "data": data, "params": params}
    return Case(steps=(Request(op="layer", data=data),), secret=secret, shown=shown)


def _build_memory(params: Params, draw: Draw) -> Case:
    data = {
        "cell": _cell("tanh", 8, 8, 0.95, draw),
        "x": draw.normal([16, 8], torch.float64),
        "max_iters": params["max_iters"],
    }
    shown = {"max_iter": params["max_iters"], "x": data["x"]}
    secret = {"op": "memory", "data": data}
    return Case(steps=(Request(op="memory", data=data),), secret=secret, shown=shown)


def _build_alone(params: Params, draw: Draw) -> Case:
    requests = []
    for max_iter in params["max_iters"]:
        data = {
            "cell": _cell("tanh", WIDTH, WIDTH, 0.3, draw),
            "tile": draw.normal([TILE, WIDTH], torch.float64),
            "repeats": REPEATS,
            "max_iter": max_iter,
            "alone": True,
        }
        requests.append(Request(op="alone", data=data))
    shown = {"max_iter": params["max_iters"], "samples": TILE * REPEATS, "numbers": WIDTH}
    secret = {"op": "alone", "steps": [request.data for request in requests]}
    return Case(steps=tuple(requests), secret=secret, shown=shown)


BUILDERS = {
    "solve": _build_solve,
    "layer": _build_layer,
    "memory": _build_memory,
    "alone": _build_alone,
}
