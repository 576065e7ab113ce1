"""TS-O003: a debugging aid is left enabled.

anomaly = time in which autograd's anomaly mode records stacks and checks for NaN / window; profiler
= time in which a profiler's results are computed in the loop / window; blocking = share of launches
that return after the end of their kernel (``CUDA_LAUNCH_BLOCKING=1``).
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import NONE
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.read.kinds import Kind

_ANOMALY = r"(^|/)torch/fx/traceback\.py\(\d+\): format_stack$"
_PROFILER = (
    r"(^|/)torch/(autograd|profiler)/\w+\.py\(\d+\): (key_averages|export_\w+|table|"
    r"_parse_kineto_results|_build_table)$|(^|/)(cProfile|pstats|line_profiler|pyinstrument)\b"
)
# Minimum number of kernels to decide whether launches block.
_LEAST_KERNELS = 20


def find(case: Case) -> Finding | None:
    """Return O003 if debugging takes enough of the window, or blocks nearly all launches."""
    limits = thresholds("O003")
    anomaly, profiler = anomaly_times(case), _profiler_times(case)
    blocking = blocking_launches(case)
    is_blocking = blocking >= limits["blocking"]
    debugged = anomaly | profiler
    # A profiler disabled for the recording appears in the unprofiled step time.
    own = case.recording.profiling if case.recording is not None else 0.0
    share = max(case.share(case.waited(debugged)), own)
    held = _launching(case) if is_blocking else 0.0
    if share < limits["share"] and (not is_blocking or held < limits["share"]):
        return None
    return Finding(
        code="TS-O003",
        bottleneck="host",
        share=min(1.0, share + held),
        recoverable=min(1.0, share + held),
        margin=max(share, held) / limits["share"],
        evidence={
            "anomaly": case.share(case.waited(anomaly)),
            "profiler": max(case.share(case.waited(profiler)), own),
            "blocking": blocking,
        },
        times=debugged if debugged.length else case.host_gaps(),
        fix="debugging_off",
    )


def anomaly_times(case: Case) -> Intervals:
    """Return the intervals in which anomaly mode records stacks and checks gradients for NaN."""
    events, operators = case.events, case.facts.operators
    has_parent = operators.parents != NONE
    around = np.full(len(operators.rows), NONE, dtype=np.int64)
    around[has_parent] = events.name[operators.rows[operators.parents[has_parent]]]
    is_behind = np.isin(around, events.named("autograd::engine::evaluate_function"))
    is_check = np.isin(
        events.name[operators.rows], events.matching(r"^aten::(isnan|any|is_nonzero)$")
    )
    checks = operators.rows[is_behind & is_check]
    looked = np.isin(events.name[checks], events.matching(r"^aten::isnan$"))
    stacks = case.facts.named(_ANOMALY)
    if not looked.any() and not len(stacks):
        return Intervals.nothing()
    rows = np.concatenate((case.inside(checks), case.inside(stacks)))
    return case.facts.times_of(rows)


def blocking_launches(case: Case) -> float:
    """Return the share of launches that return after the end of their kernel."""
    events, calls = case.events, case.launches.call_of[case.kernels]
    is_known = calls != NONE
    kernels, calls = case.kernels[is_known], calls[is_known]
    is_launch = events.kind[calls] == Kind.LAUNCH
    kernels, calls = kernels[is_launch], calls[is_launch]
    if len(kernels) < _LEAST_KERNELS:
        return 0.0
    is_inside = (events.t0[kernels] >= events.t0[calls]) & (events.t1[kernels] <= events.t1[calls])
    return float(is_inside.mean())


def _launching(case: Case) -> float:
    shares = case.accounting.shares
    return sum(shares[f"idle.{name}"] for name in ("sync", "launch", "operator", "python"))


def _profiler_times(case: Case) -> Intervals:
    rows = case.inside(case.facts.named(_PROFILER))
    return case.facts.times_of(rows[case.events.lane[rows] == case.main])
