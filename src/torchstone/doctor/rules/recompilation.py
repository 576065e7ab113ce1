"""TS-L004: code is recompiled or retraced in warm steps.

share = time of compilation and tracing (``torch.compile``, ``torch.jit``, Triton) after the second
step by which the window is delayed / window.
"""

from __future__ import annotations

from torchstone.doctor.case import Case, thresholds
from torchstone.doctor.findings import Finding
from torchstone.doctor.intervals import Intervals

_COMPILES = (
    r"(^|/)torch/_dynamo/convert_frame\.py\(\d+\): _compile$"
    r"|(^|/)torch/jit/_trace\.py\(\d+\): (trace|trace_module)$"
    r"|(^|/)torch/jit/_script\.py\(\d+\): script$"
    r"|(^|/)torch/fx/_symbolic_trace\.py\(\d+\): (symbolic_)?trace$"
    r"|(^|/)triton/compiler/compiler\.py\(\d+\): compile$"
    r"|^(_compile\.compile_inner|entire_frame_compile|backend_compile)\b"
)
_WARM_STEPS = 2


def first_compilations(case: Case) -> Intervals:
    """Return the intervals of compilation in the first steps, which is expected."""
    rows = case.inside(case.facts.named(_COMPILES))
    num = case.num_steps
    warm = float(case.window.steps[_WARM_STEPS, 0]) if num > _WARM_STEPS else case.window.end
    return case.facts.times_of(rows[case.events.t0[rows] < warm])


def compilations(case: Case) -> Intervals:
    """Return the intervals of compilation in all steps."""
    return case.facts.times_of(case.inside(case.facts.named(_COMPILES)))


def find(case: Case) -> Finding | None:
    """Return L004 if recompilation takes enough of the window."""
    limits = thresholds("L004")
    if case.num_steps <= _WARM_STEPS:
        return None
    warm = float(case.window.steps[_WARM_STEPS, 0])
    rows = case.inside(case.facts.named(_COMPILES))
    rows = rows[case.events.t0[rows] >= warm]
    times = case.facts.times_of(rows)
    share = case.share(case.waited(times))
    if share < limits["share"]:
        return None
    warm_steps = case.num_steps - _WARM_STEPS
    return Finding(
        code="TS-L004",
        bottleneck="host",
        share=share,
        # The warm steps are extrapolated to all steps.
        recoverable=min(1.0, share * case.num_steps / warm_steps),
        margin=share / limits["share"],
        evidence={
            "per_step": len(times) / warm_steps,
            "compile_ms": times.length / warm_steps / 1e3,
        },
        times=times,
        fix="dynamic",
    )
