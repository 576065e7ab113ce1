"""Persistent storage: submissions, progress and reviews in one SQLite database."""

from torchstone.store.damage import Damage
from torchstone.store.opening import open_store
from torchstone.store.records import (
    Activity,
    HintOpened,
    ImportSummary,
    Progress,
    Recovery,
    ReviewCard,
    ReviewEntry,
    Submission,
    SubmissionKind,
    SubmissionSummary,
)
from torchstone.store.store import Store

__all__ = [
    "Activity",
    "Damage",
    "HintOpened",
    "ImportSummary",
    "Progress",
    "Recovery",
    "ReviewCard",
    "ReviewEntry",
    "Store",
    "Submission",
    "SubmissionKind",
    "SubmissionSummary",
    "open_store",
]
