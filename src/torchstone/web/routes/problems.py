"""Routes of problems: list, page, drafts, hints, editorial, solutions."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi import APIRouter

from torchstone.app.home import Home
from torchstone.app.judging import record, timing
from torchstone.app.problems import catalog, drafts, learning, marks, paths, working
from torchstone.bank import Problem
from torchstone.bank.proof_record import read_record
from torchstone.core.i18n import Lang
from torchstone.web import prose
from torchstone.web.catalogue import chapters_of, concepts_of, list_chapters, list_parts
from torchstone.web.figures import read_figures
from torchstone.web.highlight import highlight
from torchstone.web.library_lines import lines_model
from torchstone.web.reports import inline_html, model_of
from torchstone.web.schemas import (
    BankProof,
    BrokenFolder,
    Conflict,
    Draft,
    Editorial,
    GiveUp,
    Ladder,
    LearningPath,
    Limits,
    Marking,
    ModelSolution,
    PathChoice,
    ProblemId,
    ProblemList,
    ProblemPage,
    ProblemRecord,
    ProblemRef,
    ProblemRow,
    ReviewNote,
    Rise,
    Rung,
    Save,
    Solutions,
    Words,
)
from torchstone.web.time_schemas import Times

DRAFTS = {"draft": drafts.DraftKind.SOLUTION, "notes": drafts.DraftKind.NOTES}
CONFLICT: dict[int | str, dict[str, Any]] = {409: {"model": Conflict}}


def add_problems(router: APIRouter, home: Home) -> None:
    """Add the routes."""

    @router.get("/problems")
    def list_problems() -> ProblemList:
        found = catalog.list_problems(home)
        return ProblemList(
            problems=[_row(row) for row in found.problems],
            broken=[model_of(BrokenFolder, each) for each in found.broken],
            chapters=list_chapters(),
            parts=list_parts(),
            paths=_paths(home, [row.id for row in found.problems if row.status == "proven"]),
        )

    @router.get("/problems/{problem_id}")
    def show(problem_id: ProblemId, lang: Lang = "en") -> ProblemPage:
        return _page(home, problem_id, lang)

    @router.post("/problems/{problem_id}/hints")
    def open_hint(problem_id: ProblemId, body: Rise) -> Ladder:
        learning.open_hint(home, problem_id, body.rung)
        return _ladder(learning.read_ladder(home, problem_id))

    @router.put("/problems/{problem_id}/mark")
    def mark(problem_id: ProblemId, body: Marking) -> Marking:
        return model_of(Marking, marks.mark_problem(home, problem_id, marked=body.marked))

    @router.get("/problems/{problem_id}/editorial")
    def editorial(problem_id: ProblemId, lang: Lang = "en") -> Editorial:
        found = learning.read_editorial(home, problem_id)
        problem = home.problem(problem_id)
        return Editorial(
            html=_render(problem, found.words[lang], lang),
            code=[lines_model(each) for each in found.code],
        )

    @router.post("/problems/{problem_id}/solutions")
    def solutions(problem_id: ProblemId, ask: GiveUp) -> Solutions:
        found = learning.open_solutions(home, problem_id, give_up=ask.give_up)
        return Solutions(
            solutions=[
                ModelSolution(
                    name=each.name, source=each.source, html=highlight(each.source, "python")
                )
                for each in found.solutions
            ],
            gave_up=found.gave_up,
            review=model_of(ReviewNote, found.review) if found.review else None,
        )

    _add_times(router, home)
    for name, kind in DRAFTS.items():
        _add_draft(router, home, name, kind)


def _add_times(router: APIRouter, home: Home) -> None:
    @router.get("/problems/{problem_id}/times")
    def times(problem_id: ProblemId) -> Times:
        return model_of(Times, timing.read_times(home, problem_id))

    @router.post("/problems/{problem_id}/times")
    def measure(problem_id: ProblemId) -> Times:
        # One at a time measures; the others are answered at once.
        return model_of(Times, timing.measure_times(home, problem_id, lambda event: None))


def add_paths(router: APIRouter, home: Home) -> None:
    """Add the route of the path to follow."""

    @router.put("/path")
    def follow(body: PathChoice) -> list[LearningPath]:
        paths.follow_path(home, body.path)
        return _paths(home)


def _add_draft(router: APIRouter, home: Home, name: str, kind: drafts.DraftKind) -> None:
    address = f"/problems/{{problem_id}}/{name}"

    @router.get(address, operation_id=f"read_{name}")
    def read(problem_id: ProblemId) -> Draft:
        return model_of(Draft, drafts.read_draft(home, problem_id, kind))

    @router.put(address, operation_id=f"save_{name}", responses=CONFLICT)
    def save(problem_id: ProblemId, body: Save) -> Draft:
        saved = drafts.save_draft(
            home, problem_id, kind, body.text, base=body.base, put_aside=body.put_aside
        )
        return model_of(Draft, saved)


def _paths(home: Home, proven: list[str] | None = None) -> list[LearningPath]:
    return [model_of(LearningPath, each) for each in paths.list_paths(home, proven=proven)]


def _row(row: catalog.ProblemRow) -> ProblemRow:
    fields = asdict(row) | {
        "concepts": concepts_of(row.concepts),
        "chapters": chapters_of(row.concepts),
        "verdict": row.last_verdict,
    }
    return ProblemRow.model_validate(fields)


def _page(home: Home, name: str, lang: Lang) -> ProblemPage:
    found = catalog.show_problem(home, name)
    problem = home.problem(name)
    ladder = learning.read_ladder(home, name)
    known = record.find_record(home, name)
    rows = {row.id: row for row in catalog.list_problems(home).problems}

    def ref(problem_id: str | None) -> ProblemRef | None:
        row = rows.get(problem_id or "")
        return ProblemRef(id=row.id, title=Words(**row.title), status=row.status) if row else None

    row = rows[problem.id]
    needed = (ref(each) for each in found.prerequisites)
    return ProblemPage(
        id=found.id,
        slug=found.slug,
        title=Words(**found.title),
        part=found.part,
        stars=found.stars,
        minutes=found.minutes,
        kind=found.kind,
        signature=found.signature,
        names=list(found.names),
        concepts=concepts_of(found.concepts),
        prerequisites=[each for each in needed if each is not None],
        previous=ref(found.previous_id),
        next=ref(found.next_id),
        limits=model_of(Limits, found.limits),
        statement_html=_render(problem, found.statement[lang], lang, is_narrow=True),
        starter=found.starter,
        file_name=drafts.draft_path(home, problem, drafts.DraftKind.SOLUTION).name,
        status=known.status,
        attempts=known.attempts,
        worked_s=working.count_work(home, name),
        is_settled=ladder.is_settled,
        is_due=row.is_due,
        is_marked=row.is_marked,
        num_submissions=known.num_submissions,
        record=model_of(ProblemRecord, known),
        bank_proof=_bank_proof(problem),
        ladder=_ladder(ladder),
    )


def _bank_proof(problem: Problem) -> BankProof | None:
    found = read_record(problem.path)
    return BankProof.model_validate(found, from_attributes=True) if found else None


def _ladder(ladder: learning.Ladder) -> Ladder:
    return Ladder(
        rungs=[
            Rung.model_validate(
                {
                    "number": each.number,
                    "rung": each.rung,
                    "html": inline_html(each.words) if each.words else None,
                }
            )
            for each in ladder.rungs
        ],
        next_rung=ladder.next_rung,
        price=Words(**ladder.price) if ladder.price else None,
        is_dear=ladder.is_dear,
    )


def _render(problem: Problem, markdown: str, lang: Lang, *, is_narrow: bool = False) -> str:
    figures = read_figures(problem.path)
    return prose.render(markdown, lang=lang, figures=figures, is_narrow=is_narrow)
