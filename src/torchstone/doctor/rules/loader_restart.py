"""TS-D003: the loader is recreated, and restarts its workers each time.

share = time in ``DataLoader.__iter__`` calls that start processes, in the shutdown of the previous
processes, and in the first ``__next__`` after the restart / window; it happens twice, or once after
other batches.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.events import Bools, Ints
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals

_LOADER = r"(^|/)torch/utils/data/dataloader\.py\(\d+\): "
_START = r"(^|/)multiprocessing/process\.py\(\d+\): start$"
# One start may belong to the first epoch of another loader.
_UNSURE = 1.0


def find(case: Case) -> Finding | None:
    """Return D003 if restarts of workers take enough of the window."""
    limits = thresholds("D003")
    starts = _starts(case)
    times = restarts(case)
    share = case.share(case.waited(times))
    if not times.length or share < limits["share"]:
        return None
    took = case.events.t1[starts] - case.events.t0[starts]
    margin = share / limits["share"]
    return Finding(
        code="TS-D003",
        bottleneck="loading",
        share=share,
        recoverable=share,
        margin=margin if len(starts) > 1 else min(margin, _UNSURE),
        evidence={
            "starts": float(len(starts)),
            "workers": len(_forks(case)) / len(starts),
            "start_ms": float(took.mean()) / 1e3,
            "wait_ms": share * case.window.duration / max(1, case.num_steps) / 1e3,
        },
        times=times,
        fix="persistent_workers",
    )


def restarts(case: Case) -> Intervals:
    """Return the intervals of worker shutdown, start, and the wait for the first batch."""
    starts = _starts(case)
    loads = _on_main(case, _LOADER + "__next__$")
    is_again = len(starts) > 1 or (len(starts) and bool((loads < starts[0]).any()))
    if not is_again:
        return Intervals.nothing()
    ends = case.inside(_on_main(case, _LOADER + "_shutdown_workers$"))
    at = np.searchsorted(case.events.t0[loads], case.events.t1[starts])
    firsts = loads[at[at < len(loads)]]
    return case.facts.times_of(np.concatenate((starts, ends, firsts)))


def _starts(case: Case) -> Ints:
    """Return the rows of ``__iter__`` that start processes."""
    rows = case.inside(_on_main(case, _LOADER + "__iter__$"))
    return rows[_has_inside(case, rows, _on_main(case, _START))]


def _forks(case: Case) -> Ints:
    return case.inside(_on_main(case, _START))


def _has_inside(case: Case, outer: Ints, inner: Ints) -> Bools:
    begins = case.events.t0[inner]
    first = np.searchsorted(begins, case.events.t0[outer])
    return np.searchsorted(begins, case.events.t1[outer]) > first


def _on_main(case: Case, pattern: str) -> Ints:
    return case.on_main(case.facts.named(pattern))
