"""Turn a problem of the bank into what the judge must know of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

from torchstone.bank.problem import Problem
from torchstone.bank.schema import Calls
from torchstone.judge.kinds.source import CUDA_CALLS, SCRATCH_CALLS
from torchstone.judge.order import Assignment, Native

JUDGED = ("cases.py", "oracle.py", "probe.py", "problem.toml", "contract.h", "launcher.cu")
_CALLS = {
    Calls.NONE: frozenset[str](),
    Calls.LAUNCH: CUDA_CALLS,
    Calls.SCRATCH: CUDA_CALLS | SCRATCH_CALLS,
}


def assignment_of(problem: Problem) -> Assignment:
    """Describe a problem for the judge."""
    spec = problem.spec
    return Assignment(
        problem_id=spec.id,
        folder=problem.path,
        kind=spec.entry.kind,
        names=spec.entry.names,
        limits=spec.limits,
        deny=spec.deny,
        probe=problem.probe.read_text(encoding="utf-8") if problem.probe else "",
        content_hash=content_hash(problem.path),
        native=_native(problem),
    )


def _native(problem: Problem) -> Native | None:
    spec = problem.spec
    if spec.native is None:
        return None
    contract, launcher = (problem.path / name for name in ("contract.h", "launcher.cu"))
    return Native(
        contract=contract.read_text(encoding="utf-8"),
        launcher=launcher.read_text(encoding="utf-8"),
        calls=tuple(sorted(_CALLS[spec.native.calls])),
    )


def content_hash(folder: Path) -> str:
    """Hash everything that can change a verdict.

    Cases, oracle, probe, rules and the wrong variants.
    """
    digest = hashlib.sha256()
    for path in sorted([folder / name for name in JUDGED] + list(folder.glob("wrong/*"))):
        if path.is_file():
            digest.update(f"{path.relative_to(folder)}\0".encode() + path.read_bytes() + b"\0")
    return digest.hexdigest()
