"""Run of a whole program in a job: functions reached, and whether a result was banned."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Sequence
from types import FrameType
from typing import Any

from torchstone.judge.child import driver
from torchstone.judge.child.loaders import submission
from torchstone.judge.escapes.calling import attempt, forms, verdicts
from torchstone.judge.escapes.calling.board import Board
from torchstone.judge.escapes.calling.samples import Sample

_SECONDS = 1.0
_MAX_REACHED = 400
# A program that calls an exponential and a sum itself computes by allowed operators.
_HONEST = ({"exp", "exp2", "exp_", "pow", "sigmoid", "tanh", "expm1"}, {"sum", "cumsum", "mean"})


def run(source: str, name: str, samples: Sequence[Sample], board: Board) -> None:
    """Load a program, call its function with the first sample, and report the outcome."""
    reached: set[str] = set()
    own: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if len(reached) < _MAX_REACHED:
            if event == "c_call":
                called = getattr(argument, "__name__", "?")
                reached.add(called)
                if frame.f_code.co_filename == driver.SUBMISSION_FILE:
                    own.add(called)
            elif event == "call":
                reached.add(frame.f_code.co_name)

    signal.signal(signal.SIGALRM, attempt._stop)
    signal.setitimer(signal.ITIMER_REAL, _SECONDS)
    forbidden = verdicts.Forbidden(list(samples))
    result = raised = ""
    try:
        function: Callable[..., Any] = getattr(submission.load(source, (name,)), name)
        sys.setprofile(note)
        for sample in samples[:1]:
            given = [forms.fresh(item) for item in sample.args]
            result = forbidden.name_in((function(*given), given), sample)
    except BaseException as error:  # noqa: BLE001  whatever it raises is its outcome
        raised = type(error).__name__
    finally:
        sys.setprofile(None)
        signal.setitimer(signal.ITIMER_REAL, 0)
    if result and all(own & part for part in _HONEST):
        result, raised = "", "honest"
    board.say({"program": result, "raised": raised, "reached": sorted(reached)})
