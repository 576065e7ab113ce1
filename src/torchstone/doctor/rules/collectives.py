"""Shared by the rules of communication: the host calls that exchange gradients."""

from __future__ import annotations

from torchstone.doctor.case import Case
from torchstone.doctor.events import Ints

ALL_REDUCE = r"(?i)all_?reduce"
# Operators that start an exchange, in order of preference.
_CALLS = (r"^c10d::allreduce_$", r"^record_param_comms$", r"^nccl:all_reduce$")


def all_reduces(case: Case) -> Ints:
    """Return the rows of the all-reduces in the window, on device or host."""
    rows = case.collectives
    named = set(case.events.matching(ALL_REDUCE).tolist())
    return rows[[name in named for name in case.events.name[rows].tolist()]]


def calls(case: Case) -> Ints:
    """Return the rows of the operators in the window that start all-reduces."""
    if not len(all_reduces(case)):
        return case.collectives[:0]
    for pattern in _CALLS:
        rows = case.inside(case.facts.named(pattern))
        if len(rows):
            return rows
    return case.collectives[:0]
