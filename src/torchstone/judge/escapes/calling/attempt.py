"""Calls in a job: try every form of each callable and report the outcome on the board.

The bans trust nothing here, as they trust nothing of a submission.
"""

from __future__ import annotations

import gc
import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import BuiltinFunctionType, FunctionType
from typing import Any

import torch

from torchstone.judge.child.protocol.records import Arguments
from torchstone.judge.escapes.calling import forms, reach, verdicts
from torchstone.judge.escapes.calling.board import Board
from torchstone.judge.escapes.calling.reach import Reached
from torchstone.judge.escapes.calling.samples import Sample

# Exit status of a job in which a call has changed the process.
TAINTED = 77
CALL_SECONDS = 0.25
FORMS_A_SAMPLE = 10_000
_CHECK_EVERY = 32
_MAX_INSTANCES = 6
_MAX_METHODS = 60

Call = tuple[str, Callable[..., Any], tuple[Any, ...], Arguments]


class TooLong(BaseException):
    """Raised in a call that exceeds its time; no ``except Exception`` catches it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The range of callables that a job calls.

    Attributes:
        first: The index of the first callable.
        form: The index of its first form.
        last: One past the index of the last callable.
        is_careful: Whether the process is checked after every callable.
    """

    first: int
    form: int
    last: int
    is_careful: bool


class Attempts:
    """Calls of a list of callables, one after the other."""

    def __init__(
        self,
        items: Sequence[Reached],
        numbers: Sequence[int],
        samples: Sequence[Sample],
        board: Board,
    ) -> None:
        self._items, self._numbers = items, numbers
        self._samples = samples
        self._forbidden = verdicts.Forbidden(list(samples))
        self._board = board
        self._probe = torch.tensor([0.5, -1.0])
        self._expected = [0.25, 1.0]

    def run(self, span: Span) -> None:
        """Call the callables of the span."""
        gc.disable()
        signal.signal(signal.SIGALRM, _stop)
        sys.setrecursionlimit(400)
        for index in range(span.first, span.last):
            if span.is_careful or (index - span.first) % _CHECK_EVERY == 0:
                self._look_at_process(index)
            self._try(index, span.form if index == span.first else 0)
        self._look_at_process(span.last)

    def _look_at_process(self, index: int) -> None:
        """End the process if the calls so far have changed it."""
        try:
            self._probe.clone().requires_grad_()
            squared = (self._probe * self._probe).tolist()
            is_same = squared == self._expected and torch.get_default_dtype() is torch.float32
        except Exception:  # noqa: BLE001  a level or a mode that was entered and not left
            is_same = False
        if not is_same:
            os._exit(TAINTED)
        self._board.clean(index)

    def _try(self, index: int, first: int) -> None:
        item = self._items[self._numbers[index]]
        found: set[tuple[str, str]] = set()
        for number, sample in enumerate(self._samples):
            begin = number * FORMS_A_SAMPLE
            self._board.at(index, max(begin, first))
            if first >= begin + FORMS_A_SAMPLE:
                continue
            calls = self._calls(item, sample, is_first=number == 0)
            for form in itertools.count(begin):
                try:
                    call = next(calls)
                except StopIteration:
                    break
                if form < first:
                    continue
                self._board.at(index, form, call[0])
                result = self._call(call, sample)
                if item.is_closed and not issubclass(type(item.target), type):
                    result = "a stub that does not stop"
                if result and (sample.name, result) not in found:
                    found.add((sample.name, result))
                    self._board.say({"item": index, "form": call[0], "result": result})

    def _calls(self, item: Reached, sample: Sample, *, is_first: bool) -> Iterator[Call]:
        target = item.target
        for label, args, kwargs in forms.forms_of(item, sample):
            yield label, target, args, kwargs
        if not item.is_torch:
            return
        if issubclass(type(target), type):
            yield from self._calls_of_instances(target, sample)
        if type(target) is FunctionType:
            for label, args, kwargs in forms.wrappers(target, sample):
                yield label, target, args, kwargs
            named = list(forms.forms_of(item, sample))[:1]
            for name, copy in forms.with_stand_ins(target):
                for label, args, kwargs in named:
                    yield f"{label}, without {name}", copy, args, kwargs
        elif is_first and type(target) is BuiltinFunctionType:
            for label, args, kwargs in forms.addresses():
                yield label, target, args, kwargs

    def _calls_of_instances(self, kind: type, sample: Sample) -> Iterator[Call]:
        made = 0
        for label, args, kwargs in _constructions(sample):
            instance: list[Any] = []

            def make(*args: Any, _into: list[Any] = instance, **kwargs: Any) -> Any:
                _into.append(kind(*args, **kwargs))
                return _into[0]

            yield f"make {label}", make, args, kwargs
            if not instance or isinstance(instance[0], torch.Tensor):
                continue
            made += 1
            if made > _MAX_INSTANCES:
                return
            yield from _calls_on(instance[0], label, sample)

    def _call(self, call: Call, sample: Sample) -> str:
        """Make one call; return the name of the forbidden result it gave, or an empty string."""
        _, function, args, kwargs = call
        self._board.count()
        try:
            given = [forms.fresh(item) for item in args]
            named = {name: forms.fresh(item) for name, item in kwargs.items()}
            signal.setitimer(signal.ITIMER_REAL, CALL_SECONDS)
            try:
                result = function(*given, **named)
            finally:
                signal.setitimer(signal.ITIMER_REAL, 0)
            values = (result, given, list(named.values()))
            return self._forbidden.name_in(values, sample)
        except BaseException as error:  # noqa: BLE001  whatever it raises is no result
            if sample.is_check and verdicts.raised_about_gradient(error):
                return "gradcheck"
            return ""


def _stop(*_: object) -> None:
    raise TooLong


def _constructions(sample: Sample) -> Iterator[forms.Form]:
    yield "()", (), {}
    for tail in sample.tails[:4]:
        yield f"({forms._words(tail)})", tail, {}
    for name, value in sample.hints.items():
        yield f"({name}=)", (), {name: value}
    yield "(…)", sample.args, {}
    for name in ("logits", "probs", "input"):
        yield f"({name}=)", (), {name: sample.args[0]}
    yield "(5, 4)", (5, 4), {}
    yield "(5)", (5,), {}


def _calls_on(instance: Any, label: str, sample: Sample) -> Iterator[Call]:
    """Yield calls of an instance and of its methods."""
    args = sample.args
    if callable(instance):
        yield f"{label}(…)", instance, args, {}
        for tail in sample.tails[:2]:
            yield f"{label}(…, {forms._words(tail)})", instance, (*args, *tail), {}
    names = [name for name in dir(type(instance)) if not name.startswith("__")]
    for name in names[:_MAX_METHODS]:
        try:
            method = getattr(instance, name)
        except Exception:  # noqa: BLE001  a property that raises
            continue
        if callable(method) and not reach.is_closed(getattr(method, "__func__", method)):
            yield f"{label}.{name}(…)", method, args, {}
            if len(args) == 1:
                yield f"{label}.{name}()", method, (), {}
