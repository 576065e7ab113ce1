"""Hostile answers: mutate right ones at every level of the wire, and judge what comes out.

Bytes, trees, values and reports of the simulator are mutated, deterministically by a seed. Each
mutated answer takes the path of a real one: the reader of frames, the decoder, the grade, the
comparison with a variant, the smallest case, the reply to the host, and the report as JSON.

``python -m tests.judge.reference.hostile [--answers 1000000] [--seed 7] [PROBLEM ...]`` prints what
raised, and ends with status 1 if anything did.
"""

from __future__ import annotations

import argparse
import random
import struct
import sys
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import msgspec
import torch

from tests.judge.reference.mutations import COUNTERS, RAISED, mutated
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.schema import Kind
from torchstone.core.isolation import Isolation
from torchstone.core.patch import read_program
from torchstone.core.verdict import Verdict
from torchstone.judge import replies as host
from torchstone.judge.assignment import assignment_of
from torchstone.judge.child import driver
from torchstone.judge.child.loaders.submission import load, load_probe
from torchstone.judge.child.protocol import stream, wire
from torchstone.judge.child.protocol.frames import REPLY
from torchstone.judge.child.protocol.records import Answer
from torchstone.judge.kit import (
    Case,
    Exact,
    Expected,
    Holds,
    Maybe,
    OneOf,
    ProblemCode,
    Raises,
    Want,
    load_code,
    merge_answers,
)
from torchstone.judge.messages import plain
from torchstone.judge.order import Order
from torchstone.judge.pool.submission_supervisor import Answered, Supervisor
from torchstone.judge.reference import server
from torchstone.judge.reference.misconception import copy_tree
from torchstone.judge.reference.smallest import Shrinking
from torchstone.judge.reference.symptoms import find_symptoms
from torchstone.judge.reference.trials import split_case
from torchstone.judge.reference.variant_comparison import Comparison, num_elements
from torchstone.judge.replies import Candidate, Grades, Named
from torchstone.judge.report import build_report, smallest_of

FOLDERS = sorted(CONTENT.glob("problems/*_*"))
# Larger tensors cost time and say no more.
SMALL = 3_000
# Cases of a problem; each has its own expectations, and answers are spread over all of them.
MOST_CASES = 40


@dataclass(slots=True)
class Target:
    """Hold one case of a problem with a right answer, as the frame that carries it."""

    state: server.JobState
    case: Case
    tree: str
    blobs: list[bytes]
    supervisor: Supervisor
    last: list[server.Judged] = field(default_factory=list)


@dataclass(slots=True)
class Tally:
    """Count what came out."""

    codes: Counter[str] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)
    slowest_s: float = 0.0
    num_answers: int = 0

    def add(self, other: Tally) -> None:
        """Add another tally."""
        self.codes += other.codes
        self.failures |= other.failures
        self.slowest_s = max(self.slowest_s, other.slowest_s)
        self.num_answers += other.num_answers


# --- right answers --------------------------------------------------------------------------------


def targets_of(folder: Path, seed: int) -> list[Target]:
    """Prepare cases of a problem: of every kind of expectation one, and more as far as allowed."""
    code, problem = load_code(folder), load_problem(folder)
    names = list(assignment_of(problem).names)
    # With its case: the number of an object that is gone may be that of another.
    truths: dict[int, tuple[Case, Expected]] = {}
    code = replace(code, expect_case=_remembered(code.expect_case, truths))
    # Neither ranks nor programs that start processes, or are started again, run here.
    has_processes = problem.spec.entry.kind in (Kind.DISTRIBUTED, Kind.SCRIPT, Kind.LOADER)
    answer_of = (lambda case: None) if has_processes else _solver(code, folder, names)
    found: list[tuple[tuple[str, ...], Target]] = []
    for planned in code.plan(seed):
        case = code.build(planned)
        expected = _shortened(code.expect(case))
        if not expected:
            continue
        if case.parts:
            case = replace(case, parts={})
        truths[id(case)] = (case, expected)
        answer = answer_of(case) if num_elements(case) <= SMALL else None
        answer = answer or _imagined(expected)
        _, tree, _, *blobs = wire.pack(b"A", answer)
        state = server.JobState(code, names, b"", plan=[replace(planned, index=0)])
        order = Order(assignment=assignment_of(problem), source="", seed=seed, groups=None)
        supervisor = Supervisor(order, None, lambda event: None)  # type: ignore[arg-type]
        supervisor._findings.plan = [(planned.group, 0)]
        target = Target(state, case, tree.decode(), [bytes(blob) for blob in blobs], supervisor)
        found.append((tuple(sorted(expected)), target))
    distinct = list({signature: target for signature, target in reversed(found)}.values())
    others = [target for _, target in found if all(target is not each for each in distinct)]
    return (distinct + others)[:MOST_CASES]


def _remembered(
    expect: Callable[[Case], Expected], truths: dict[int, tuple[Case, Expected]]
) -> Callable[[Case], Expected]:
    return lambda case: truths[id(case)][1] if id(case) in truths else expect(case)


def _shortened(expected: Expected) -> Expected:
    """Leave out large tensors; what else a large case has stays."""
    return {
        key: item
        for key, item in expected.items()
        if not (isinstance(item, Want) and item.value.numel() > SMALL)
    }


def _solver(code: ProblemCode, folder: Path, names: list[str]) -> Callable[[Case], Answer | None]:
    """Return a function that answers a case by the solution, where it runs in this process."""
    if not (folder / "solution.py").exists() or folder.name.endswith("_op"):
        return lambda case: None
    try:
        probe_file = folder / "probe.py"
        probe = load_probe(probe_file.read_text() if probe_file.exists() else "")
        submission = load(read_program(folder, "solution.py"), names)
    except Exception:  # noqa: BLE001  it needs a build; what is expected stands for the answer
        return lambda case: None
    session = driver.Session()

    def answer(case: Case) -> Answer | None:
        if any("world_size" in step.data for step in case.steps):
            return None  # several ranks answer
        answers = [
            driver.answer(submission, step.op, copy_tree(step.data), session, probe)
            for step in case.steps
        ]
        return merge_answers(answers)

    return answer


def _imagined(expected: Expected) -> Answer:
    """Return an answer as the expectations describe it."""
    answer: Answer = {}
    for key, item in expected.items():
        inner = item.expectation if isinstance(item, Maybe) else item
        if isinstance(inner, Want):
            answer[key] = inner.value.to(inner.dtype)
        elif isinstance(inner, Exact):
            answer[key] = inner.value
        elif isinstance(inner, Raises):
            answer[key] = RAISED | {"type": inner.names[0]}
        elif isinstance(inner, OneOf):
            answer |= _imagined(inner.options[0])
        elif isinstance(inner, Holds) and inner.truth is not None:
            answer[key] = inner.truth
        elif isinstance(inner, Holds):
            zeros = torch.zeros(2, 3) if inner.truth is None else inner.truth
            answer[key] = COUNTERS if key.endswith("counters") else zeros
    if any(":" in key for key in expected):
        answer["1:random:counters"] = COUNTERS
    return answer


# --- the path of an answer ------------------------------------------------------------------------


def read_frame(tree: bytes, blobs: list[bytes], cut: int) -> wire.Frame | None:
    """Read a frame from its bytes as the host does; ``None`` where the host refuses them."""
    table = struct.pack(f"<{len(blobs)}Q", *map(len, blobs))
    head = wire.HEAD.pack(
        wire.MAGIC, b"A", wire.VERSION, len(tree), len(table), sum(map(len, blobs))
    )
    sent = memoryview(b"".join([head, tree, table, *blobs]))
    sent = sent[: len(sent) - cut]

    def receive(buffer: Any, size: int = 0) -> int:
        nonlocal sent
        taken = min(len(sent), size or len(buffer))
        buffer[:taken] = sent[:taken]
        sent = sent[taken:]
        return taken

    try:
        return stream.Inbox(receive).receive(blob_cap=1 << 20)
    except (wire.WireError, EOFError):
        return None


def judge(rng: random.Random, target: Target) -> str:
    """Judge one mutated answer; return its verdict."""
    tree, blobs = mutated(rng, target.tree, target.blobs)
    frame = read_frame(tree, blobs, cut=rng.random() < 0.01)
    if frame is None:
        return Verdict.RTE
    state = target.state
    state.made[0], state.kept_bytes = target.case, 0
    graded = server._grade(state, 0, server.read_answers([frame]))
    (told,) = _sent(host.Grades, Grades(grades=(graded,))).grades
    judged = state.judged.get(0)
    turn = rng.randrange(64)
    if told.code is not Verdict.AC and turn % 4 == 0:
        supervisor = target.supervisor
        supervisor._findings.cases, supervisor._findings.stars = [], []
        supervisor._note(Answered(0, [], 0.0), told)
        msgspec.json.encode(
            plain(build_report(supervisor.order, supervisor._findings, Isolation.FULL, 0.0))
        )
    if judged is not None and judged.grade.findings:
        if turn % 4 == 1:
            _explain(target, judged, further=turn == 1)
        target.last = [*target.last[-2:], judged]
    return told.code


def _explain(target: Target, judged: server.Judged, *, further: bool) -> None:
    code, others = target.state.code, target.last
    shrinking = Shrinking(code, judged, budget=1)
    smallest = shrinking.describe()
    if further and shrinking.propose() is not None:
        shrinking.tried([judged.answer])
        shrinking.describe()
    reply = Candidate(num_steps=0, modes=(), smallest=smallest)
    told = _sent(host.Candidate, reply).smallest
    assert told is not None
    msgspec.json.encode(plain(smallest_of(told)))
    # As if each had answered a case of its own.
    all_judged = [
        replace(each, planned=replace(each.planned, index=index))
        for index, each in enumerate([judged, *others])
    ]
    comparison = Comparison(code, all_judged)
    for name, other in enumerate([judged, *others]):
        comparison.add(str(name), [(each, other.answer) for each in comparison.small])
    comparison.best()
    if further:
        trials = [trial for each in all_judged for trial in split_case(code, each)]
        _sent(host.Named, Named(misconception=None, symptoms=find_symptoms(code, trials)))


def _sent(kind: Any, reply: Any) -> Any:
    _, tree, _, *blobs = wire.pack(REPLY, msgspec.to_builtins(reply))
    return host.read_reply(kind, wire.Frame(kind=REPLY, tree=tree, blobs=blobs).decode())


def judge_problem(folder: Path, num_answers: int, seed: int) -> Tally:
    """Judge mutated answers of one problem."""
    tally, targets = Tally(), targets_of(folder, seed)
    for number in range(num_answers):
        # Each answer has a seed of its own, so that one can be tried alone.
        rng = random.Random(f"{seed}/{folder.name}/{number}")
        target = targets[number % len(targets)]
        begun = time.thread_time()
        try:
            tally.codes[judge(rng, target)] += 1
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            where = traceback.extract_tb(error.__traceback__)[-1]
            name = f"{folder.name} {type(error).__name__} {where.filename}:{where.lineno}"
            tally.failures.setdefault(name, f"answer {number}\n{traceback.format_exc()}")
        tally.slowest_s = max(tally.slowest_s, time.thread_time() - begun)
    tally.num_answers = num_answers
    return tally


def main(argv: list[str] | None = None) -> int:
    """Judge mutated answers of the problems named, or of all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("problems", nargs="*")
    parser.add_argument("--answers", type=int, default=1_000_000, help="of all problems together")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args(argv)
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    folders = [
        f for f in FOLDERS if not options.problems or f.name.split("_")[0] in options.problems
    ]
    total = Tally()
    for folder in folders:
        begun = time.process_time()
        tally = judge_problem(folder, -(-options.answers // len(folders)), options.seed)
        total.add(tally)
        seconds, codes = time.process_time() - begun, dict(sorted(tally.codes.items()))
        sys.stdout.write(
            f"{folder.name:26} {seconds:6.1f} s, slowest {tally.slowest_s:.2f} s {codes}\n"
        )
        for name, said in tally.failures.items():
            sys.stdout.write(f"{name}: {said}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{total.num_answers} answers, {len(total.failures)} failures\n")
    return 1 if total.failures else 0


if __name__ == "__main__":
    raise SystemExit(main())
