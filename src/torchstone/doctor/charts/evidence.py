"""Evidence: the parts of timeline, flame graph and roofline that a finding is about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from torchstone.doctor.case import Case
from torchstone.doctor.charts.account import CLASSES, Account
from torchstone.doctor.events import NONE, Bools, Floats, Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.roofline.bound import Operator
from torchstone.doctor.roofline.listing import MOST_OPERATORS
from torchstone.doctor.roofline.origins import origins

# Device activities of findings whose rule gives no host times.
_DOES = {
    "compute": ("compute",),
    "bandwidth": ("compute",),
    "communication": ("communication",),
    "copies": ("copy_h2d", "copy_d2h", "copy_d2d"),
    "loading": ("loader",),
    "launch": ("launch", "operator", "python"),
}
# Bottlenecks of device activity; all others are causes of waits.
_OF_WORK = ("compute", "bandwidth", "communication", "copies", "memory")
# An operator is evidence if this share of its calls is.
_LEAST_CALLS = 0.5
# Margin shown around a typical step.
_MARGIN = 0.04


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Evidence of a finding.

    Attributes:
        host: Intervals on the host.
        device: Intervals on the device: work launched in the host intervals, or waiting.
        operators: Positions of operators in the roofline.
        lane: Thread of the calls.
        focus: Start and end of a typical step, or of the evidence.
    """

    host: Intervals
    device: Intervals
    operators: list[int]
    lane: int
    focus: tuple[float, float]


def evidence_of(
    case: Case, findings: Sequence[Finding], accounts: Sequence[Account]
) -> list[Evidence]:
    """Return the evidence of each finding."""
    operators = case.roofline.operators[:MOST_OPERATORS]
    began: list[Ints] | None = None
    found = []
    for finding in findings:
        rows = [each.rows for each in operators]
        is_of_work = finding.bottleneck in _OF_WORK
        if is_of_work and finding.times is not None:
            # Backward operators are represented by their forward operators, whose lines can be
            # edited.
            began = began or _origins(case, rows)
            rows = began
        found.append(_evidence(case, finding, accounts, operators, rows))
    return found


def _evidence(
    case: Case,
    finding: Finding,
    accounts: Sequence[Account],
    operators: Sequence[Operator],
    rows: Sequence[Ints],
) -> Evidence:
    host = (finding.times or Intervals.nothing()).clipped(case.window.begin, case.window.end)
    at = [at for at, each in enumerate(rows) if _is_of(case, each, host)]
    device = _on_device(case, finding, host, accounts, [operators[each] for each in at])
    return Evidence(
        host=host,
        device=device,
        operators=at,
        lane=case.main if finding.lane is None else finding.lane,
        focus=_focus(case, host if len(host) else device),
    )


def _origins(case: Case, rows: Sequence[Ints]) -> list[Ints]:
    """Return for each operator the calls whose lines are reported; one search serves all."""
    if not rows:
        return []
    found = origins(case.events, np.concatenate(rows))
    return np.split(found, np.cumsum([len(each) for each in rows])[:-1])


def _on_device(
    case: Case,
    finding: Finding,
    host: Intervals,
    accounts: Sequence[Account],
    operators: Sequence[Operator],
) -> Intervals:
    if not len(host):
        return _doing(accounts, _DOES.get(finding.bottleneck, ()))
    waiting = case.host_gaps().shared(host) if case.accounting.has_device else Intervals.nothing()
    launches, charges = case.launches, case.ledger.charges
    rows = launches.kernel[contains(host, launches.at)]
    if operators:
        owners = np.concatenate([each.rows for each in operators])
        rows = np.concatenate([rows, charges.units[np.isin(charges.owner, owners)]])
    window = case.window
    working = Intervals(case.events.t0[rows], case.events.t1[rows])
    working = working.clipped(window.begin, window.end)
    first, second = (working, waiting) if finding.bottleneck in _OF_WORK else (waiting, working)
    return first if len(first) else second


def _doing(accounts: Sequence[Account], names: Sequence[str]) -> Intervals:
    """Return the intervals of a class on all devices."""
    found = Intervals.nothing()
    for account in accounts:
        is_of = np.isin(account.classes, [CLASSES.index(name) for name in names])
        found |= Intervals(account.t0[is_of], account.t1[is_of])
    return found


def _is_of(case: Case, rows: Ints, host: Intervals) -> bool:
    if not len(host):
        return False
    return float(contains(host, case.events.t0[rows]).mean()) >= _LEAST_CALLS


def contains(times: Intervals, moments: Floats) -> Bools:
    """Return which moments lie in a set of time."""
    if not len(times):
        return np.zeros(len(moments), dtype=bool)
    at = np.searchsorted(times.begins, moments, side="right") - 1
    found: Bools = (at >= 0) & (moments <= times.ends[np.maximum(at, 0)])
    return found


def _focus(case: Case, times: Intervals) -> tuple[float, float]:
    """Return the interval to show: a step that is typical of the evidence."""
    window, cuts = case.window, case.window.cuts
    if not len(times):
        return window.begin, window.end
    within = times.within(cuts[:-1], cuts[1:])
    order = np.argsort(within, kind="stable")
    typical = int(order[len(order) // 2])
    if within[typical] == 0:
        typical = int(order[-1])
    begin, end = float(cuts[typical]), float(cuts[typical + 1])
    if window.how == "whole":
        longest = int(np.argmax(times.ends - times.begins))
        begin, end = float(times.begins[longest]), float(times.ends[longest])
    margin = _MARGIN * (end - begin)
    return max(window.begin, begin - margin), min(window.end, end + margin)


def lane_name(case: Case, lane: int) -> str:
    """Return the thread id of a lane, as in the trace."""
    return "" if lane == NONE else str(case.events.lanes[lane].tid)
