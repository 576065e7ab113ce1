"""Routes of what belongs to writing a solution: time of work, format, kept inputs."""

from __future__ import annotations

from fastapi import APIRouter

from torchstone.app.home import Home
from torchstone.app.judging import formatting
from torchstone.app.problems import kept_inputs, working
from torchstone.web.bench_schemas import (
    DeleteInput,
    Formatted,
    KeepInput,
    KeptInputs,
    RenameInput,
    Span,
    Work,
    Worked,
)
from torchstone.web.reports import model_of
from torchstone.web.schemas import ProblemId
from torchstone.web.verdict_schemas import Program


def add_bench(router: APIRouter, home: Home) -> None:
    """Add the routes."""

    @router.post("/problems/{problem_id}/work")
    def note_work(problem_id: ProblemId, work: Work) -> Worked:
        return Worked(seconds=working.note_work(home, problem_id, spans_of(work.spans)))


def add_formatting(router: APIRouter, home: Home) -> None:
    """Add the route that formats a text."""
    formatter = formatting.Formatter(home)

    @router.post("/problems/{problem_id}/format")
    async def format_text(problem_id: ProblemId, text: Program) -> Formatted:
        return model_of(Formatted, await formatter.format(problem_id, text.source))


def add_inputs(router: APIRouter, home: Home) -> None:
    """Add the routes of the inputs that a learner keeps; each answers with all of the problem."""
    address = "/problems/{problem_id}/inputs"

    @router.get(address)
    def list_inputs(problem_id: ProblemId) -> KeptInputs:
        return model_of(KeptInputs, kept_inputs.list_inputs(home, problem_id))

    @router.put(address)
    def keep_input(problem_id: ProblemId, body: KeepInput) -> KeptInputs:
        kept = kept_inputs.keep_input(home, problem_id, body.name, body.code, replace=body.replace)
        return model_of(KeptInputs, kept)

    @router.post(f"{address}/rename")
    def rename_input(problem_id: ProblemId, body: RenameInput) -> KeptInputs:
        renamed = kept_inputs.rename_input(home, problem_id, body.name, body.new_name)
        return model_of(KeptInputs, renamed)

    @router.post(f"{address}/delete")
    def delete_input(problem_id: ProblemId, body: DeleteInput) -> KeptInputs:
        return model_of(KeptInputs, kept_inputs.delete_input(home, problem_id, body.name))


def spans_of(spans: list[Span]) -> list[working.Span]:
    """Convert spans of work."""
    return [working.Span(seconds=each.seconds, until=each.until) for each in spans]
