"""Routes of progress: overview, reviews and search."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query

from torchstone.app.home import Home
from torchstone.app.review import overview, reviews
from torchstone.app.search.search import Searcher
from torchstone.web.catalogue import list_chapters, list_parts
from torchstone.web.progress_schemas import (
    DayCount,
    DueItem,
    KnownQuestions,
    MapProblem,
    Overview,
    ReviewEntry,
    ReviewList,
    ReviewLog,
    SearchResult,
    SubmissionLine,
    Undo,
)
from torchstone.web.reports import model_of, next_model
from torchstone.web.schemas import LearningPath, ProblemId, Words


def add_progress(router: APIRouter, home: Home, searcher: Searcher) -> None:
    """Add the routes."""

    @router.get("/overview")
    def look_over() -> Overview:
        return _overview(home)

    @router.get("/reviews")
    def list_reviews() -> ReviewList:
        return model_of(ReviewList, reviews.list_reviews(home))

    @router.get("/reviews/{problem_id}/log")
    def log(problem_id: ProblemId) -> ReviewLog:
        lines = reviews.review_log(home, problem_id)
        return ReviewLog(entries=[model_of(ReviewEntry, line) for line in lines])

    @router.post("/reviews/{problem_id}/undo")
    def undo(problem_id: ProblemId, body: Undo) -> ReviewList:
        reviews.undo_review(home, problem_id, reviewed_at=body.reviewed_at)
        return model_of(ReviewList, reviews.list_reviews(home))

    @router.get("/search")
    def search(
        q: Annotated[str, Query(max_length=500)] = "",
        limit: Annotated[int, Query(ge=1, le=100)] = 20,
    ) -> SearchResult:
        return model_of(SearchResult, searcher.find(q, limit=limit))


def _overview(home: Home) -> Overview:
    found = overview.look_over(home)
    titles = {name: Words(**title) for name, title in found.titles.items()}
    return Overview(
        num_proven=found.num_proven,
        num_tried=found.num_tried,
        num_untouched=found.num_untouched,
        problems=[
            MapProblem.model_validate(asdict(problem) | {"title": titles[problem.id]})
            for problem in found.problems
        ],
        due=[
            DueItem.model_validate(asdict(item) | {"title": titles[item.problem_id]})
            for item in found.due
        ],
        next=next_model(home, found.next) if found.next else None,
        recent=[model_of(SubmissionLine, line) for line in found.recent],
        forecast=[model_of(DayCount, day) for day in found.forecast],
        paths=[model_of(LearningPath, path) for path in found.paths],
        chapters=list_chapters(),
        parts=list_parts(),
        known=[model_of(KnownQuestions, each) for each in found.known],
    )
