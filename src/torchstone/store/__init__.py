"""Persistent storage: submissions, progress, reviews and kept inputs in one SQLite database."""

from torchstone.store.damage import Damage, DamagedFact
from torchstone.store.opening import open_store
from torchstone.store.records import (
    Activity,
    Export,
    HintOpened,
    ImportSummary,
    KeptInput,
    LeftOut,
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
    "DamagedFact",
    "Export",
    "HintOpened",
    "ImportSummary",
    "KeptInput",
    "LeftOut",
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
