"""TS-O002: Python's garbage collector runs in the training loop.

share = idle time in garbage collections, automatic or by ``gc.collect()`` / window. They are
recorded with ``record_python_gc_info``; calls of ``gc.collect`` also with ``with_stack``.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.read.kinds import Kind


def find(case: Case) -> Finding | None:
    """Return O002 if garbage collections take enough of the window."""
    limits = thresholds("O002")
    share = case.accounting.shares["idle.gc"]
    if share < limits["share"]:
        return None
    times = case.during(Kind.GC).clipped(case.window.begin, case.window.end)
    asked = case.inside(case.facts.named(r"^<built-in function collect>$"))
    steps = max(1, case.num_steps)
    return Finding(
        code="TS-O002",
        bottleneck="host",
        share=share,
        recoverable=share,
        margin=share / limits["share"],
        evidence={
            "gc_ms": times.length / steps / 1e3,
            "per_step": len(times) / steps,
            "asked": len(asked) / steps,
        },
        times=times,
        fix="gc_freeze",
    )
