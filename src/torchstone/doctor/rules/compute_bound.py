"""TS-K001: kernels are compute-bound; what they recover is the distance to the peak.

compute ≥ 0.6 of the window, and of the time of operators with known work at least half belongs to
those with intensity ≥ 1.25 × ridge. efficiency = their roof time / their time.

The rule describes where the time goes. Recoverable is only the time above the roofline at 70 % of
the peak (50 % on a processor), which good libraries reach on suitable shapes. A run that reaches it
is healthy: then K001 recovers little, its confidence is low, and it ranks below TS-H001, the
verdict if nothing else is found. It also ranks below rules that name a cause in the same kernels.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.roofline.judged import example, judged, on_side, rows_of


def find(case: Case) -> Finding | None:
    """Return K001 if compute-bound operators take enough of the computation."""
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
