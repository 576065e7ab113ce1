"""Validation of a submission's answer before anything reads it.

The frame came from a process that may be hostile: grading relies on the structure that is checked
here, and on nothing else.
"""

from __future__ import annotations

from typing import Any

from torchstone.judge.kit.faults import is_fault

_KEY_CAP = 200
_LINE_CAP = 1 << 31


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
    return _is_error(item) if name.endswith("raised") else True


def _is_error(error: Any) -> bool:
    """Return whether an exception is described as ``child.driver.describe_error`` does it."""
    if not isinstance(error, dict):
        return False
    texts = [error.get(name) for name in ("type", "message", "text")]
    bases, line = error.get("bases"), error.get("line")
    return (
        all(type(text) is str for text in texts)
        and isinstance(bases, list)
        and all(type(base) is str for base in bases)
        and (line is None or (type(line) is int and 0 <= line < _LINE_CAP))
    )
