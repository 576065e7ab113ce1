"""Validation of a submission's answer before anything reads it.

The frame came from a process that may be hostile: grading relies on the structure that is checked
here, and on nothing else.
"""

from __future__ import annotations

from typing import Any

from torchstone.judge.kit.faults import is_fault, is_raised

_KEY_CAP = 200


def is_answer(answer: Any) -> bool:
    """Return whether a decoded frame is an answer: its faults and exceptions are well described."""
    return isinstance(answer, dict) and all(_is_entry(key, item) for key, item in answer.items())


def _is_entry(key: str, item: Any) -> bool:
    # Keys are shown to people and stored; text that cannot be is no key of ours.
    if len(key) > _KEY_CAP or not key.isprintable():
        return False
    name = key.rpartition(":")[2]
    if name == "fault":
        return is_fault(item)
    return is_raised(item) if name.endswith("raised") else True
