"""TS-D004: the training loop prepares data itself while the device waits.

share = idle time in intervals of Python between two operators / window. Only long intervals count:
short ones are the Python around operators, which TS-L001 counts. One line has at least half of the
time, and recurs in at least half of the steps: a single delay may be due to another process on the
core.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.lines import Place


def find(case: Case) -> Finding | None:
    """Return D004 if preparation takes enough of the window, and one line has most of it."""
    limits = thresholds("D004")
    times = case.preparation
    share = case.share(times.length) / max(1, len(case.accounting.gaps))
    if share < limits["share"] or case.is_blind:
        return None
    places = case.places(times)
    top = max(_top(places.deepest), _top(places.callers))
    if not _recurs(case, limits["share"]):
        return None
    # Without frames the line is unknown: the rule is neither confirmed nor refuted.
    if case.frames and top < limits["top_line"]:
        return None
    return Finding(
        code="TS-D004",
        bottleneck="host",
        share=share,
        recoverable=share,
        margin=share / limits["share"],
        evidence={
            "python_ms": times.length / max(1, case.num_steps) / 1e3,
            "stretches": float(len(times)),
            "top_line": top,
        },
        times=times,
        variant="" if case.accounting.has_device else "processor",
    )


def _top(places: list[Place]) -> float:
    """Return the share of the first line, including comprehensions in its file.

    PyTorch code between two operators is not preparation.
    """
    places = [each for each in places if not each.file.startswith("torch/")]
    lines = [each for each in places if not each.function.startswith("<")]
    first = lines[0] if lines else None
    inner = [each for each in places if each.function.startswith("<")]
    if first is None:
        return sum(each.share for each in inner)
    largest = max((each.share for each in places), default=0.0)
    return max(largest, first.share + sum(each.share for each in inner if each.file == first.file))


def _recurs(case: Case, share: float) -> bool:
    """Return whether it takes at least half of a share in at least half of the steps."""
    begins, ends = case.window.steps[:, 0], case.window.steps[:, 1]
    took = case.preparation.within(begins, ends) / max(1, len(case.accounting.gaps))
    return float((took >= share / 2 * (ends - begins)).mean()) >= 0.5
