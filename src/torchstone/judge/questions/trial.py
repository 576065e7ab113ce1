"""Trial of one topic: run its cells, and again with each change."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from torchstone.bank.questions.demo import DemoCell, parse_demo
from torchstone.bank.questions.loader import load_topic
from torchstone.bank.questions.schema import Change, Question
from torchstone.bank.questions.topic import Topic
from torchstone.judge.questions.budgets import budget_of, deadline_of, slowness
from torchstone.judge.questions.cells import Stage
from torchstone.judge.questions.facts import Order, QuestionFacts, Run, TopicFacts
from torchstone.judge.questions.forks import adopt_orphans, forked, used_cpu
from torchstone.judge.questions.mutants import mutate

# A run over its budget is measured again, because a busy machine increases CPU seconds.
_MOST_MEASUREMENTS = 3


@dataclass(frozen=True, kw_only=True)
class Edited:
    """``demo.py`` with one cell changed."""

    text: str
    is_setup: bool


def try_topic(order: Order, torch_version: str) -> TopicFacts:
    """Prove a topic in this process, which is a fork for this purpose."""
    adopt_orphans()
    topic = load_topic(Path(order.folder))
    trial = _Trial(topic, order)
    setup, questions = trial.run()
    return TopicFacts(
        folder=order.folder,
        setup=setup,
        questions=questions,
        unresolved=tuple(name for name in order.names if not _resolves(name)),
        torch=torch_version,
        cpu_s=round(used_cpu(), 3),
    )


def edit(topic: Topic, question: Question, change: Change) -> Edited | None:
    """Apply a change to the text; return None unless its place is found exactly once."""
    cells = [*topic.demo.setup, *topic.demo.of(question.id)]
    found = [cell for cell in cells if cell.name == change.cell]
    if len(found) != 1 or found[0].source.count(change.before) != 1:
        return None
    source = found[0].source.replace(change.before, change.after)
    return Edited(text=_with(topic, found[0], source), is_setup=not found[0].question)


class _Trial:
    def __init__(self, topic: Topic, order: Order) -> None:
        self._topic = topic
        self._order = order
        self._text = (topic.path / "demo.py").read_text(encoding="utf-8")
        self._deadline = deadline_of(topic)
        self._stage = Stage(file=topic.path / "demo.py", text=self._text)

    def run(self) -> tuple[Run, tuple[QuestionFacts, ...]]:
        # Changes of the set-up must run before the set-up itself has run in this process.
        early = {question.id: dict(self._changed_setups(question)) for question in self._topic}
        setup = forked(self._run_setup, self._deadline)
        if setup.failure is not None:
            return setup, ()
        self._run_setup()
        return setup, tuple(self._try(question, early[question.id]) for question in self._topic)

    def _run_setup(self) -> Run:
        return self._stage.run(self._topic.demo.setup)

    def _changed_setups(self, question: Question) -> Iterator[tuple[int, Run]]:
        if not self._order.changes:
            return
        for index, change in enumerate(question.changes):
            edited = edit(self._topic, question, change)
            if edited is not None and edited.is_setup:
                yield index, self._with_text(edited.text, question, from_setup=True)

    def _try(self, question: Question, early: dict[int, Run]) -> QuestionFacts:
        run = self._measure(question)
        changes: list[Run | None] = []
        for index, change in enumerate(question.changes if self._order.changes else ()):
            if index in early:
                changes.append(early[index])
                continue
            edited = edit(self._topic, question, change)
            changes.append(None if edited is None else self._with_text(edited.text, question))
        num_mutants, survivors = self._try_mutants(question, run)
        return QuestionFacts(
            id=question.id,
            run=run,
            changes=tuple(changes),
            num_mutants=num_mutants,
            survivors=survivors,
        )

    def _measure(self, question: Question) -> Run:
        cells = self._topic.demo.of(question.id)
        budget = budget_of(self._topic)
        runs: list[Run] = []
        while len(runs) < _MOST_MEASUREMENTS:
            before = slowness() if runs else 1.0
            run = forked(partial(self._stage.run, cells), self._deadline)
            if run.failure is not None or run.cpu_s <= budget:
                return run
            slow = max(before, slowness())
            run = msgspec.structs.replace(run, cpu_s=run.cpu_s / slow)
            if run.cpu_s <= budget:
                return run
            runs.append(run)
        return min(runs, key=lambda run: run.cpu_s)

    def _with_text(self, text: str, question: Question, *, from_setup: bool = False) -> Run:
        def job() -> Run:
            demo = parse_demo(text)
            self._stage.read(text)
            cells = (*(demo.setup if from_setup else ()), *demo.of(question.id))
            return self._stage.run(cells)

        return forked(job, self._deadline)

    def _try_mutants(self, question: Question, run: Run) -> tuple[int, tuple[str, ...]]:
        if not self._order.mutants or run.failure is not None:
            return 0, ()
        num, alive = 0, []
        for cell in self._topic.demo.of(question.id):
            for mutant in mutate(cell.source):
                num += 1
                text = _with(self._topic, cell, mutant.source)
                seen = self._with_text(text, question)
                if seen.failure is None and not seen.false and _printed(seen) == _printed(run):
                    alive.append(f"{cell.name}:{mutant.line}: {mutant.rule}")
        return num, tuple(alive)


def _with(topic: Topic, cell: DemoCell, source: str) -> str:
    lines = (topic.path / "demo.py").read_text(encoding="utf-8").splitlines(keepends=True)
    start = cell.line - 1
    end = start + len(cell.source.splitlines())
    return "".join([*lines[:start], source, *lines[end:]])


def _printed(run: Run) -> Sequence[tuple[str, tuple[str, ...]]]:
    # A mutant may move lines.
    return [(output.cell, output.lines) for output in run.outputs]


def _resolves(name: str) -> bool:
    """Return whether a dotted name is a module, or an attribute of one."""
    parts = name.split(".")
    found = importlib.import_module(parts[0])
    for depth, part in enumerate(parts[1:], 2):
        if hasattr(found, part):
            found = getattr(found, part)
            continue
        try:
            found = importlib.import_module(".".join(parts[:depth]))
        except ImportError:
            return False
    return True
