"""Where submissions, progress and reviews are kept: one SQLite file in the user's data folder."""

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
