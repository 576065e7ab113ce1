"""Rehearsal: judge without sandbox, bans or limits, in a single process where possible.

It is for authors of problems, and the baseline of the benchmark.

Never judge other people's code with this. ``python -m torchstone.judge.proof.rehearsal FOLDER``
judges every variant of a problem except its cheats, and prints its verdict beside the expected one.
With ``FILE`` after the folder it shows every wrong case of that file.
"""

from __future__ import annotations

import argparse
import contextlib
import secrets
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from torchstone.core.patch import read_program
from torchstone.judge.child import driver
from torchstone.judge.child.answering import opaque_function
from torchstone.judge.child.bans import native_library
from torchstone.judge.child.loaders.submission import LoadError, load, load_probe
from torchstone.judge.child.protocol.records import Answer, Arguments
from torchstone.judge.kit import Case, Grade, ProblemCode, grade, load_code, merge_answers
from torchstone.judge.kit.problem import Planned
from torchstone.judge.native.build import library
from torchstone.judge.proof.led import Led
from torchstone.judge.reference.misconception import copy_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """One case with its answer and grade."""

    planned: Planned
    case: Case
    answer: Answer
    grade: Grade
    ms: float


def rehearse(
    code: ProblemCode, source: str, names: list[str], seed: int, led: Led | None = None
) -> Iterator[Rehearsed]:
    """Judge a source text case by case: in this process, or in several if `led` is given.

    As in a job, torch has one thread, because a thread pool does not survive a fork.

    Raises:
        LoadError: The source cannot be judged.
    """
    torch.set_num_threads(1)
    with _answering(code, source, names, led) as answer:
        for planned in code.plan(seed):
            case = code.build(planned)
            if case.is_alone:
                continue  # its peak memory is measured from outside
            started = time.perf_counter()
            merged = merge_answers(
                [answer({"op": step.op, "data": copy_tree(step.data)}) for step in case.steps]
            )
            ms = (time.perf_counter() - started) * 1e3
            graded = grade(code.expect(case), merged)
            yield Rehearsed(planned=planned, case=case, answer=merged, grade=graded, ms=ms)


@contextlib.contextmanager
def _answering(
    code: ProblemCode, source: str, names: list[str], led: Led | None
) -> Iterator[Callable[[Arguments], Answer]]:
    """Load a source text; yield the function that answers a request."""
    probe_source = read_if_there(code.folder / "probe.py")
    if led is not None:
        # Imported here because it needs Linux; single-process problems are rehearsed elsewhere,
        # too.
        from torchstone.judge.proof.rehearsed_processes import Leader, Program

        with contextlib.closing(Leader(led, Program(source, names, probe_source))) as leader:
            yield leader.answer
        return
    # The library is compiled only if a request has an opaque function.
    opaque_function.use(lambda: native_library.load(str(library())))
    probe, submission, session = load_probe(probe_source), load(source, names), driver.Session()
    yield lambda request: driver.answer(submission, request["op"], request["data"], session, probe)


def read_if_there(path: Path) -> str:
    """Return the text of a file, or an empty string if it does not exist."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _read_file(folder: Path, file: Path) -> str:
    """Return the text of a program; a patch of this problem is expanded."""
    inside, root = file.resolve(), folder.resolve()
    if inside.is_relative_to(root):
        return read_program(root, inside.relative_to(root).as_posix())
    return file.read_text(encoding="utf-8")


def summarise(
    code: ProblemCode, source: str, names: list[str], seed: int, led: Led | None = None
) -> tuple[str, str]:
    """Return the verdict of a source and the first group that failed."""
    try:
        for each in rehearse(code, source, names, seed, led):
            worst = each.grade.worst
            if worst is not None:
                return f"{worst.code} {worst.aspect or ''}".strip(), each.planned.group
    except LoadError as error:
        return str(error.record["code"]), "load"
    return "AC", "-"


def main(argv: list[str] | None = None) -> int:
    """Rehearse a problem, or one file of it."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("file", type=Path, nargs="?")
    parser.add_argument(
        "--names", default="", help="comma-separated names that the file must define"
    )
    parser.add_argument("--seed", type=int)
    parser.add_argument(
        "--led", choices=[each.value for each in Led], help="what it runs as, if not one process"
    )
    options = parser.parse_args(argv)
    seed = secrets.randbits(62) if options.seed is None else options.seed
    led = Led(options.led) if options.led else None
    code, names = load_code(options.folder), [name for name in options.names.split(",") if name]
    write = sys.stdout.write
    write(f"seed {seed}\n")
    if options.file:
        source = _read_file(options.folder, options.file)
        for each in rehearse(code, source, names, seed, led):
            ratio = "-" if each.grade.ratio is None else f"{each.grade.ratio:.3g}"
            write(
                f"{each.planned.group:8} {each.ms:8.1f} ms  {ratio:>9} x  {each.planned.params}\n"
            )
            for finding in each.grade.findings:
                what = f"{finding.code} {finding.aspect} {finding.key} {finding.ratio:.3g}"
                write(f"    {what} {finding.detail.get('en', '')}\n")
        return 0
    for path in [options.folder / "solution.py", *sorted(options.folder.glob("good/*.py"))]:
        verdict, group = summarise(code, _read_file(options.folder, path), names, seed, led)
        write(f"{path.name:34} got {verdict:16} in {group:8} {'' if verdict == 'AC' else '<<<'}\n")
    for path in sorted(options.folder.glob("wrong/*.py")):
        source = _read_file(options.folder, path)
        wanted = [line.split(":", 1)[1].strip() for line in source.splitlines()[:2] if ":" in line]
        verdict, group = summarise(code, source, names, seed, led)
        right = (
            len(wanted) == 2
            and verdict in [w.strip() for w in wanted[0].split("|")]
            and group == wanted[1]
        )
        got, mark = f"{path.name:34} got {verdict:16} in {group:8}", "" if right else "<<<"
        write(f"{got} expected {' in '.join(wanted):30} {mark}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
