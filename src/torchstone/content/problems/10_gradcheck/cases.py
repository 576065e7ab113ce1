"""Plant faults in derivatives of problem 10, among right ones that look the same."""

from __future__ import annotations

import math
from typing import Any

import torch

from torchstone.judge.kit import Case, Draw, OpaqueFunction, Request, lay_out

GROUPS = ("sample", "right", "edge", "layout", "planted", "params", "state", "large", "errors")

RIGHT: tuple[dict[str, Any], ...] = (
    {"machine": "linear", "sizes": [[2, 1, 2]]},
    {"machine": "cubic"},
    {"machine": "quadratic", "sizes": [[2], [1, 3]]},
    {"machine": "quadratic", "shapes": [[2], [3]]},
    {"machine": "linear", "sizes": [[]], "shapes": [[]]},
    *({"function": name} for name in ("softmax", "scalar", "integer output")),
    *({"function": name} for name in ("constant output", "arguments")),
    {"function": "matmul", "shape": [1, 2]},
    {"function": "unused", "shape": [3]},
    # Rounding is relative: a linear backward may miss v J by far more than any absolute allowance.
    {"function": "large sums", "shape": [2, 3]},
)
EDGE: tuple[dict[str, Any], ...] = (
    *({"function": name} for name in ("identity", "view", "views", "inside")),
    *({"function": name} for name in ("list", "in place")),
    {"function": "constant", "shape": [2], "checked": [True, True]},
    {"function": "integers", "shape": [2]},
    {"function": "identity", "shape": [0]},
    {"function": "nothing", "shape": [2]},
    {"function": "row sums", "shape": [2, 0]},
    {"function": "identity", "shape": []},
    {"function": "sum", "shape": [3], "bare": True},
    {"function": "sum", "shape": [3], "checked": [True, False]},
)
PLANTED = (
    "constant factor",
    "one per cent",
    "cotangent ignored",
    "diagonal only",
    "input without gradient",
    "input without gradient",
    "second output",
    "listed output",
    "noise",
    "late noise",
    "last entry",
    "cancelling",
    "transposed",
    "rolled",
    "bent",
    "square",
    "cubed",
    "nan",
    "inf",
    "nan value",
    "detached",
    "all detached",
)
# Functions and faults where a Jacobian has NaN or infinity.
SINGULAR = ("undefined", "steep", "brink")
NOT_FINITE = ("nan", "inf", "nan value")
# Factors of 1, g, |g|, g^2 and g^3 in what backward does to its cotangent; g alone is right.
BENDS: dict[str, list[float]] = {
    "cotangent ignored": [1, 0, 0, 0, 0],
    "bent": [0, 127 / 128, 1 / 128, 0, 0],  # who sees a trace of |g| sees |g| itself
    "square": [0, 0, 0, 1, 0],
    "cubed": [0, 0, 0, 0, 1],  # as good as g for entries of 0, 1 and -1
}
PARAMS = (
    {"fault": "factor", "by": 1.0003, "wanted": True},
    {"fault": "factor", "by": 1.01, "wanted": False},
    {"fault": "factor", "by": 1.01, "options": {"rtol": 0.1}, "wanted": True},
    # Beyond rtol * |n|, though within rtol * |a|.
    {"fault": "factor", "by": 4.2, "options": {"rtol": 1.0}, "wanted": False},
    {"fault": "entry", "by": 3e-3, "options": {"rtol": 0.0, "atol": 1e-2}, "wanted": True},
    {"fault": "entry", "by": 4e-2, "options": {"rtol": 0.0, "atol": 1e-2}, "wanted": False},
    # Central differences are exact for quadratics at any step; forward differences are not.
    {"options": {"eps": 1e-3, "atol": 1e-7, "rtol": 1e-7}, "wanted": True},
    # An error that half precision rounds to 0.
    {
        "fault": "entry",
        "by": 2e-8,
        "options": {"eps": 1e-3, "atol": 5e-9, "rtol": 0.0},
        "wanted": False,
    },
    {"machine": "only cubic", "options": {"eps": 0.5}, "wanted": False},
    # A tolerance is not too much if it is met exactly: here 0 is wanted within 0.
    {"function": "unused", "shape": [3], "options": {"atol": 0.0}},
    {"fault": "noise", "by": 1e-8, "options": {"nondet_tol": 1e-6}, "wanted": True},
    # The noise of all rows adds up in v J. It stays below nondet_tol itself: whether that allows
    # its own size or a multiple of it is left open.
    {
        "fault": "noise",
        "by": 4e-4,
        "sizes": [[6]],
        "shapes": [[24]],
        "options": {"nondet_tol": 1e-2, "atol": 1e-2},
        "wanted": True,
    },
    {"fault": "noise", "by": 3e-4, "options": {"nondet_tol": 1e-6}, "wanted": False},
)
STATE = (
    {"fault": "constant factor", "options": {"raise_exception": False}},
    {"fault": None, "options": {"raise_exception": False}},
    {"fault": None, "under_no_grad": True},
    {"fault": None, "with_grad": True},
    {"fault": "last entry", "with_grad": True, "under_no_grad": True},
    {"fault": None, "sizes": [[2, 3]], "shapes": [[3, 2]]},
    # The same tensors are overwritten, and the checker is called again.
    {"fault": "elsewhere", "wanted": True},
)
ERRORS = (
    {"kind": "no grad", "raises": "ValueError"},
    {"kind": "float32", "raises": "ValueError"},
    {"kind": "float32", "raises": "ValueError", "quiet": True},
    {"kind": "mixed", "raises": "ValueError"},
    {"kind": "no grad", "raises": "ValueError", "quiet": True},
    # Quiet, so that a GradcheckError, which is a RuntimeError, does not pass for the refusal.
    {"kind": "overlap", "raises": "ValueError", "quiet": True},
    {"kind": "function", "raises": "LookupError"},
    {"kind": "late function", "raises": "LookupError", "quiet": True},
    {"kind": "backward", "raises": "LookupError", "quiet": True},
    # GradcheckError is a RuntimeError, and what refuses an input a ValueError: neither is theirs.
    {"kind": "function", "raises": "RuntimeError", "quiet": True},
    {"kind": "late function", "raises": "ValueError", "quiet": True},
    {"kind": "backward", "raises": "RuntimeError", "quiet": True},
    {"kind": "backward", "raises": "ArithmeticError"},
)


def plan(group: str, draw: Draw) -> list[dict[str, Any]]:
    """List the parameters of a group's cases."""
    if group == "planted":
        cases: list[dict[str, Any]] = [{"fault": fault} for fault in PLANTED]
        # Right functions hide among the faults, in an order that nobody can know; their inputs and
        # outputs have the shapes of those that are wrong.
        cases += [{"machine": kind} for kind in ("linear", "quadratic", "cubic")]
        right = {"machine": "quadratic"}
        cases += [right | {"sizes": [[2], [3]]}, right | {"shapes": [[2], [2]]}]
        cases += [right | {"sizes": [[2]], "shapes": [[24]]}, right | {"listed": True}]
        # Equal NaN or infinities on both sides are failures all the same.
        singular = {"shape": [2], "wanted": False}
        cases += [singular | {"function": name} for name in SINGULAR]
        order = torch.randperm(len(cases), generator=draw.generator).tolist()
        return [cases[position] for position in order]
    plans: dict[str, tuple[dict[str, Any], ...]] = {
        "sample": ({"machine": "quadratic"}, {"fault": "constant factor"}),
        "right": RIGHT,
        "edge": EDGE,
        "layout": (
            *({"layout": layout} for layout in ("transposed", "stepped", "offset")),
            {"layout": "stepped", "fault": "strided"},
        ),
        "params": PARAMS,
        "state": STATE,
        "large": ({"function": "dense", "shape": [8, 12]},),
        "errors": ERRORS,
    }
    return [dict(params) for params in plans[group]]


def build(group: str, params: dict[str, Any], draw: Draw) -> Case:
    """Draw the inputs of one case."""
    if group == "errors":
        return _error(params, draw)
    if "function" in params:
        return _plain(params, draw)
    return _machine(group, params, draw)


def _request(inputs: list[Any], **data: Any) -> Request:
    """Fill in what a case leaves open."""
    whole: dict[str, Any] = {
        "inputs": inputs,
        "function": "machine",
        "options": {},
        "bare": False,
        "under_no_grad": False,
        "with_grad": False,
        "fails_at": -1,
        "error": "",
    }
    whole |= data
    whole.setdefault("program", None)
    if "checked" not in data:
        floating = [isinstance(x, torch.Tensor) and x.is_floating_point() for x in inputs]
        whole["checked"] = floating
    return Request(op="check", data=whole)


def _program(draw: Draw, n: int, shapes: list[list[int]], kind: str) -> dict[str, Any]:
    """Draw what forward computes, and let backward claim exactly that."""
    m = sum(torch.Size(shape).numel() for shape in shapes)
    # The terms of an entry have one sign and inputs lie in [0.5, 1.5], so that for every seed each
    # entry of the Jacobian is 0.5 to 12.1 in size.
    sign = draw.integers([m, n], 0, 1, torch.float64) * 2 - 1
    linear, square, cube = (sign * draw.uniform([m, n], 0.5, 2.0, torch.float64) for _ in range(3))
    square = square if kind in ("quadratic", "cubic") else square * 0
    # Small enough that a forward difference with the default step still passes.
    cube = cube * 0.3 if "cubic" in kind else cube * 0
    return {
        "weights": [draw.normal([m], torch.float64), linear, square, cube],
        "claims": [linear.clone(), square.clone(), cube.clone()],
        "bends": [0.0, 1.0, 0.0, 0.0, 0.0],
        "shapes": shapes,
        "shift": torch.zeros(n, dtype=torch.float64),
        "noise": torch.zeros(m, dtype=torch.float64),
        "listed": False,
        "stretch": 1.0,
        "given": [True],
        "attached": [True] * len(shapes),
    }


def _hidden(program: dict[str, Any], draw: Draw) -> Any:
    """Return a program as the probe gets it: a function that can be called, and not read."""
    bias, *weights = program["weights"]
    others = {key: item for key, item in program.items() if key != "weights"}
    hidden = OpaqueFunction(bias=bias, weights=weights, seed=draw.integer(0, 1 << 40), **others)
    return hidden.encrypted()


def _machine(group: str, params: dict[str, Any], draw: Draw) -> Case:
    fault, kind = params.get("fault"), params.get("machine", "quadratic")
    if fault == "transposed":
        kind = "linear"  # only then is what backward claims the Jacobian's exact transpose
    flat = "layout" not in params and group not in ("sample", "right")
    sizes = params.get("sizes", [[draw.integer(2, 3)] if flat else [2, draw.integer(2, 3)]])
    n = sum(torch.Size(size).numel() for size in sizes)
    shapes = params.get("shapes", [[3]])
    if fault in ("transposed", "rolled", "diagonal only"):
        shapes = [[n]]
    elif fault in ("second output", "listed output", "detached"):
        shapes = [[2], [draw.integer(2, 3)]]
    elif fault == "input without gradient":
        sizes, n = [[2], [3]], 5
    elif fault == "bent":
        # So many outputs that no random cotangent has entries of one sign.
        sizes, shapes, n = [[2]], [[24]], 2
    program = _program(draw, n, shapes, kind)
    program["given"] = [True] * len(sizes)
    program["listed"] = params.get("listed", False)
    inputs = [draw.uniform(size, 0.5, 1.5, torch.float64) for size in sizes]
    inputs = [lay_out(x, params.get("layout", "contiguous")) for x in inputs]
    again: dict[str, Any] = {}
    if fault == "elsewhere":
        again = {"again": _plant_elsewhere(inputs, program)}
    elif fault is not None:
        _plant(fault, params.get("by", 0.0), program)
    true, claimed = program["weights"], program["claims"]
    secret = {"true": true, "claims": claimed, "program": program, "inputs": inputs}
    secret |= {"options": params.get("options", {}), "group": group} | again
    kept = {k: params[k] for k in ("options", "under_no_grad", "with_grad") if k in params}
    request = _request(inputs, program=_hidden(program, draw), **kept, **again)
    secret["wanted"] = params.get("wanted", fault is None)
    secret["singular"] = fault in NOT_FINITE
    shown = {"inputs": inputs[0], "what backward does": fault or "right"}
    shown |= {"options": str(kept.get("options", {}))}
    return Case(steps=(request,), secret=secret, shown=shown)


def _plant(fault: str, by: float, program: dict[str, Any]) -> None:
    """Change what backward claims, by three times the tolerance at least, whatever the seed.

    An entry n of the Jacobian lies in 0.5 <= |n| <= 12.1, and the tolerance is 1e-5 + 1e-3 |n|:
    - a share of n: 0.01 |n| is 9.8 tolerances for the smallest, more for others;
    - an entry or an output that is missing, moved, ignored or half too large: 0.2 or more, which is
      16 tolerances of the largest;
    - the last entry: 5e-4 beside |n| <= 0.08, which is 5.5 tolerances.
    What bends the cotangent is no matter of tolerance, but of more than 1e-6 in v J.
    """
    claims = program["claims"]
    factors = {"constant factor": 1.5, "one per cent": 1.01, "factor": by}
    if fault in factors:
        program["claims"] = [claim * factors[fault] for claim in claims]
    elif fault in BENDS:
        _bend(fault, program)
    elif fault in ("nan", "inf"):
        program["shift"][-1] = float(fault)
    elif fault == "entry":
        claims[0][-1, -1] += by
    elif fault in ("noise", "late noise"):
        # Late: only the last output's VJP differs from run to run.
        program["noise"][-1 if fault == "late noise" else 0 :] = by or 1e-8
    elif fault == "strided":
        program["stretch"] = 1.1
    elif fault == "nan value":
        program["weights"][0][-1] = torch.nan
    elif fault == "input without gradient":
        program["given"][1] = False
    elif fault in ("detached", "all detached"):
        program["attached"][-1] = False
    else:
        _plant_matrix(fault, program)


def _plant_elsewhere(inputs: list[torch.Tensor], program: dict[str, Any]) -> list[torch.Tensor]:
    """Claim what is right at the inputs alone; return inputs at which it is wrong.

    There each entry of the Jacobian is off by 0.3, which is 24 tolerances of the largest.
    """
    claims, z = program["claims"], torch.cat([x.reshape(-1) for x in inputs])
    claims[0] -= z
    claims[1] += 0.5
    return [torch.where(x < 1, x + 0.3, x - 0.3) for x in inputs]


def _bend(fault: str, program: dict[str, Any]) -> None:
    program["bends"] = BENDS[fault]
    if fault == "bent":
        # What the negative entries of a cotangent do wrong must not cancel.
        for matrix in (*program["weights"][1:], *program["claims"]):
            matrix.abs_()


def _plant_matrix(fault: str, program: dict[str, Any]) -> None:
    weights, claims = program["weights"][1:], program["claims"]
    if fault == "diagonal only":
        program["claims"] = [claim * torch.eye(len(claim), dtype=claim.dtype) for claim in claims]
    elif fault in ("transposed", "rolled"):
        # The entry that takes the place of another is never like it.
        for weight in weights:
            weight[1, 0] = -(weight[0, 1] if fault == "transposed" else weight[0, 0])
        moved = [weight.T if fault == "transposed" else weight.roll(1, 0) for weight in weights]
        program["claims"] = [weight.clone() for weight in moved]
    elif fault in ("second output", "listed output"):
        claims[0][-1] *= 1.5
        program["listed"] = fault == "listed output"
    elif fault == "last entry":
        # The entry itself is small, so that an error well beyond its tolerance is small, too. The
        # others of its row and column have one sign: their sums, and the tolerances, are large.
        for weight, claim in zip(weights, claims, strict=True):
            weight[:, -1].abs_()
            weight[-1].abs_()
            weight[-1, -1] *= 0.01
            claim.copy_(weight)
        claims[0][-1, -1] += 5e-4
    else:
        assert fault == "cancelling", f"unknown fault {fault!r}"
        claims[0][0, 0] += 0.5
        claims[0][1, 0] -= 0.5


def _plain(params: dict[str, Any], draw: Draw) -> Case:
    """Check a function of PyTorch's own operators, which is right."""
    name = params["function"]
    shape = params.get("shape", [2, draw.integer(2, 3)])
    x = draw.uniform(shape, 0.6, 1.4, torch.float64)
    if name == "brink":
        x = torch.ones_like(x)
    elif name == "steep":
        # |cos(100 x)| > 0.9 everywhere, so that every slope overflows.
        turns = draw.integers(shape, 20, 44, torch.float64)
        x = (math.pi * turns + draw.uniform(shape, -0.4, 0.4, torch.float64)) / 100
    inputs: list[Any] = [x]
    if name == "dense":
        inputs.append(draw.normal([144, x.numel()], torch.float64, scale=0.1))
        params = params | {"checked": [True, False]}
    elif name == "matmul":
        inputs.append(draw.normal([shape[1], 2], torch.float64))
    elif name == "arguments":
        inputs += [draw.integers([3], 0, shape[0] - 1), 2.5]
    elif name == "unused" or "checked" in params:
        inputs.append(draw.normal(shape, torch.float64))
    kept = {key: params[key] for key in ("bare", "checked", "options") if key in params}
    request = _request(inputs, function=name, **kept)
    return Case(
        steps=(request,),
        secret={
            "wanted": params.get("wanted", True),
            "singular": name in SINGULAR,
            "group": "plain",
            "options": {},
        },
        shown={"inputs": x, "function": name},
    )


def _error(params: dict[str, Any], draw: Draw) -> Case:
    kind = params["kind"]
    x = draw.normal([2, 2], torch.float64)
    options = {"raise_exception": False} if params.get("quiet") else {}
    data: dict[str, Any] = {"function": "sum", "options": options, "error": params["raises"]}
    inputs: list[Any] = [x]
    if kind == "no grad":
        data["checked"] = [False]
    elif kind == "float32":
        inputs = [x.float()]
    elif kind == "mixed":
        inputs.append(x.float())
    elif kind == "overlap":
        inputs = [lay_out(x, "expanded")]
    elif kind in ("function", "late function"):
        data["fails_at"] = 1 if kind == "function" else 3
    else:
        data["function"] = "broken backward"
    request = _request(inputs, **data)
    shown = {"inputs": inputs[0], "kind": kind}
    passes = kind in ("function", "late function", "backward")
    secret = {"raises": params["raises"], "passes": passes}
    return Case(steps=(request,), secret=secret, shown=shown)
