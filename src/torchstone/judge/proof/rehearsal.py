"""Rehearsal: judge in one process, without sandbox, bans or limits.

For authors of problems and as the baseline of the benchmark.

Never judge code of others with this. ``python -m torchstone.judge.proof.rehearsal FOLDER`` judges
every variant of a problem but its cheats, and prints its verdict beside the expected one. With
``FILE`` after the folder it shows every wrong case of that file.
"""

from __future__ import annotations

import argparse
import secrets
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch

from torchstone.core.patch import read_program
from torchstone.judge.child import driver, native_library, opaque_function
from torchstone.judge.child.records import Answer
from torchstone.judge.child.submission import LoadError, load, load_probe
from torchstone.judge.kit import Case, Grade, ProblemCode, grade, load_code, merge_answers
from torchstone.judge.kit.problem import Planned
from torchstone.judge.native.build import library
from torchstone.judge.proof.rehearsed_ranks import Program, answer_in_ranks, has_ranks
from torchstone.judge.reference.misconception import copy_tree


@dataclass(frozen=True, slots=True, kw_only=True)
class Rehearsed:
    """Hold one case with the answer that was given and its grade."""

    planned: Planned
    case: Case
    answer: Answer
    grade: Grade
    ms: float


def rehearse(code: ProblemCode, source: str, names: list[str], seed: int) -> Iterator[Rehearsed]:
    """Judge a source text in this process, case by case, but for cases that need their own."""
    # Where no request has an opaque function, nothing has to be compiled.
    opaque_function.use(lambda: native_library.load(str(library())))
    program = Program(source, names, read_if_there(code.folder / "probe.py"))
    probe = load_probe(program.probe)
    submission = load(source, names)
    session = driver.Session()
    for planned in code.plan(seed):
        case = code.build(planned)
        if case.is_alone:
            continue  # its peak memory is measured from outside
        started = time.perf_counter()
        answers = [
            answer_in_ranks(program, {"op": step.op, "data": copy_tree(step.data)})
            if has_ranks(step.data)
            else driver.answer(submission, step.op, copy_tree(step.data), session, probe)
            for step in case.steps
        ]
        merged = merge_answers(answers)
        ms = (time.perf_counter() - started) * 1e3
        yield Rehearsed(
            planned=planned, case=case, answer=merged, grade=grade(code.expect(case), merged), ms=ms
        )


def read_if_there(path: Path) -> str:
    """Return the text of a file, or nothing where there is none."""
    return path.read_text(encoding="utf-8") if path.exists() else ""


def _read_file(folder: Path, file: Path) -> str:
    """Return the text of a program; a patch of this problem is expanded."""
    inside, root = file.resolve(), folder.resolve()
    if inside.is_relative_to(root):
        return read_program(root, inside.relative_to(root).as_posix())
    return file.read_text(encoding="utf-8")


def summarise(code: ProblemCode, source: str, names: list[str], seed: int) -> tuple[str, str]:
    """Return the verdict of a source and the first group that failed."""
    try:
        for each in rehearse(code, source, names, seed):
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
    options = parser.parse_args(argv)
    seed = secrets.randbits(62) if options.seed is None else options.seed
    torch.set_num_threads(1)
    code, names = load_code(options.folder), [name for name in options.names.split(",") if name]
    write = sys.stdout.write
    write(f"seed {seed}\n")
    if options.file:
        source = _read_file(options.folder, options.file)
        for each in rehearse(code, source, names, seed):
            ratio = "-" if each.grade.ratio is None else f"{each.grade.ratio:.3g}"
            write(
                f"{each.planned.group:8} {each.ms:8.1f} ms  {ratio:>9} x  {each.planned.params}\n"
            )
            for finding in each.grade.findings:
                what = f"{finding.code} {finding.aspect} {finding.key} {finding.ratio:.3g}"
                write(f"    {what} {finding.detail.get('en', '')}\n")
        return 0
    for path in [options.folder / "solution.py", *sorted(options.folder.glob("good/*.py"))]:
        verdict, group = summarise(code, _read_file(options.folder, path), names, seed)
        write(f"{path.name:34} got {verdict:16} in {group:8} {'' if verdict == 'AC' else '<<<'}\n")
    for path in sorted(options.folder.glob("wrong/*.py")):
        source = _read_file(options.folder, path)
        wanted = [line.split(":", 1)[1].strip() for line in source.splitlines()[:2] if ":" in line]
        verdict, group = summarise(code, source, names, seed)
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
