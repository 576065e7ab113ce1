"""TS-D001 and TS-D002: the device waits for the data loader.

share = idle time in ``DataLoader.__next__``, without the time counted by TS-D003 / window. The
iterator's name tells whether the main process loads the data itself (D001) or waits for workers
that are too slow (D002).
"""

from __future__ import annotations

import numpy as np

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.read.kinds import Kind
from torchstone.doctor.rules.loader_restart import restarts


def find(case: Case) -> Finding | None:
    """Return D001 or D002 if the loader takes enough of the window."""
    restarted = restarts(case)
    share = case.accounting.shares["idle.loader"] - case.share(case.waited(restarted))
    code = "D002" if _has_workers(case) else "D001"
    limits = thresholds(code)
    if share < limits["share"]:
        return None
    rows = case.inside(case.events.of(Kind.LOADER))
    loads = case.during(Kind.LOADER)
    steps = max(1, case.num_steps)
    return Finding(
        code=f"TS-{code}",
        bottleneck="loading",
        share=share,
        recoverable=share,
        margin=share / limits["share"],
        evidence={
            "wait_ms": share * case.window.duration / steps / 1e3,
            "load_ms": loads.clipped(case.window.begin, case.window.end).length / steps / 1e3,
            "loads": float(len(rows)),
        },
        times=loads.clipped(case.window.begin, case.window.end),
        fix="pin_memory" if code == "D002" else "workers",
    )


def _has_workers(case: Case) -> bool:
    """Return whether the iterator that the program uses has worker processes."""
    rows = case.inside(case.events.of(Kind.LOADER))
    times = [
        case.time(rows[np.isin(case.events.name[rows], case.events.named(iterator))])
        for iterator in ("_SingleProcess", "_MultiProcessing")
    ]
    # Of several loaders, the one with the longer total time counts.
    if any(times):
        return times[1] > times[0]
    frames = case.events.named("_try_get_data", "_get_data")
    return bool(np.isin(case.events.name, frames).any())
