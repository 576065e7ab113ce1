"""What to review when, and why: ratings from evidence, the schedule, the map of what is proven."""

from torchstone.study.evidence import gather_evidence
from torchstone.study.mastery import (
    ConceptMastery,
    DueItem,
    MapCell,
    MasteryMap,
    NextProblem,
    ProblemFacts,
    ProblemMastery,
    Standing,
    Status,
    draw_map,
)
from torchstone.study.rating import Evidence, Rated, Rating, rate
from torchstone.study.schedule import DateReason, Scheduled, explain_date, retrievability, review

__all__ = [
    "ConceptMastery",
    "DateReason",
    "DueItem",
    "Evidence",
    "MapCell",
    "MasteryMap",
    "NextProblem",
    "ProblemFacts",
    "ProblemMastery",
    "Rated",
    "Rating",
    "Scheduled",
    "Standing",
    "Status",
    "draw_map",
    "explain_date",
    "gather_evidence",
    "rate",
    "retrievability",
    "review",
]
