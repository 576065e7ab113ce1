"""Spaced repetition: ratings from evidence, FSRS schedule, and mastery map."""

from torchstone.study.answering import (
    AnswerEvidence,
    MistakenProgram,
    explain_answer_rating,
    rate_answer,
)
from torchstone.study.evidence import gather_evidence
from torchstone.study.mastery import (
    ConceptMastery,
    DueItem,
    MapCell,
    MasteryMap,
    ProblemMastery,
    Standing,
    Status,
    draw_map,
)
from torchstone.study.next_problem import NextProblem, ProblemFacts
from torchstone.study.rating import Evidence, Rated, Rating, best_rating, explain_rating, rate
from torchstone.study.recall import (
    Answering,
    DayPlan,
    DueQuestion,
    Recall,
    plan_day,
    standing_of,
)
from torchstone.study.schedule import (
    CurvePoint,
    DateReason,
    DayCount,
    Scheduled,
    bring_forward,
    explain_date,
    forecast,
    forgetting_curve,
    retrievability,
    review,
)

__all__ = [
    "AnswerEvidence",
    "Answering",
    "ConceptMastery",
    "CurvePoint",
    "DateReason",
    "DayCount",
    "DayPlan",
    "DueItem",
    "DueQuestion",
    "Evidence",
    "MapCell",
    "MasteryMap",
    "MistakenProgram",
    "NextProblem",
    "ProblemFacts",
    "ProblemMastery",
    "Rated",
    "Rating",
    "Recall",
    "Scheduled",
    "Standing",
    "Status",
    "best_rating",
    "bring_forward",
    "draw_map",
    "explain_answer_rating",
    "explain_date",
    "explain_rating",
    "forecast",
    "forgetting_curve",
    "gather_evidence",
    "plan_day",
    "rate",
    "rate_answer",
    "retrievability",
    "review",
    "standing_of",
]
