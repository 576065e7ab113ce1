"""TS-L003: a Python loop calls small operators one by one.

One function calls the same operator on one module at least 64 times per step, and each call takes
less than 20 µs per nested operator; share = time of these calls, of the Python between them and of
their backward by which the window is delayed / window.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import NONE, Bools, Floats, Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals

# A loop with dependent iterations looks the same, but cannot be vectorized.
_UNSURE = 1.45
_CALLER = r"(^|/)torch/nn/modules/module\.py\(\d+\): (_call_impl|inner)$"


@dataclass(frozen=True, slots=True, kw_only=True)
class Loops:
    """Calls in loops.

    Attributes:
        times: Intervals of the calls, with their backward.
        forward: Intervals without backward.
        repeats: Number of calls of one operator per step.
        operator_us: Microseconds per operator.
    """

    times: Intervals
    forward: Intervals
    repeats: float
    operator_us: float


def find(case: Case) -> Finding | None:
    """Return L003 if loops of small operators take enough of the window."""
    limits = thresholds("L003")
    loops = find_loops(case)
    if loops is None:
        return None
    share = case.share(case.waited(loops.times))
    if share < limits["share"]:
        return None
    return Finding(
        code="TS-L003",
        bottleneck="launch" if case.accounting.has_device else "host",
        share=share,
        recoverable=share * (1 - 1 / loops.repeats),
        margin=min(_UNSURE, share / limits["share"]),
        evidence={
            "repeats": loops.repeats,
            "operator_us": loops.operator_us,
            "loop_ms": share * case.window.duration / case.num_steps / 1e3,
        },
        times=loops.forward,
    )


def find_loops(case: Case) -> Loops | None:
    """Return the calls in loops; None if frames or steps are missing."""
    if not case.frames or not case.num_steps:
        return None
    limits = thresholds("L003")
    events, operators = case.events, case.facts.operators
    rows = operators.rows
    is_on = (operators.parents == NONE) & (events.lane[rows] == case.main)
    is_on &= (events.t0[rows] >= case.window.begin) & (events.t0[rows] < case.window.end)
    called = np.flatnonzero(is_on)
    is_backward = np.isin(events.name[rows[called]], events.named("autograd::engine::"))
    is_candidate = ~is_backward & ~_in_library_loop(case, rows[called])
    chosen = called[is_candidate]
    group, num = _groups(case, rows[chosen])
    if not num:
        return None
    took = events.t1[rows[chosen]] - events.t0[rows[chosen]]
    repeats = np.bincount(group, minlength=num) / case.num_steps
    operator_us = _medians(group, took / operators.inner[chosen], num)
    is_loop = (repeats >= limits["repeats"]) & (operator_us < limits["operator_us"])
    if not is_loop.any():
        return None
    is_part = np.zeros(len(called), dtype=bool)
    is_part[np.flatnonzero(is_candidate)[is_loop[group]]] = True
    forward = _with_python(case, rows[called], is_part, limits["between_us"])
    is_part |= is_backward & _follows(case, called[is_part], rows[called])
    return Loops(
        times=_with_python(case, rows[called], is_part, limits["between_us"]),
        forward=forward,
        repeats=float(repeats[is_loop].max()),
        operator_us=float(np.median(operator_us[is_loop])),
    )


def _medians(group: Ints, values: Floats, num: int) -> Floats:
    """Return the median of each group, which is robust to interruptions."""
    order = np.lexsort((values, group))
    begins = np.searchsorted(group[order], np.arange(num))
    middles = begins + np.bincount(group, minlength=num) // 2
    found: Floats = values[order][middles]
    return found


def _groups(case: Case, rows: Ints) -> tuple[Ints, int]:
    """Return the group index of each call, by operator, function and module."""
    events, frames = case.events, case.frames
    around = frames.around(case.main, events.t0[rows], events.t1[rows])
    own = frames.nearest(around, frames.own)
    module = frames.names(frames.nearest(around, events.matching(r"^nn\.Module: ")))
    # Calls in a hook are grouped over all modules, because one hook serves all of them.
    is_hook = np.isin(frames.names(frames.callers(own)), events.matching(_CALLER))
    is_hook &= ~np.isin(frames.names(own), events.matching(r"\): forward$"))
    module = np.where(is_hook, NONE, module)
    keys = np.stack([events.name[rows].astype(np.int64), frames.names(own), module], axis=1)
    if not len(keys):
        return np.zeros(0, dtype=np.int64), 0
    found, group = np.unique(keys, axis=0, return_inverse=True)
    return group.reshape(-1), len(found)


def _in_library_loop(case: Case, rows: Ints) -> Bools:
    """Return which calls belong to torch's own loops in optimizers and gradient clipping."""
    outer = case.facts.named(
        r"^Optimizer\.|(^|/)torch/optim/\w+\.py\(\d+\): |(^|/)torch/nn/utils/clip_grad\.py"
    )
    times = case.facts.times_of(outer[case.events.lane[outer] == case.main])
    begins, ends = case.events.t0[rows], case.events.t1[rows]
    return times.within(begins, ends) >= np.maximum(ends - begins, 1e-9)


def _follows(case: Case, forward: Ints, rows: Ints) -> Bools:
    """Return which rows are the backward of given operators or of their children."""
    events, operators = case.events, case.facts.operators
    inside = operators.rows[np.isin(operators.tops, forward)]
    sequences = np.unique(events.sequence[inside])
    return np.isin(events.sequence[rows], sequences[sequences >= 0])


def _with_python(case: Case, rows: Ints, is_part: Bools, between_us: float) -> Intervals:
    """Return the intervals of calls, each extended by a short interval of Python before it."""
    begins, ends = case.events.t0[rows], case.events.t1[rows]
    before = np.concatenate((begins[:1], np.maximum.accumulate(ends)[:-1]))
    is_near = (begins - before) < between_us
    begins = np.where(is_near, np.minimum(before, begins), begins)
    return Intervals(begins[is_part], ends[is_part])
