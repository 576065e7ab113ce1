"""Fixed points and adjoints in float64, and the rules that a log of evaluated points must obey.

A residual of tol is no more than tol * s, s = max(1, |f(z)|), so |z - z*| <= tol * s / (1 - rho).
The bounds are four times this, or those of the statement where they are larger.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor

from torchstone.judge.kit import COUNT, LOADED_BYTES, Case, Exact, Expected, Holds, Want, numbers
from torchstone.judge.kit.problem import load_module

probe = load_module(Path(__file__).with_name("probe.py"))
rules = load_module(Path(__file__).with_name("rules.py"))

# Of one tensor of the large batch.
UNIT = 8 * 20_000 * 4
# Measured for right answers: 36 to 38 MiB in the first process, most of it torch's own pages, and
# 0.2 to 1.3 MiB more with 23 iterations; an unrolled solver takes 17 MiB more.
MOST_FIRST = (48 << 20) + LOADED_BYTES
MOST_RISE = 8 * UNIT
# Two tensors of the batch: a right answer keeps the same for any number of iterations.
MOST_KEPT = 2 * 8 * 16 * 8
# Scenes that call the layer for y and for y2.
TWICE = ("chained", "side_by_side")


def expect(case: Case) -> Expected:
    """Return what the answer of a case must be."""
    with torch.enable_grad():  # whatever a program left behind that ran in this process before
        return EXPECT[case.secret["op"]](case.secret)


def builtin(case: Case) -> dict[str, Tensor]:
    """Differentiate Picard's iteration, unrolled, by autograd."""
    if case.secret["op"] != "layer" or not case.secret["params"]["converges"]:
        return {}
    with torch.enable_grad():
        found = _act(case.secret["data"], Unrolled)
    return {
        key: item.to(torch.float64)
        for key, item in found.items()
        if isinstance(item, Tensor) and key.partition(".")[0] in ("y", "y2", "grad", "both")
    }


def note(en: str, zh: str) -> dict[str, str]:
    """Return a text in both languages."""
    return {"en": en, "zh": zh}


def told(check: Callable[[Any], Iterator[dict[str, str]]], truth: Any = None) -> Holds:
    """Return an expectation whose check yields in both languages what is wrong."""
    words = note("as the statement asks", "符合题目要求")

    def predicate(value: Any) -> bool:
        wrong = next(check(value), None)
        words.update(wrong or {})
        return wrong is None

    return Holds(predicate, words, is_fault_in_words=True, truth=truth)


# --- the solver -----------------------------------------------------------------------------------


def _expect_solve(secret: dict[str, Any]) -> Expected:
    found: Expected = {}
    for number, (asked, run) in enumerate(zip(secret["runs"], secret["data"]["runs"], strict=True)):
        found[f"{number}.solve"] = told(
            lambda value, asked=asked, run=run: rules.faults_of_solve(value, asked, run)
        )
        if asked["converges"]:
            found[f"{number}.z"] = _solved(asked, run)
    return found


def _solved(asked: dict[str, Any], run: dict[str, Any]) -> Want:
    """Bound the distance from the fixed point of each sample."""
    z0, tol = run["z0"], run["options"]["tol"]
    f = probe.Map({**_doubled(run["map"]), "breaks_at": 0}, z0.double())
    z, _ = fixed_point(f, torch.zeros_like(z0, dtype=torch.float64))
    size = z.flatten(1).norm(dim=1).clamp(min=1.0)
    rho = torch.linalg.matrix_norm(run["map"]["matrix"].double(), 2)
    # In float32 the map itself rounds n + 3 times.
    eps = torch.finfo(z0.dtype).eps * (asked["n"] + 3)
    limit = 4 * (tol + eps) * size / (1 - rho)
    return Want(z, limit.reshape(-1, *[1] * (z.ndim - 1)), z0.dtype)


def _doubled(tree: Any) -> Any:
    """Return the same data in float64."""
    if isinstance(tree, dict):
        return {key: _doubled(item) for key, item in tree.items()}
    if isinstance(tree, Tensor) and tree.is_floating_point():
        return tree.double()
    return [_doubled(item) for item in tree] if isinstance(tree, list) else tree


def fixed_point(f: Callable[[Tensor], Tensor], z: Tensor) -> tuple[Tensor, Tensor]:
    """Solve f(z) = z: Picard's iteration, then Newton's with the true Jacobian.

    Each step of Newton squares the error: after one of 1e-9 the point is exact to the last bits,
    and the Jacobian of the step before is off by about as much.

    Returns:
        The point, and the Jacobian of each sample.
    """
    with torch.no_grad():
        for _ in range(30):
            z = f(z)
    for _ in range(20):
        jacobian, value = jacobian_of(f, z)
        eye = torch.eye(jacobian.shape[-1], dtype=z.dtype)
        step = torch.linalg.solve(eye - jacobian, (value - z).flatten(1))
        z = z + step.reshape(z.shape)
        if not len(z) or step.abs().max() <= 1e-9 * z.abs().max().clamp(min=1.0):
            return z, jacobian
    raise AssertionError("no fixed point was found")


def jacobian_of(f: Callable[[Tensor], Tensor], z: Tensor) -> tuple[Tensor, Tensor]:
    """Return the Jacobian of each sample, row by row, and the value."""
    with torch.enable_grad():
        point = z.detach().clone().requires_grad_()
        value = f(point)
        rows = [
            torch.autograd.grad(entry, point, retain_graph=True)[0].flatten(1)
            for entry in value.flatten(1).sum(0)
        ]
    return torch.stack(rows, 1), value.detach()


# --- the layer ------------------------------------------------------------------------------------


class Exactly(torch.nn.Module):
    """Solve both equations exactly: the adjoint one with a dense matrix."""

    def __init__(self, cell: torch.nn.Module, **options: Any) -> None:
        super().__init__()
        self.cell = cell
        self.last_info = self.last_backward_info = None

    def forward(self, x: Tensor, z0: Tensor | None = None) -> Tensor:
        """Return the fixed point, with a graph."""
        start = torch.zeros_like(x) if z0 is None else z0.detach()
        z, jacobian = fixed_point(lambda z: self.cell(z, x.detach()), start)
        y = self.cell(z, x)
        if y.requires_grad:
            matrix = torch.eye(jacobian.shape[-1], dtype=z.dtype) - jacobian.mT
            y.register_hook(lambda g: torch.linalg.solve(matrix, g.flatten(1)).reshape(g.shape))
        return y


class Unrolled(Exactly):
    """Let autograd differentiate the iteration."""

    def forward(self, x: Tensor, z0: Tensor | None = None) -> Tensor:
        """Return the point after many steps."""
        z = torch.zeros_like(x) if z0 is None else z0.detach()
        for _ in range(700):
            z = self.cell(z, x)
        return z


class _Tools:
    """Stand in for the tools of the driver, for scenes of the oracle itself."""

    plain = staticmethod(lambda value: value)
    sendable = staticmethod(lambda tensor: tensor.detach().clone())
    is_plain = staticmethod(lambda value: True)
    storage_snapshot = staticmethod(lambda tensor: None)
    storage_changed = staticmethod(lambda tensor, snapshot: False)
    global_state = staticmethod(lambda: None)
    same_state = staticmethod(lambda state: None)


def _act(data: dict[str, Any], make: type[Exactly] = Exactly) -> dict[str, Any]:
    own = SimpleNamespace(DEQ=make, SolveInfo=tuple, anderson=None)
    return probe.layer(own, _doubled(data), _Tools)


def _expect_layer(secret: dict[str, Any]) -> Expected:
    data, params = secret["data"], secret["params"]
    found: Expected = {
        "first reports": Exact(
            [None, None],
            note=note(
                "last_info and last_backward_info are None before the first call",
                "首次调用之前 last_info 与 last_backward_info 都是 None",
            ),
        ),
        "phases": told(lambda value: rules.faults_of_phases(value, params, data)),
    }
    if params["scene"] == "once":
        found["registered"] = Exact(
            True,
            note=note(
                "the parameters of the cell are parameters of the layer",
                "cell 的 Parameter 也是该层的 Parameter",
            ),
        )
    if data["z0"] is not None and params["rules"] == "calls":
        found["grad of z0"] = _no_gradient(data["z0"])
    if params["solver"] != "detour":
        start = torch.zeros_like(data["x"]) if data["z0"] is None else data["z0"]
        # Each call starts anew.
        for name in ("y", "y2") if params["scene"] in TWICE else ("y",):
            found[f"first point of {name}"] = Want(start.double(), 0.0, start.dtype)
    return found | (_numbers(data) if params["converges"] else {})


def _no_gradient(like: Tensor) -> Want:
    zeros = torch.zeros_like(like)
    return Want(zeros.double(), 0.0, like.dtype, aspect="grad", none_is_zero=True)


def _numbers(data: dict[str, Any]) -> Expected:
    """Compare values and gradients with those of the exact layer."""
    dtype, tol = data["x"].dtype, data["options"].get("tol", 1e-6)
    value_bound = 1e-8 if tol <= 1e-11 else 32 * tol
    share = 1e-6 if tol <= 1e-11 else 100 * tol
    truth = _act(data)
    found: Expected = {}
    for key, item in truth.items():
        kind = key.partition(".")[0]
        if kind in ("y", "y2"):
            limit = value_bound * item.abs().max().clamp(min=1.0) if item.numel() else 1.0
            found[key] = Want(item, limit, dtype)
        elif kind in ("grad", "both"):
            found[key] = _gradient(item, share, dtype)
    if "needs" in truth:
        wanted = note("no graph under no_grad", "no_grad 下没有计算图")
        found["needs"] = Exact(False, note=wanted)
    return found


def _gradient(item: Tensor | None, share: float, dtype: torch.dtype) -> Exact | Want:
    if item is None:
        return Exact(
            None,
            aspect="grad",
            note=note("no gradient where none is needed", "不需要梯度的张量没有梯度"),
        )
    # A gradient of zeros, of an empty batch, is exact.
    limit = share * item.abs().max() if item.numel() else 1.0
    return Want(item, limit, dtype, aspect="grad", none_is_zero=not item.any())


# --- memory ---------------------------------------------------------------------------------------


def _expect_memory(secret: dict[str, Any]) -> Expected:
    few, many = secret["data"]["max_iters"]
    words = note("", "")

    def constant(value: list[float]) -> bool:
        less, more = (f"{count / 1024:.1f} KiB" for count in value)
        words.update(
            note(
                f"after forward {less} are kept with {few} iterations and {more} with {many}; "
                f"they must not depend on the number of iterations",
                f"前向之后，{few} 次迭代保留 {less}，{many} 次迭代保留 {more}；"
                "这个数不得随迭代次数变化",
            )
        )
        return value[1] - value[0] <= MOST_KEPT

    holds = Holds(constant, words, takes=numbers(2), is_fault_in_words=True)
    return {"kept": holds}


def _expect_alone(secret: dict[str, Any]) -> Expected:
    found: Expected = {}
    for number, data in enumerate(secret["steps"]):
        prefix = f"{number}:" if number else ""
        found[f"{prefix}enough"] = Exact(
            True,
            note=note(
                f"the solver takes all {data['max_iter']} calls of the cell",
                f"求解器用满 {data['max_iter']} 次 cell 调用",
            ),
        )
    many = secret["steps"][-1]
    layer = Exactly(probe.Cell(many["cell"]))
    x = many["tile"].clone().requires_grad_()
    y = layer(x, None)
    y.sum().backward()
    assert x.grad is not None
    found["1:y"] = Want(y.detach(), 1e-8, torch.float64)
    found["1:grad"] = Want(x.grad, 1e-6 * x.grad.abs().max(), torch.float64, aspect="grad")
    found["peak.bytes"] = _at_most(
        MOST_FIRST,
        f"the peak memory of {secret['steps'][0]['max_iter']} iterations is at most "
        f"{MOST_FIRST >> 20} MiB",
        f"{secret['steps'][0]['max_iter']} 次迭代的内存峰值至多 {MOST_FIRST >> 20} MiB",
    )
    found["1:peak.rise"] = _at_most(
        MOST_RISE,
        f"{many['max_iter']} iterations take at most {MOST_RISE / 2**20:.1f} MiB more than "
        f"{secret['steps'][0]['max_iter']}",
        f"{many['max_iter']} 次迭代比 {secret['steps'][0]['max_iter']} 次至多多占 "
        f"{MOST_RISE / 2**20:.1f} MiB",
    )
    return found


def _at_most(most: int, en: str, zh: str) -> Holds:
    """Limit what the host measured, and say what it was."""
    words = note(en, zh)

    def predicate(value: int) -> bool:
        size = f"{value / 2**20:.1f} MiB"
        words.update(note(f"{en}; measured: {size}", f"{zh}；实测 {size}"))
        return value <= most

    return Holds(predicate, words, takes=COUNT, is_fault_in_words=True)


EXPECT = {
    "solve": _expect_solve,
    "layer": _expect_layer,
    "memory": _expect_memory,
    "alone": _expect_alone,
}
