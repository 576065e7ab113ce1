"""Rules for what a solver and a layer report: each yields what is wrong, in both languages.

The points and the values of the map are those that the program saw, so residuals are computed from
them in float64. A program computes them in the dtype of the points: SLACK covers its rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

Words = dict[str, str]

SLACK = {torch.float64: 1e-6, torch.float32: 1e-3}
EXTRA_CALLS = 4
NAMES = {"forward": "前向", "backward": "反向"}
PHASE = {"phase", "calls", "recorded", "asked", "forward", "adjoint"}


def words(en: str, zh: str) -> Words:
    """Return a text in both languages."""
    return {"en": en, "zh": zh}


REPORT = words(
    "the report is a SolveInfo of a bool, an int and a float",
    "报告是由 bool、int、float 组成的 SolveInfo",
)


def is_report(info: Any) -> bool:
    """Return whether this is a SolveInfo of a bool, an int and a float that is a number."""
    kinds = [type(item) for item in info] if isinstance(info, list) else []
    return kinds == [bool, int, float] and not math.isnan(info[2])


def is_log(value: Any, like: Tensor) -> bool:
    """Return whether this is what the probe says of one call of ``anderson``."""
    if not isinstance(value, dict) or set(value) != {"z", "info", "points", "values"}:
        return False
    tensors = [value[name] for name in ("z", "points", "values")]
    if not all(isinstance(t, Tensor) and t.dtype == like.dtype for t in tensors):
        return False
    z, points, values = tensors
    rows = (len(points), *like.shape) if points.ndim else ()
    return z.shape == like.shape and len(rows) > 0 and points.shape == values.shape == rows


# --- the log of a solver --------------------------------------------------------------------------


def faults_of_solve(value: Any, asked: dict[str, Any], run: dict[str, Any]) -> Iterator[Words]:
    """Check one call of ``anderson`` against the log of its map."""
    if not is_log(value, run["z0"]):
        yield words("the judge's log of the map can be read", "评测机对映射的记录可以读取")
        return
    points, values, info = value["points"], value["values"], value["info"]
    if not is_report(info):
        yield REPORT
        return
    if info[1] != len(points):
        yield words(
            f"num_iterations is {info[1]}, f was called {len(points)} times",
            f"num_iterations 为 {info[1]}，而 f 被调用了 {len(points)} 次",
        )
    if not len(points) and not len(run["z0"]) and info == [True, 0, 0.0]:
        return  # An empty batch needs no call.
    if not len(points) or not torch.equal(points[0], run["z0"]):
        yield words("the first point evaluated is z0", "第一个求值的点是 z0")
    residuals = [_residual(z, fz) for z, fz in zip(points, values, strict=True)]
    if not asked["strict"]:
        yield from _in_time(info, asked, run)
    else:
        yield from _stopped(info, residuals, run)
        yield from _best(value, residuals, run)
    yield from _mixed(points, values, run)


def _residual(z: Tensor, fz: Tensor) -> float:
    """Return the residual of a point; infinite if the map is not finite there."""
    if not fz.isfinite().all():
        return math.inf
    if not len(z):
        return 0.0
    z, fz = z.double().flatten(1), fz.double().flatten(1)
    return float(((fz - z).norm(dim=1) / fz.norm(dim=1).clamp(min=1.0)).max())


def _in_time(info: list[Any], asked: dict[str, Any], run: dict[str, Any]) -> Iterator[Words]:
    """Demand that it converged, in at most so many calls."""
    if not info[0] or not info[2] <= run["options"].get("tol", 1e-6):
        yield words(
            f"the solver converges; it reports {info[0]} and {info[2]:.3g} after {info[1]} calls",
            f"求解器应收敛；它在 {info[1]} 次调用后报告 {info[0]} 与 {info[2]:.3g}",
        )
    if asked["limit"] is not None and info[1] > asked["limit"]:
        yield words(
            f"at most {asked['limit']} calls of f suffice, here {info[1]} were made",
            f"至多需要 {asked['limit']} 次 f 调用，这里用了 {info[1]} 次",
        )


def _stopped(info: list[Any], residuals: list[float], run: dict[str, Any]) -> Iterator[Words]:
    """Demand a stop at the first residual within tol, at max_iter, or at a non-finite value."""
    tol, most = run["options"].get("tol", 1e-6), run["options"].get("max_iter", 50)
    slack = SLACK[run["z0"].dtype]
    if len(residuals) > most:
        yield words(f"f is called at most {most} times", f"f 至多调用 {most} 次")
    early = [k for k, r in enumerate(residuals[:-1]) if r <= tol * (1 - slack) or r == math.inf]
    if early:
        yield words(
            f"the solver stops at call {early[0] + 1}, not at call {len(residuals)}",
            f"求解器应在第 {early[0] + 1} 次调用处停止，而不是第 {len(residuals)} 次",
        )
    last = residuals[-1]
    if tol * (1 + slack) < last < math.inf and len(residuals) < most:
        yield words(
            f"the solver goes on until a residual is at most tol; it stopped at {last:.3g}",
            f"残差不超过 tol 之前应继续迭代；它停在 {last:.3g}",
        )


def _best(value: dict[str, Any], residuals: list[float], run: dict[str, Any]) -> Iterator[Words]:
    """Demand the evaluated point with the smallest residual, and a report of that point."""
    info, z = value["info"], value["z"]
    slack = SLACK[run["z0"].dtype]
    reached = [
        r for point, r in zip(value["points"], residuals, strict=True) if torch.equal(point, z)
    ]
    smallest = min(residuals)
    if not reached:
        yield words("the result is one of the evaluated points", "结果是求过值的点之一")
    elif min(reached) > smallest * (1 + slack):
        yield words(
            f"the result has the residual {min(reached):.3g}, the best point {smallest:.3g}",
            f"结果的残差为 {min(reached):.3g}，而最优点为 {smallest:.3g}",
        )
    is_same = info[2] == smallest or abs(info[2] - smallest) <= slack * smallest
    if not is_same:
        yield words(
            f"the residual of the result is {smallest:.3g}, reported is {info[2]:.3g}",
            f"结果的残差是 {smallest:.3g}，报告的是 {info[2]:.3g}",
        )
    if info[0] != (info[2] <= run["options"].get("tol", 1e-6)):
        yield words("converged means residual <= tol", "converged 即 residual <= tol")


def _mixed(points: Tensor, values: Tensor, run: dict[str, Any]) -> Iterator[Words]:
    """Demand that each point is a mixture, with sum one, of the m + 1 before it.

    The weights are free. So the distance from the affine hull is computed, of each sample, and
    compared with the length of the step: rounding reaches far less than the share that is allowed.
    """
    if run["z0"].dtype != torch.float64 or not len(run["z0"]):
        return
    m, beta = run["options"].get("m", 5), run["options"].get("beta", 1.0)
    tol = run["options"].get("tol", 1e-6)
    z, fz = points.flatten(2), values.flatten(2)
    images = beta * fz + (1 - beta) * z
    for size in range(1, m + 2):
        # Windows of the full size are looked at together.
        starts = range(len(points) - size) if size == m + 1 else range(1)
        if size >= len(points) or not len(starts):
            return
        known = torch.stack([images[at : at + size] for at in starts])
        step = torch.stack([z[at + size] - images[at + size - 1] for at in starts])
        # A sample within tol says nothing: its steps are lost in rounding, or it rests.
        rounding = max(1e-9, 2 * tol) * known[:, -1].norm(dim=2).clamp(min=1.0)
        wrong = _distance(known.diff(dim=1), step) > 1e-3 * step.norm(dim=2) + rounding
        if wrong.any():
            number = int(wrong.any(1).nonzero()[0]) + size + 1
            yield words(
                f"point {number} is no mixture, with weights of sum one, of the {size} values "
                "before it",
                f"第 {number} 个点不是此前 {size} 个值的混合（权重之和为 1）",
            )
            return


def _distance(directions: Tensor, step: Tensor) -> Tensor:
    """Return the distance of each step from the span of its directions.

    Args:
        directions: (windows, directions, samples, n).
        step: (windows, samples, n).
    """
    columns = directions.permute(0, 2, 3, 1)
    if not columns.shape[3]:
        return step.norm(dim=2)
    basis = columns / columns.norm(dim=2, keepdim=True).clamp(min=1e-300)
    found = torch.linalg.lstsq(basis, step[..., None], rcond=1e-13, driver="gelsd").solution
    return (step[..., None] - basis @ found)[..., 0].norm(dim=2)


# --- the phases of a scene ------------------------------------------------------------------------


def is_phase(phase: Any) -> bool:
    """Return whether this is what the probe says of a phase."""
    if not isinstance(phase, dict) or set(phase) != PHASE:
        return False
    asked = phase["asked"]
    return (
        phase["phase"] in NAMES
        and all(type(phase[name]) is int for name in ("calls", "recorded"))
        and isinstance(asked, list)
        and all(isinstance(each, list) and len(each) == 3 for each in asked)
    )


def faults_of_phases(phases: Any, params: dict[str, Any], data: dict[str, Any]) -> Iterator[Words]:
    """Check the reports of a layer, and, where the group asks for them, its calls."""
    if not isinstance(phases, list) or not phases or not all(map(is_phase, phases)):
        yield words("the judge's notes of the scene can be read", "评测机对场景的记录可以读取")
        return
    forward = None
    for phase in phases:
        if not is_report(phase["forward"]):
            yield REPORT
            return
        if phase["phase"] == "forward":
            forward = phase["forward"]
            yield from _reached(forward, params, data)
        elif phase["forward"] != forward:
            yield words(
                "backward leaves last_info as the forward solve has set it",
                "反向不改变前向求解写入的 last_info",
            )
    if params["rules"]:
        yield from _reported(phases[0], params, data)
    if params["rules"] == "calls":
        yield from _called(phases, data)


def _reached(report: list[Any], params: dict[str, Any], data: dict[str, Any]) -> Iterator[Words]:
    tol = data["options"].get("tol", 1e-6)
    if params["converges"] and not (report[0] and report[2] <= tol):
        yield words(
            f"the forward solve converges; last_info says {report[0]} and {report[2]:.3g}",
            f"前向求解应收敛；last_info 为 {report[0]} 与 {report[2]:.3g}",
        )
    if report[0] != (report[2] <= tol):
        yield words("converged means residual <= tol", "converged 即 residual <= tol")


def _reported(
    phase: dict[str, Any], params: dict[str, Any], data: dict[str, Any]
) -> Iterator[Words]:
    """Demand the report of the solver itself, and as many calls of the cell."""
    report, asked, options = phase["forward"], phase["asked"], data["options"]
    if not report[1] <= phase["calls"] <= report[1] + EXTRA_CALLS:
        yield words(
            f"last_info reports {report[1]} calls, the cell was called {phase['calls']} times",
            f"last_info 报告 {report[1]} 次调用，而 cell 被调用了 {phase['calls']} 次",
        )
    if params["solver"] == "default":
        return
    if not asked or asked[0][:2] != [options["tol"], options["max_iter"]]:
        yield words(
            "forward calls the given solver with tol and max_iter",
            "前向用给定的 solver，并传入 tol 与 max_iter",
        )
    elif asked[0][2] != report:
        yield words("last_info is the report of the solver", "last_info 就是 solver 的报告")


def _called(phases: list[dict[str, Any]], data: dict[str, Any]) -> Iterator[Words]:
    """Demand few calls with gradients, one solve for each phase, and a report of the adjoint."""
    before = {"recorded": 0, "asked": []}
    options = data["options"]
    limits = {
        "forward": [options["tol"], options["max_iter"]],
        "backward": [
            options.get("backward_tol", options["tol"]),
            options.get("backward_max_iter", options["max_iter"]),
        ],
    }
    for phase in phases:
        name = phase["phase"]
        recorded = phase["recorded"] - before["recorded"]
        if recorded > 2:
            yield words(
                f"in {name} the cell runs {recorded} times with gradients enabled, not at most 2",
                f"cell 在 {NAMES[name]}中启用梯度执行了 {recorded} 次，至多应为 2 次",
            )
        new = phase["asked"][len(before["asked"]) :]
        if data["solver"] != "default":
            tol, most = limits[name]
            if [each[:2] for each in new] != [limits[name]]:
                yield words(
                    f"{name} calls the solver once, with tol {tol:g} and max_iter {most}; "
                    f"it was called {len(new)} times",
                    f"{NAMES[name]}以 tol {tol:g}、max_iter {most} 调用 solver 一次；"
                    f"实际调用了 {len(new)} 次",
                )
            elif name == "backward" and phase["adjoint"] != new[0][2]:
                yield words(
                    "last_backward_info is the report of the adjoint solve",
                    "last_backward_info 是伴随求解的报告",
                )
        elif name == "backward" and not is_report(phase["adjoint"]):
            yield REPORT
        before = phase
