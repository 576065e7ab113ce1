"""Evidence: what of a timeline, a flame graph and a roofline a finding is about."""

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

# What a device does of a kind, where a rule names no times of the host.
_DOES = {
    "compute": ("compute",),
    "bandwidth": ("compute",),
    "communication": ("communication",),
    "copies": ("copy_h2d", "copy_d2h", "copy_d2d"),
    "loading": ("loader",),
    "launch": ("launch", "operator", "python"),
}
# Of these the device does something; of the others it is what it waits for.
_OF_WORK = ("compute", "bandwidth", "communication", "copies", "memory")
# An operator is evidence if so many of its calls are.
_LEAST_CALLS = 0.5
# What is around a typical step is shown with it.
_MARGIN = 0.04


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """Hold what a finding is about.

    Attributes:
        host: The times on the host.
        device: The times on the device: of the work that was launched then, or of waiting.
        operators: The positions of operators in the roofline.
        lane: The thread whose calls these are.
        focus: Begin and end of a typical step, or of what there is.
    """

    host: Intervals
    device: Intervals
    operators: list[int]
    lane: int
    focus: tuple[float, float]


def evidence_of(
    case: Case, findings: Sequence[Finding], accounts: Sequence[Account]
) -> list[Evidence]:
    """Return what each of some findings is about."""
    operators = case.roofline.operators[:MOST_OPERATORS]
    began: list[Ints] | None = None
    found = []
    for finding in findings:
        rows = [each.rows for each in operators]
        is_of_work = finding.bottleneck in _OF_WORK
        if is_of_work and finding.times is not None:
            # Backward operators are told by their forward ones, whose lines can be edited.
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
    """Return for each operator the calls whose lines to tell; looked up once for all."""
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
    """Return when devices do something of a class."""
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
    """Return where to look: a step that is typical of some times."""
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
    """Return the number of a thread as the trace has it."""
    return "" if lane == NONE else str(case.events.lanes[lane].tid)
