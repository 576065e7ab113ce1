"""TS-O004: the training loop writes files, and waits for the disk.

share = idle time in ``save``, ``write``, ``flush``, ``fsync`` and the like / window. They are
recorded with ``with_stack``, or as system calls; calls that read or wait do not count.
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.read.kinds import Kind

_WRITING = r"(?i)write|sync|flush|save|dump"


def find(case: Case) -> Finding | None:
    """Return O004 if writing takes enough of the window."""
    limits = thresholds("O004")
    rows = case.on_main(case.inside(case.events.of(Kind.IO)))
    rows = rows[np.isin(case.events.name[rows], case.events.matching(_WRITING))]
    times = case.facts.times_of(rows)
    # Time explained by the loader or another kind of higher priority is excluded.
    share = min(case.share(case.waited(times)), case.accounting.shares["idle.io"])
    if share < limits["share"]:
        return None
    steps = max(1, case.num_steps)
    return Finding(
        code="TS-O004",
        bottleneck="host",
        share=share,
        recoverable=share,
        margin=share / limits["share"],
        evidence={"io_ms": times.length / steps / 1e3, "writes": len(times) / steps},
        times=times,
    )
