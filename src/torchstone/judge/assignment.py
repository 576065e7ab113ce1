"""Judge assignment of a problem: everything about the problem that the judge uses."""

from __future__ import annotations

import hashlib
from pathlib import Path

from torchstone.bank.loader import load_problem
from torchstone.bank.problem import Problem
from torchstone.bank.schema import Calls, Language
from torchstone.bank.schema import Native as Table
from torchstone.bank.variant import Shelf
from torchstone.core.errors import BrokenProblem
from torchstone.core.patch import read_program
from torchstone.judge.build.source import CUDA_CALLS, SCRATCH_CALLS
from torchstone.judge.order import Assignment, Native, OverKernel

JUDGED = ("problem.toml", "contract.h", "launcher.cu")
# Cases, oracle and probe may load every other Python file of a problem.
_NOT_JUDGED = ("solution.py", "starter.py")
# Wrong packages are not compared with a submission.
_COMPARED = {language.suffix for language in Language} - {Language.BUNDLE.suffix}
_CALLS = {
    Calls.NONE: frozenset[str](),
    Calls.LAUNCH: CUDA_CALLS,
    Calls.SCRATCH: CUDA_CALLS | SCRATCH_CALLS,
}


def assignment_of(problem: Problem) -> Assignment:
    """Return the assignment of a problem."""
    spec = problem.spec
    return Assignment(
        problem_id=spec.id,
        folder=problem.path,
        kind=spec.entry.kind,
        names=spec.entry.names,
        limits=spec.limits,
        deny=spec.deny,
        probe=problem.probe.read_text(encoding="utf-8") if problem.probe else "",
        content_hash=hash_of(problem),
        recipe=_native(problem.path, spec.native) or spec.cpp or spec.package or _over(problem),
        subtasks=spec.subtasks,
        started_by=spec.entry.started_by,
    )


def _native(folder: Path, table: Table | None) -> Native | None:
    if table is None:
        return None
    contract, launcher = (folder / name for name in ("contract.h", "launcher.cu"))
    return Native(
        contract=contract.read_text(encoding="utf-8"),
        launcher=launcher.read_text(encoding="utf-8"),
        calls=tuple(sorted(_CALLS[table.calls])),
    )


def folders_of(problem: Problem) -> list[Path]:
    """Return the folder of the problem, then the folder of the problem whose kernel it calls."""
    operator = problem.spec.operator
    return [problem.path] if operator is None else [problem.path, _folder(problem, operator.over)]


def _folder(problem: Problem, number: str) -> Path:
    found = sorted(problem.path.parent.glob(f"{number}_*/problem.toml"))
    if len(found) != 1:
        reason = f"it needs one problem {number} in the bank; there are {len(found)}"
        raise BrokenProblem(
            "bank.problem_broken", problem=problem.path.name, file="problem.toml", reason=reason
        )
    return found[0].parent


def _over(problem: Problem) -> OverKernel | None:
    operator = problem.spec.operator
    if operator is None:
        return None
    other = load_problem(_folder(problem, operator.over))
    native = _native(other.path, other.spec.native)
    assert native is not None, f"{other.path.name} is not a problem in CUDA"
    return OverKernel(
        native=native,
        kernel=other.solution.source,
        entries=other.spec.entry.names,
        namespace=operator.namespace,
    )


def hash_of(problem: Problem) -> str:
    """Return a hash of all files of a problem that can change a verdict."""
    return content_hash(*folders_of(problem))


def content_hash(*folders: Path) -> str:
    """Return a hash of all files in problem folders that can change a verdict.

    These are cases, oracle, probe, rules and wrong variants; for every folder after the first also
    the kernel.
    """
    digest = hashlib.sha256()
    for folder in folders:
        names = JUDGED if folder == folders[0] else (*JUDGED, "solution.cu")
        code = [path for path in folder.glob("*.py") if path.name not in _NOT_JUDGED]
        named = [folder / name for name in names]
        for path in sorted([*named, *code, *folder.glob("wrong/*")]):
            if path.is_file():
                digest.update(f"{path.relative_to(folder)}\0".encode() + _content(path) + b"\0")
    return digest.hexdigest()


def _content(path: Path) -> bytes:
    """Return the content to hash: for a patch, the program that it expands to."""
    if path.parent.name == Shelf.WRONG and path.suffix in _COMPARED:
        return read_program(path.parent.parent, f"{Shelf.WRONG}/{path.name}").encode()
    return path.read_bytes()
