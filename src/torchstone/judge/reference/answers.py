"""Decoding and validation of a submission's answer before any other use.

The frame comes from a possibly hostile process; grading relies only on the structure checked here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from torchstone.judge.child.protocol import wire
from torchstone.judge.child.protocol.frames import FromJob
from torchstone.judge.child.protocol.records import Answer
from torchstone.judge.kit.faults import is_fault, is_raised

_KEY_CAP = 200
ANSWER_CAP = 1 << 30
# No correct answer has more elements; a hostile one could claim 10**18 with stride 0.
ELEMENT_CAP = 1 << 27
# torch refuses tensors with more dimensions.
DIM_CAP = 64


def read_answers(frames: Sequence[wire.Frame]) -> list[Answer] | None:
    """Decode the answers to a case; return ``None`` if one of them is malformed."""
    answers: list[Answer] = []
    broken, build = False, _bounded_tensors()
    for frame in frames:
        if frame.kind == FromJob.COUNTED:
            # The host writes this frame, not the submission; see `pool.submission_processes`.
            if not broken:
                answers[-1].update(frame.decode())
            continue
        try:
            answer = frame.decode(tensor=build)
        except (wire.WireError, RuntimeError, ValueError):
            broken = True
            continue
        broken = broken or not is_answer(answer)
        answers.append(answer)
    return None if broken else answers


def _bounded_tensors() -> Callable[..., Any]:
    """Return a tensor builder for one case that refuses sizes beyond any correct answer.

    Every tensor owns its memory, so a thousand tensors over one blob could exhaust the memory.
    """
    left = ANSWER_CAP

    def build(dtype: str, shape: Any, stride: Any, offset: Any, blob: Any) -> Any:
        nonlocal left
        if shape is not None:
            left -= len(blob)
            if left < 0 or len(shape) > DIM_CAP or math.prod(shape) > ELEMENT_CAP:
                raise wire.WireError("an answer has absurdly large tensors")
        return wire.torch_tensor(dtype, shape, stride, offset, blob)

    return build


def is_answer(answer: Any) -> bool:
    """Return whether a decoded frame is an answer with well-formed faults and exceptions."""
    return isinstance(answer, dict) and all(_is_entry(key, item) for key, item in answer.items())


def _is_entry(key: str, item: Any) -> bool:
    # Keys are shown to people and stored, so they must be printable.
    if len(key) > _KEY_CAP or not key.isprintable():
        return False
    name = key.rpartition(":")[2]
    if name == "fault":
        return is_fault(item)
    return is_raised(item) if name.endswith("raised") else True
