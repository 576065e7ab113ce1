"""TS-K001: kernels compute as fast as the units allow, or the units are what they could use better.

compute ≥ 0.6 of the window, and of the time of operators whose work is known half or more is of
those with intensity ≥ 1.25 × ridge. efficiency = their time on the roof / their time.

It says where the time goes. What a cure could win is only the time above the roofline at 70 % of
the peak (50 % on a processor), which good libraries reach on shapes that fit. A run that reaches it
is healthy: then K001 wins little, is not sure, and comes behind TS-H001, which is the verdict where
nothing else is found. It comes behind the rules that name a cause in the same kernels, too.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.judged import example, judged, on_side, rows_of


def find(case: Case) -> Finding | None:
    """Return K001 if operators beyond the ridge take enough of the computation."""
    limits = thresholds("K001")
    found = judged(case)
    if found is None or found.compute < limits["compute"]:
        return None
    operators = on_side(found.roofline, "compute")
    time = sum(each.time for each in operators)
    of_modelled = found.of_modelled(time)
    if not operators or of_modelled < limits["of_modelled"]:
        return None
    roofs = [(each.time, each.roof or 0.0) for each in operators]
    reached = limits["reached" if case.accounting.has_device else "reached_on_processor"]
    above = sum(max(0.0, took - roof / reached) for took, roof in roofs)
    recoverable = found.share(above)
    margin = min(found.compute / limits["compute"], of_modelled / limits["of_modelled"])
    return Finding(
        code="TS-K001",
        bottleneck="compute",
        share=found.share(time),
        recoverable=recoverable,
        margin=min(margin, recoverable / limits["least"]),
        evidence={
            "of_modelled": of_modelled,
            "efficiency": sum(roof for _, roof in roofs) / time,
            **example(operators[0], found.roofline),
        },
        times=found.times(rows_of(operators)),
    )
