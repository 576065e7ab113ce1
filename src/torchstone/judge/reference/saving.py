"""Bytes that a program saves for backward, in the cases in which the problem limits them."""

from __future__ import annotations

from collections.abc import Mapping

from torch import Tensor

from torchstone.judge.child.protocol.records import Answer
from torchstone.judge.kit import COUNT, Case
from torchstone.judge.kit.expect import Expected
from torchstone.judge.replies import SavedFound

# Keys of such a count in the answer of a call or a probe.
KEYS = ("saved.total_bytes", "saved.bytes", "saved")


def saved_in(case: Case, expected: Expected, answer: Answer) -> SavedFound | None:
    """Return the count that the problem limits, with the size of the arguments in bytes.

    Return None if the problem limits no count in this case. The answer may be hostile.
    """
    for key in KEYS:
        if key in expected and COUNT.fits(answer.get(key)):
            data = case.steps[0].data
            arguments = data if "args" not in data else [data["args"], data["kwargs"]]
            return SavedFound(num_bytes=answer[key], argument_bytes=_num_bytes(arguments))
    return None


def _num_bytes(item: object) -> int:
    if isinstance(item, Tensor):
        return item.numel() * item.element_size()
    if isinstance(item, Mapping):
        return sum(map(_num_bytes, item.values()))
    return sum(map(_num_bytes, item)) if isinstance(item, list | tuple) else 0
