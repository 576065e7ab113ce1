"""Have a program judged: a file on the side, the samples of a problem, or a submission for good."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from torchstone.app.home import Home
from torchstone.app.source import read_source
from torchstone.bank import Problem, Words
from torchstone.core.errors import BadInput, JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Verdict

JsonObject = dict[str, Any]
OnEvent = Callable[[JsonObject], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What came of one program.

    Args:
        problem: The problem it answers.
        report: The judge's report.
        submission: The id in the history; None when nothing was recorded.
        receipt: The whole receipt, where the judge gave it directly.
        misconception: What the equal wrong program of the bank says, if there is one.
    """

    problem: Problem
    report: JsonObject
    submission: str | None = None
    receipt: JsonObject | None = None
    misconception: Words | None = None

    @property
    def verdict(self) -> Verdict:
        """Give the verdict."""
        return Verdict(self.report["verdict"])

    @property
    def is_walled_in(self) -> bool:
        """Tell whether it ran where code of others may run."""
        return Isolation(self.report["isolation"]).is_at_least(Isolation.NAMESPACES)

    def as_json(self) -> JsonObject:
        """Give the report as the command line and the page print it."""
        named = self.report["misconception"]
        words = self.misconception
        return {
            **self.report,
            "misconception": named["name"] if named else None,
            "misconception_cases": named["cases"] if named else None,
            "misconception_text": {"en": words.en, "zh": words.zh} if words else None,
            "submission": self.submission,
        }


def judge_file(
    home: Home,
    name: str,
    path: Path,
    on_event: OnEvent,
    *,
    groups: tuple[str, ...] | None = None,
) -> Judged:
    """Judge a file without touching the workspace or the progress.

    Args:
        home: Where the learner works.
        name: The problem.
        path: The file.
        on_event: Called with every event of the judge, as it comes.
        groups: Only these groups of cases; all when not given.
    """
    problem = home.problem(name)
    return judge_text(home, problem, read_source(path), on_event, groups=groups)


def judge_text(
    home: Home,
    problem: Problem,
    source: str,
    on_event: OnEvent,
    *,
    groups: tuple[str, ...] | None = None,
    **options: Any,
) -> Judged:
    """Judge a text without a record; the options are those of ``Client.judge``."""
    options |= {"groups": list(groups)} if groups else {}
    options.setdefault("at_least", home.settings.isolation)
    done = _follow(home.client().judge(problem.id, source, **options), on_event)
    return _judged(problem, done, submission=None)


def submit(home: Home, name: str, source: str, on_event: OnEvent, *, kind: str) -> Judged:
    """Submit for the record; an interruption cancels what is not yet judged.

    Args:
        home: Where the learner works.
        name: The problem.
        source: The submitted text.
        on_event: Called with every event of the judge, as it comes.
        kind: ``"submit"``, which counts as an attempt, or ``"run"``: the samples only.
    """
    problem = home.problem(name)
    client = home.client()
    home.require_isolation(client)
    jobs: list[str] = []

    def note(event: JsonObject) -> None:
        if event["type"] == "accepted":
            jobs.append(event["job"])
        on_event(event)

    try:
        done = _follow(client.submit(problem.id, source, kind=kind), note)
    except KeyboardInterrupt:
        for job in jobs:
            client.cancel(job)
        raise
    return _judged(problem, done, submission=jobs[0])


def _follow(events: Iterator[JsonObject], on_event: OnEvent) -> JsonObject:
    """Pass every event on, and return the last one."""
    for event in events:
        on_event(event)
        if event["type"] == "done":
            return event
        if event["type"] == "cancelled":
            raise BadInput("app.cancelled", job=event.get("job", ""))
    raise JudgeUnavailable("app.host_left")


def _judged(problem: Problem, done: JsonObject, *, submission: str | None) -> Judged:
    report = done["report"]
    if report is None:
        raise JudgeUnavailable("app.host_left")
    named = report["misconception"]
    wrong = {variant.name: variant.words for variant in problem.wrong}
    return Judged(
        problem=problem,
        report=report,
        submission=submission,
        receipt=done.get("receipt"),
        misconception=wrong.get(named["name"]) if named else None,
    )
