"""Reference process: draw inputs, compute expectations, grade, find misconceptions, shrink.

It runs in the reference zygote's sandbox, one process per job, and receives only bytes of the
submission. ``child.protocol.frames.ToReference`` lists the frames from the supervisor; the first
frame of every reply tells how many frames follow.
"""

from __future__ import annotations

import gc
import select
import socket
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec
import torch

from torchstone.core.i18n import both
from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge import messages
from torchstone.judge.child.protocol import orders, stream, wire
from torchstone.judge.child.protocol.frames import REPLY, ToJob, ToReference
from torchstone.judge.child.protocol.orders import read_order
from torchstone.judge.child.protocol.records import Answer
from torchstone.judge.child.zygote import pages
from torchstone.judge.kit import Case, Finding, Grade, ProblemCode, grade, load_code, merge_answers
from torchstone.judge.kit.problem import Planned
from torchstone.judge.mutation.watching import read_sights
from torchstone.judge.reference.answers import ANSWER_CAP, read_answers
from torchstone.judge.reference.battery import run_battery, run_cells
from torchstone.judge.reference.misconception import find_misconception, find_variant
from torchstone.judge.reference.observation import observe
from torchstone.judge.reference.saving import saved_in
from torchstone.judge.reference.smallest import ROW_CAP, Shrinking, found_wrong
from torchstone.judge.reference.symptoms import find_symptoms
from torchstone.judge.reference.trials import JudgedCase, Trial, split_case, untried
from torchstone.judge.reference.variant_comparison import (
    Comparison,
    Misconception,
    first_wrong,
)
from torchstone.judge.replies import (
    Candidate,
    CaseHead,
    Executed,
    Graded,
    Grades,
    Made,
    Named,
    NativeFound,
    Opened,
    Reply,
    Seen,
)

# Maximum bytes of answers kept for the explanation, over all cases of a job.
KEPT_CAP = 1 << 29
# Size of a batch's requests in bytes beyond which no further case is added.
BATCH_BYTES = 1 << 16
# Idle seconds after which the process returns freed memory to the kernel.
PATIENCE_SECONDS = 1.0


class Connection:
    """Connection to the supervisor, for orders and replies."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._inbox = stream.Inbox(sock.recv_into)

    def receive(self) -> wire.Frame | None:
        """Read a frame; return None when the supervisor has closed the socket."""
        return self._inbox.receive(blob_cap=ANSWER_CAP)

    def reply(self, reply: Reply, requests: Sequence[Any] = ()) -> None:
        """Send a reply, followed by the requests of cases."""
        stream.send(self._sock, [*wire.pack(REPLY, msgspec.to_builtins(reply)), *requests])

    def is_still(self, seconds: float) -> bool:
        """Wait; return whether nothing arrived."""
        return self._inbox.is_empty and not select.select([self._sock], [], [], seconds)[0]


@dataclass(slots=True, kw_only=True)
class Judged:
    """A case with its answer and grade."""

    planned: Planned
    case: Case
    answer: Answer
    grade: Grade


@dataclass(slots=True)
class JobState:
    """State of one job on the reference side."""

    code: ProblemCode
    names: list[str]
    key: bytes
    plan: list[Planned] = field(default_factory=list)
    made: dict[int, Case] = field(default_factory=dict)
    num_made: int = 0
    judged: dict[int, Judged] = field(default_factory=dict)
    shrinking: Shrinking | None = None
    kept_bytes: int = 0
    comparison: Comparison | None = None
    named: Misconception | None = None


_codes: dict[Path, ProblemCode] = {}

# Formatted during import, which also loads the messages before a job begins.
_NO_ANSWER = both("judge.graded.unreadable")
_UNREADABLE = Grade(
    findings=(Finding(code="RTE", aspect=None, key="", detail=_NO_ANSWER),), ratio=None
)


def serve(sock: socket.socket) -> None:
    """Answer the supervisor until it closes the socket."""
    state: JobState | None = None
    connection = Connection(sock)
    while True:
        # The next case usually needs the same memory again; trim only after an idle second.
        if connection.is_still(PATIENCE_SECONDS):
            pages.trim()
        frame = connection.receive()
        if frame is None:
            return
        kind, order = read_order(frame)
        if kind is ToReference.REST:
            state = None
            gc.collect()
            continue
        if isinstance(order, orders.Open):
            state, reply = _open(order)
            connection.reply(reply)
            continue
        assert state is not None, "a problem is opened first"
        _OPERATIONS[kind](connection, state, order)


def _open(order: orders.Open) -> tuple[JobState, Opened]:
    folder = Path(order.folder)
    if folder not in _codes:
        _codes[folder] = load_code(folder)
    state = JobState(_codes[folder], list(order.names), order.key)
    state.plan = state.code.plan(order.seed, order.groups)
    if not state.plan:
        raise ValueError(f"{folder.name}: no case in the groups {order.groups}")
    return state, Opened(plan=tuple((planned.group, planned.index) for planned in state.plan))


def _make(connection: Connection, state: JobState, order: orders.Make) -> None:
    """Make the next cases, up to the order's number, and fewer if they are large."""
    heads: list[CaseHead] = []
    requests: list[Any] = []
    for index in range(state.num_made, len(state.plan))[: order.at_most]:
        state.made[index] = case = state.code.build(state.plan[index])
        heads.append(_head(case))
        requests += _pack_steps(case, state.key)
        if sum(map(len, requests)) > BATCH_BYTES:
            break
    state.num_made += len(heads)
    connection.reply(Made(cases=tuple(heads)), requests)


def _head(case: Case) -> CaseHead:
    return CaseHead(num_steps=len(case.steps), modes=tuple(_modes(case)))


def _pack_steps(case: Case, key: bytes) -> list[Any]:
    requests = [{"op": step.op, "data": step.data} for step in case.steps]
    steps = [wire.pack(ToJob.CASE, order, key=key) for order in requests]
    return [buffer for step in steps for buffer in step]


def _modes(case: Case) -> list[str]:
    """Return the mode of the submission's process for each step of a case."""
    if all(step.op == "launch" for step in case.steps):
        return [step.data["build"] for step in case.steps]
    if case.is_alone:
        assert not case.steps[-1].data.get("stays"), "nothing comes after the last request"
        return ["staying" if step.data.get("stays") else "alone" for step in case.steps]
    return [_mode(case)] * len(case.steps)


def _mode(case: Case) -> str:
    data = [step.data for step in case.steps]
    if any(each.get("operators") == "none" for each in data):
        return "bare"
    if any(each.get("free") for each in data):
        return "free"
    # Recording a graph is needed for a second derivative, or if a probe asks for it.
    records = any(each.get("second") or each.get("records") for each in data)
    return "recording" if records else "plain"


def _read_answers(connection: Connection, num_answers: int) -> list[Answer] | None:
    frames = []
    for _ in range(num_answers):
        frame = connection.receive()
        assert frame is not None, "the supervisor relays as many answers as it announced"
        frames.append(frame)
    return read_answers(frames)


def _grade(state: JobState, index: int, answers: list[Answer] | None) -> Graded:
    planned, case = state.plan[index], state.made.pop(index)
    merged = {} if answers is None else merge_answers(answers)
    expected = {} if answers is None else state.code.expect(case)
    graded = _UNREADABLE if answers is None else grade(expected, merged)
    judged = Judged(planned=planned, case=case, answer=merged, grade=graded)
    state.judged[index] = judged
    worst = graded.worst
    size = _num_bytes(merged)
    if worst is None and size > 1 << 20:
        del state.judged[index]  # right and large: not needed again
    elif state.kept_bytes + size > KEPT_CAP:
        judged.answer = {}  # too large to keep: the finding suffices
    else:
        state.kept_bytes += size
    return Graded(
        code=Verdict.AC if worst is None else Verdict(worst.code),
        aspect=None if worst is None or worst.aspect is None else Aspect(worst.aspect),
        ratio=graded.ratio,
        findings=tuple(found_wrong(each) for each in graded.findings[:ROW_CAP]),
        native=_native(case, merged),
        stars=graded.stars,
        saved=saved_in(case, expected, merged),
    )


def _native(case: Case, answer: Answer) -> NativeFound | None:
    """Return the simulator's report of the first launch that has one."""
    for number, step in enumerate(case.steps if case.steps[0].op == "launch" else ()):
        for order in step.data["orders"]:
            prefix = f"{number}:{order}" if number else order
            found = {
                name: text if isinstance(text := answer.get(f"{prefix}:{name}"), str) else ""
                for name in ("findings", "counters")
            }
            if any(found.values()):
                return NativeFound(build=step.data["build"], **found)
    return None


def _num_bytes(answer: Answer) -> int:
    return sum(item.nbytes for item in answer.values() if isinstance(item, torch.Tensor))


def _next_candidate(connection: Connection, shrinking: Shrinking, key: bytes) -> None:
    case = shrinking.propose()
    if case is None:
        connection.reply(Candidate(num_steps=0, modes=(), smallest=shrinking.describe()))
        return
    connection.reply(_head(case), _pack_steps(case, key))


def _answer_grade(connection: Connection, state: JobState, order: orders.GradeAnswers) -> None:
    # Read all answers before grading: the supervisor may be blocked on sending them.
    answered = [(index, _read_answers(connection, count)) for index, count in order.answered]
    grades = tuple(_grade(state, index, answers) for index, answers in answered)
    connection.reply(Grades(grades=grades))


def _answer_misconception(connection: Connection, state: JobState, order: orders.Bare) -> None:
    if state.comparison is not None:
        found = state.comparison.best()
    else:
        found = find_misconception(state.code, state.names, state.judged.values())
    state.named = found
    symptoms = find_symptoms(state.code, _trials(state))
    if found is None:
        connection.reply(Named(misconception=None, symptoms=symptoms))
        return
    groups = tuple(dict.fromkeys(each.group for each in found.unexplained))
    unexplained = messages.Unexplained(cases=len(found.unexplained), groups=groups)
    named = messages.Misconception(
        name=found.name,
        cases=found.num_cases,
        alternatives=found.alternatives,
        also=found.also,
        unexplained=unexplained if groups else None,
    )
    reply = Named(misconception=named, case=found.case, program=found.program, symptoms=symptoms)
    connection.reply(reply)


def _trials(state: JobState) -> Iterator[Trial]:
    """Yield every judged call; inputs of right cases that were dropped are drawn again."""
    for each in state.judged.values():
        yield from split_case(state.code, each)
    num_graded = max(state.judged, default=-1) + 1
    yield from untried(state.code, state.plan, state.judged, num_graded)


def _answer_comparing(connection: Connection, state: JobState, order: orders.Comparable) -> None:
    """Return the cases that variants must answer; empty if there is nothing to compare."""
    judged: Iterable[JudgedCase] = state.judged.values()
    compared = judged if order.most is None else first_wrong(judged, order.most)
    state.comparison = comparison = Comparison(state.code, compared)
    cases = [each.case for each in comparison.small] if comparison.can_tell else []
    heads = Made(cases=tuple(_head(case) for case in cases))
    connection.reply(heads, [part for case in cases for part in _pack_steps(case, state.key)])


def _compare(connection: Connection, state: JobState, order: orders.Compare) -> None:
    comparison = state.comparison
    assert comparison is not None, "comparing is begun first"
    read = [_read_answers(connection, count) for count in order.answered]
    pairs = zip(comparison.small, read, strict=False)
    comparison.add(
        order.name, [(each, merge_answers(got)) for each, got in pairs if got is not None]
    )


def _begin_shrinking(connection: Connection, state: JobState, order: orders.Shrink) -> None:
    judged, named = state.judged[order.index], state.named
    keys, variant = None, None
    if named is not None and named.case == order.index:
        keys = named.keys
        if state.comparison is None:
            variant = find_variant(state.code, state.names, named.program).answer
    state.shrinking = Shrinking(state.code, judged, budget=order.budget, keys=keys, variant=variant)
    _next_candidate(connection, state.shrinking, state.key)


def _continue_shrinking(connection: Connection, state: JobState, order: orders.Tried) -> None:
    assert state.shrinking is not None, "shrinking is begun first"
    answers = _read_answers(connection, order.num_answers)
    of_variant = _read_answers(connection, order.num_of_variant)
    state.shrinking.tried(answers, of_variant)
    _next_candidate(connection, state.shrinking, state.key)


def _answer_battery(connection: Connection, state: JobState, order: orders.TryBattery) -> None:
    solved = None
    if order.judged:
        judged = state.judged.values()
        solved = [
            (each.planned, each.case, state.code.expect(each.case), each.answer) for each in judged
        ]
    connection.reply(run_battery(state.code, state.names, order.seed, solved))


def _answer_cells(connection: Connection, state: JobState, order: orders.Execute) -> None:
    connection.reply(Executed(wrong=run_cells(order.cells)))


def _answer_observation(connection: Connection, state: JobState, order: orders.Observe) -> None:
    if order.source is None:
        sights = read_sights(key for each in state.judged.values() for key in each.answer)
    else:
        sights = observe(state.code, order.source, state.names)
    connection.reply(Seen(sights=tuple(sights.items())))


# ``orders.read_order`` returns the type that the function of a kind takes.
_OPERATIONS: dict[ToReference, Callable[[Connection, JobState, Any], None]] = {
    ToReference.MAKE: _make,
    ToReference.GRADE: _answer_grade,
    ToReference.NAME: _answer_misconception,
    ToReference.COMPARABLE: _answer_comparing,
    ToReference.COMPARE: _compare,
    ToReference.SHRINK: _begin_shrinking,
    ToReference.TRIED: _continue_shrinking,
    ToReference.BATTERY: _answer_battery,
    ToReference.EXECUTE: _answer_cells,
    ToReference.OBSERVE: _answer_observation,
}
