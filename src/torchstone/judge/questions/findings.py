"""Findings of the check in the proving process's facts about a topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from torchstone.bank.questions.finding import Finding
from torchstone.bank.questions.schema import Change, Question
from torchstone.bank.questions.stale import torch_names
from torchstone.bank.questions.topic import Topic
from torchstone.judge.questions.budgets import budget_of
from torchstone.judge.questions.facts import Failure, QuestionFacts, Run, TopicFacts


def findings_of(topic: Topic, facts: TopicFacts) -> tuple[Finding, ...]:
    """Return the findings in the runs of a topic."""
    return tuple(_all(topic, facts))


def _all(topic: Topic, facts: TopicFacts) -> Iterator[Finding]:
    yield from _check_run(topic, "", facts.setup)
    if facts.setup.failure is not None:
        return
    if facts.torch != topic.spec.torch:
        yield _finding(topic, "TS-Q08", "", "other_torch", has=topic.spec.torch, came=facts.torch)
    names = torch_names(topic)
    for name in facts.unresolved:
        yield _finding(topic, "TS-Q08", names.get(name, ""), "name_gone", name=name)
    for question, seen in zip(topic, facts.questions, strict=True):
        yield from _check_run(topic, question.id, seen.run)
        yield from _check_claims(topic, question, seen.run)
        if seen.run.failure is None:
            yield from _check_outputs(topic, question, seen.run)
        if seen.run.failure is None and not seen.run.false:
            yield from _check_changes(topic, question, seen)


def _check_run(topic: Topic, question: str, run: Run) -> Iterator[Finding]:
    if run.failure is not None:
        yield _finding(topic, "TS-Q02", question, "cell_raises", **_place(topic, run.failure))
    budget = budget_of(topic)
    if run.cpu_s > budget:
        values = {"took": f"{run.cpu_s:.2f}", "budget": budget}
        yield _finding(topic, "TS-Q02", question, "cell_slow", **values)
    for left in run.left:
        yield _finding(topic, "TS-Q02", question, "cell_leaves", left=left)
    for warned in run.warned:
        yield _finding(topic, "TS-Q08", question, "cell_warns", warned=warned)


def _check_claims(topic: Topic, question: Question, run: Run) -> Iterator[Finding]:
    for claim in topic.demo.claims_of(question.id):
        if claim in run.false:
            yield _finding(topic, "TS-Q03", question.id, "claim_false", claim=claim)
        elif claim not in run.claims and run.failure is None:
            yield _finding(topic, "TS-Q03", question.id, "claim_unreached", claim=claim)


def _check_outputs(topic: Topic, question: Question, run: Run) -> Iterator[Finding]:
    came = {(output.cell, output.line): output.lines for output in run.outputs}
    written = {
        (cell.name, line): lines
        for cell in topic.demo.of(question.id)
        for line, lines in cell.outputs.items()
    }
    for cell, line in sorted({*came, *written}):
        prints, has = came.get((cell, line), ()), written.get((cell, line), ())
        if prints != has:
            values = {"cell": cell, "line": line, "came": _quoted(prints), "has": _quoted(has)}
            yield _finding(topic, "TS-Q02", question.id, "cell_prints", **values)


def _check_changes(topic: Topic, question: Question, seen: QuestionFacts) -> Iterator[Finding]:
    if len(seen.changes) < len(question.changes):
        return  # the changes were not tried
    own = set(topic.demo.claims_of(question.id))
    tried: set[str] = set()
    for change, run in zip(question.changes, seen.changes, strict=True):
        yield from _check_change(topic, question, change, run, own)
        tried |= run.false if run is not None else frozenset()
    for claim in sorted(own - tried):
        yield _finding(topic, "TS-Q04", question.id, "claim_safe", claim=claim)


def _check_change(
    topic: Topic, question: Question, change: Change, run: Run | None, own: set[str]
) -> Iterator[Finding]:
    edit = f"{change.before} → {change.after}"
    values: dict[str, object] = {"cell": change.cell, "edit": " ".join(edit.split())}
    if run is None:
        yield _finding(topic, "TS-Q04", question.id, "change_lost", **values)
    elif run.failure is not None:
        error = run.failure.error
        yield _finding(topic, "TS-Q04", question.id, "change_breaks", error=error, **values)
    # A named claim without an assert is reported by another check.
    elif (run.false & own) != (set(change.fails) & own):
        fails, named = sorted(run.false & own), sorted(change.fails)
        values |= {"fails": ", ".join(fails) or "-", "named": ", ".join(named)}
        yield _finding(topic, "TS-Q04", question.id, "change_differs", **values)


def _place(topic: Topic, failure: Failure) -> dict[str, object]:
    cell = topic.demo.cell(failure.cell)
    line = cell.line + failure.line - 1 if cell else failure.line
    return {"cell": failure.cell or "-", "line": line, "error": failure.error}


def _quoted(lines: Sequence[str]) -> str:
    return " / ".join(lines) or "-"


def _finding(topic: Topic, code: str, question: str, fault: str, **values: object) -> Finding:
    return Finding(
        code=code,
        topic=topic.id,
        question=question,
        key=f"judge.questions.{fault}",
        values=values,
    )
