"""TS-L001: the host launches kernels more slowly than the device executes them.

share = idle time in launches, operators and the Python around them / window, if kernels are short
(median below 10 µs) or the queue is empty at the launch of half of them. The time counted by
TS-L002 is excluded; if launches block, TS-O003 explains the empty queue.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, median, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.rules.debugging import blocking_launches
from torchstone.doctor.rules.optimizer_steps import small_updates


def find(case: Case) -> Finding | None:
    """Return L001 if launches take enough of the window, and the kernels are short or starved."""
    limits = thresholds("L001")
    if not case.accounting.has_device or not len(case.kernels):
        return None
    shares = case.accounting.shares
    host = shares["idle.launch"] + shares["idle.operator"] + shares["idle.python"]
    other = case.preparation | case.cold
    launching = host - case.share(other.length) / len(case.accounting.gaps)
    if launching < limits["share"] or blocking_launches(case) >= thresholds("O003")["blocking"]:
        return None
    updates = small_updates(case)
    share = launching - case.share(case.waited(updates))
    kernel_us = median(case.events.t1[case.kernels] - case.events.t0[case.kernels])
    empty = empty_queue(case)
    if kernel_us >= limits["kernel_us"] and empty < limits["empty"]:
        return None
    gaps = case.host_gaps()
    return Finding(
        code="TS-L001",
        bottleneck="launch",
        share=share,
        recoverable=share,
        margin=launching / limits["share"],
        evidence={
            "kernels_per_step": len(case.kernels) / max(1, case.num_steps),
            "kernel_us": kernel_us,
            "empty_queue": empty,
            "wait_ms": share * case.window.duration / max(1, case.num_steps) / 1e3,
        },
        times=without(gaps, other | updates, case),
        fix="compile",
    )


def empty_queue(case: Case) -> float:
    """Return the share of kernels launched when the device's queue was empty."""
    launches = case.launches
    order = np.argsort(case.events.t0[launches.kernel], kind="stable")
    rows = launches.kernel[order]
    if len(rows) < 2:
        return 1.0
    done = np.maximum.accumulate(case.events.t1[rows])
    return float((done[:-1] <= case.events.t1[launches.call[order]][1:]).mean())


def without(times: Intervals, other: Intervals, case: Case) -> Intervals:
    """Return the difference of two sets."""
    begin, end = case.window.begin, case.window.end
    return times.clipped(begin, end).shared(other.gaps(begin, end))
