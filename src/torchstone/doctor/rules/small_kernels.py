"""TS-K005: kernels are so small that most of their time is overhead.

share = time of kernels below 10 µs whose operators take more than 10 times their roof time /
window. The rule is about time in which the device is busy; waits for launches are TS-L001. Half of
that time counts as recoverable by batching or fusion, because no formula predicts it.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.judged import judged, rows_of


def find(case: Case) -> Finding | None:
    """Return K005 if small kernels far below the roof take enough of the window."""
    limits = thresholds("K005")
    found = judged(case)
    if found is None or not case.accounting.has_device:
        return None
    operators = [
        each
        for each in found.roofline.operators
        if each.roof is not None
        and each.time > limits["ratio"] * each.roof
        and each.time < limits["kernel_us"] * each.units
    ]
    time = sum(each.time for each in operators)
    share = found.share(time)
    if not operators or share < limits["share"]:
        return None
    units = sum(each.units for each in operators)
    return Finding(
        code="TS-K005",
        bottleneck="launch",
        share=share,
        recoverable=share * limits["won"],
        margin=share / limits["share"],
        evidence={
            "kernels_per_step": units / max(1, case.num_steps),
            "kernel_us": time / units,
            "roof_us": sum(each.roof or 0.0 for each in operators) / units,
        },
        times=found.times(rows_of(operators)),
        fix="compile",
    )
