"""TS-O001: more threads and workers compute than there are cores.

threads × processes > cores, and context switches are 50 times as frequent as with one thread per
core. A trace contains neither: ``doctor run`` counts them outside of the program.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding


def find(case: Case) -> Finding | None:
    """Return O001 if cores are oversubscribed, and context switches show it."""
    limits = thresholds("O001")
    host = case.host
    if host is None or not host.cores or not host.reference:
        return None
    crowd = host.threads * host.processes / host.cores
    ratio = host.switches / host.reference
    if crowd <= limits["crowd"] or ratio < limits["switches"]:
        return None
    return Finding(
        code="TS-O001",
        bottleneck="host",
        # The number of switches does not tell how much time they take.
        share=0.0,
        recoverable=0.0,
        margin=ratio / limits["switches"],
        evidence={
            "threads": float(host.threads),
            "processes": float(host.processes),
            "cores": float(host.cores),
            "switches": host.switches,
            "ratio": ratio,
        },
        fix="threads",
    )
