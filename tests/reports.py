"""Make reports as a judge writes them, from the types of the judge itself."""

import math
from collections.abc import Sequence
from typing import Any

import msgspec

from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Aspect, Verdict
from torchstone.cudasim.cost import MODEL_VERSION
from torchstone.judge.messages import (
    CaseResult,
    CountedKernel,
    CountedLine,
    NativeReport,
    Preview,
    Report,
    Smallest,
    SmallestInput,
    SmallestRow,
    TensorPreview,
    plain,
)
from torchstone.judge.report import interrupted_report


def make_case(index: int = 0, group: str = "sample", code: str = "AC", **more: Any) -> CaseResult:
    """Make what one case came to."""
    case = {"index": index, "group": group, "code": Verdict(code), "aspect": None}
    return CaseResult(**(case | {"ratio": 0.5, "ms": 1.0} | more))


def make_report(problem: str = "01", verdict: str = "AC", **more: Any) -> Report:
    """Make a report of one case; an answer that is wrong is so by its value, in the samples."""
    is_wrong = verdict == "WA"
    fields: dict[str, Any] = {
        "problem": problem,
        "verdict": Verdict(verdict),
        "aspect": Aspect.VALUE if is_wrong else None,
        "group": None if verdict == "AC" else "sample",
        "isolation": Isolation.FULL,
        "cases": (make_case(),),
        "planned": 1,
        "failed_groups": (),
        "time_ms": 12.0,
        "cpu_s": 0.01,
        "max_rss_kib": 200_000,
        "detail": None,
        "error": None,
        "forbidden": None,
        "stdout": "",
        "misconception": None,
        "smallest": None,
        "receipt": "c41e08d752ba",
    }
    return Report(**fields | more)


def stored_report(problem: str = "01", verdict: str = "AC", **more: Any) -> dict[str, Any]:
    """Make a report as the store keeps it; further fields are JSON, be they of a report or not."""
    return plain(make_report(problem, verdict)) | more


def tag(message: msgspec.Struct) -> str:
    """Name the type of an event, as it is written in JSON."""
    return str(message.__struct_config__.tag)


def given_up(problem: str, count: int) -> dict[str, Any]:
    """Write the report of a submission that was interrupted too often, as the host does."""
    return plain(interrupted_report(problem, count))


def make_tensor(
    values: Sequence[Any], shape: Sequence[int], marks: Sequence[int] = ()
) -> TensorPreview:
    """Make a tensor as it is shown, in row-major order."""
    strides = [math.prod(shape[dim + 1 :]) for dim in range(len(shape))]
    return TensorPreview(
        dtype="float32",
        shape=tuple(shape),
        stride=tuple(strides),
        values=tuple(values),
        window=None,
        marks=tuple(marks),
    )


def make_row(actual: Preview, expected: Preview, **more: Any) -> SmallestRow:
    """Make one output that is wrong in the smallest failing case."""
    row: dict[str, Any] = {"code": Verdict.WA, "aspect": Aspect.VALUE, "key": "out", "name": "out"}
    row |= {"ratio": "inf", "detail": None, "raised": None, "worst": None}
    return SmallestRow(**row | {"expected": expected, "actual": actual} | more)


def make_smallest(*rows: SmallestRow, **inputs: Preview) -> Smallest:
    """Make the smallest failing case of its inputs and of what is wrong."""
    return Smallest(
        group="scale",
        index=1,
        regime={},
        inputs=tuple(SmallestInput(name=name, preview=each) for name, each in inputs.items()),
        rows=rows,
    )


def with_later_fields(report: dict[str, Any]) -> dict[str, Any]:
    """Add the defaults of the fields that later versions of the judge added to a stored report."""
    named = report["misconception"]
    if named is not None:
        named = {"alternatives": [], "also": None, "unexplained": None} | named
    placed = {key: _with_file(report[key]) for key in ("error", "forbidden")}
    smallest = report["smallest"]
    if smallest is not None:
        rows = [row | {"raised": _with_file(row["raised"])} for row in smallest["rows"]]
        smallest = smallest | {"rows": rows}
    native = report["native"]
    if native is not None:
        counters = [
            {"cost_model": 0}
            | kernel
            | {"lines": [{"ways": None} | line for line in kernel["lines"]]}
            for kernel in native["counters"]
        ]
        native = {"hazards": []} | native | {"counters": counters}
    later = {"misconception": named, "smallest": smallest, "native": native}
    return {"symptoms": [], "saved": None} | report | placed | later


def _with_file(place: dict[str, Any] | None) -> dict[str, Any] | None:
    return None if place is None else {"file": None} | place


def make_counted(
    *costs: float, is_launcher: bool = False, cost_model: int = MODEL_VERSION
) -> NativeReport:
    """Make the native part of a report, with a kernel for each cost.

    Args:
        costs: Cycles of the cost model.
        is_launcher: Whether no line of the submission is in the kernels.
        cost_model: The version of the cost model.
    """
    row: dict[str, Any] = {"line": 1, "text": "out[i] = a[i];", "requests": 1, "lanes": 32.0}
    row |= dict.fromkeys(("sectors", "useful", "conflicts", "contention", "flops"))
    shape: dict[str, Any] = {"grid": (1, 1, 1), "block": (32, 1, 1), "barriers": 0}
    lines = () if is_launcher else (CountedLine(**row),)
    shape |= {"lines": lines, "cost_model": cost_model}
    kernels = tuple(CountedKernel(kernel="k", cycles=each, **shape) for each in costs)
    fields: dict[str, Any] = {"stars": (), "found": (), "drawn": None, "profile": None}
    return NativeReport(**fields, counters=kernels, nvcc=None)
