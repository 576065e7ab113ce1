"""Calls by type: pybind11 functions, whose docstrings give the argument types.

Argument values are results of other calls. Quoted words in error messages are tried as strings.
"""

from __future__ import annotations

import random
import re
import signal
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from torchstone.judge.escapes.calling import attempt, forms, verdicts
from torchstone.judge.escapes.calling.board import Board
from torchstone.judge.escapes.calling.reach import Reached
from torchstone.judge.escapes.calling.samples import Sample

_ROUNDS = 6
_TRIES = 3
_KEPT = 6
_MAX_WORDS = 8
_SIGNATURE = re.compile(r"^(?:\d+\. )?(\w+)\((.*)\) -> (.+)$", re.MULTILINE)
_QUOTED = re.compile(r"['\"]([A-Za-z_]\w{1,30})['\"]")
_CLASS = "pybind11_type"
_FUNCTIONS = ("builtin_function_or_method", "instancemethod")


@dataclass(frozen=True, slots=True)
class Entry:
    """One bound function, constructor or method: its name, the object and its overloads."""

    name: str
    target: Any
    overloads: list[list[str]]


@dataclass(frozen=True, slots=True)
class Plan:
    """The functions to call, and classes whose attributes are initial values."""

    entries: list[Entry]
    classes: list[type]

    @classmethod
    def of(cls, items: Iterable[Reached]) -> Plan:
        """Select the open functions and classes of torch."""
        entries: list[Entry] = []
        classes: list[type] = []
        for item in items:
            if item.is_closed or not item.is_torch:
                continue
            if issubclass(type(item.target), type):
                if type(item.target).__name__ == _CLASS:
                    classes.append(item.target)
                    doc = getattr(item.target.__init__, "__doc__", "") or ""
                    overloads = [types[1:] for types in _overloads(doc)]
                    entries.append(Entry(item.name, item.target, overloads))
                continue
            # Other kinds are skipped: their docstring may be a property that is closed.
            if type(item.target).__name__ in _FUNCTIONS and not item.name.endswith(".__init__"):
                overloads = list(_overloads(item.target.__doc__ or ""))
                if overloads:
                    entries.append(Entry(item.name, item.target, overloads))
        return cls(entries, classes)


@dataclass(slots=True)
class Stage:
    """All rounds of calls in one process; the same seed gives the same calls."""

    plan: Plan
    skipped: set[int]
    samples: Sequence[Sample]
    board: Board
    seed: int = 0
    _values: dict[str, list[Any]] = field(default_factory=dict)
    _words: dict[int, list[str]] = field(default_factory=dict)
    _number: int = 0

    def run(self) -> None:
        """Call every function for whose argument types there are values."""
        signal.signal(signal.SIGALRM, attempt._stop)
        draw = random.Random(self.seed)
        forbidden = verdicts.Forbidden(list(self.samples))
        for kind in self.plan.classes:
            for name in dir(kind):
                if not name.startswith("__"):
                    value = getattr(kind, name, None)
                    if isinstance(value, kind):
                        self._keep(value)
        for _ in range(_ROUNDS):
            for number, entry in enumerate(self.plan.entries):
                if number not in self.skipped:
                    self._call(number, entry, draw, forbidden)

    def _call(
        self, number: int, entry: Entry, draw: random.Random, forbidden: verdicts.Forbidden
    ) -> None:
        self._number = number
        for types in entry.overloads:
            for _ in range(_TRIES):
                try:
                    args = [self._value(kind, draw) for kind in types]
                except LookupError:
                    break
                self.board.at(number, 0, f"by types: {types}")
                self.board.count()
                try:
                    signal.setitimer(signal.ITIMER_REAL, attempt.CALL_SECONDS)
                    try:
                        result = entry.target(*args)
                    finally:
                        signal.setitimer(signal.ITIMER_REAL, 0)
                except BaseException as error:  # noqa: BLE001  whatever it raises is no result
                    self._learn(str(error))
                    continue
                self._keep(result)
                for sample in self.samples:
                    if name := forbidden.name_in((result, args), sample):
                        line = {"name": entry.name, "form": "by types", "result": name}
                        self.board.say(line)

    def _learn(self, message: str) -> None:
        words = self._words.setdefault(self._number, [])
        for word in _QUOTED.findall(message[:400]):
            if word not in words and len(words) < _MAX_WORDS:
                words.append(word)

    def _keep(self, value: Any) -> None:
        if isinstance(value, list | tuple):
            for item in value[:2]:
                self._keep(item)
            return
        for kind in type(value).__mro__:
            if kind is not object:
                name = f"{kind.__module__}.{kind.__qualname__}"
                kept = self._values.setdefault(name, [])
                if len(kept) < _KEPT:
                    kept.append(value)

    def _value(self, kind: str, draw: random.Random) -> Any:
        """Return a value of a type that is named as in a docstring.

        Raises:
            LookupError: No value of the type exists yet.
        """
        options = _options(kind)
        if len(options) > 1:
            draw.shuffle(options)
            for option in options:
                try:
                    return self._value(option, draw)
                except LookupError:
                    continue
            raise LookupError(kind)
        inner = re.match(r"(?:[\w.]*\.)?(?:Sequence|list|List|tuple)\[(.*)\]$", kind)
        if inner:
            return [self._value(inner[1].split(", ...")[0], draw)]
        short = kind.rpartition(".")[2]
        kind = "builtins.PyCapsule" if short == "CapsuleType" else kind
        if kind in self._values:
            return draw.choice(self._values[kind])
        if short == "Tensor":
            return forms.fresh(draw.choice(self._tensors()))
        if short == "str":
            return draw.choice(self._words.get(self._number) or ["a"])
        simple = _SIMPLE.get(short)
        if simple is None:
            raise LookupError(kind)
        return draw.choice(simple)

    def _tensors(self) -> list[Any]:
        found = [item for sample in self.samples for item in sample.args]
        return [item for item in found if isinstance(item, torch.Tensor)] or [torch.ones(3)]


# A parameter of type object may accept an address.
_SIMPLE: dict[str, tuple[Any, ...]] = {
    "SupportsInt": (forms.ADDRESS, 0, 1),
    "SupportsIndex": (forms.ADDRESS, 0, 1),
    "int": (forms.ADDRESS, 0, 1),
    "SupportsFloat": (0.5,),
    "float": (0.5,),
    "bool": (False, True),
    "None": (None,),
    "Sequence": ([forms.ADDRESS], [forms.ADDRESS, forms.ADDRESS]),
    "list": ([forms.ADDRESS], []),
    "object": (forms.ADDRESS, None),
    "handle": (forms.ADDRESS, None),
    "dict": ({},),
    "bytes": (b"\0" * 64,),
    "dtype": (torch.float32,),
    "device": (torch.device("cpu"),),
}


def _options(kind: str) -> list[str]:
    """Split a union type at the bars outside brackets."""
    options, depth, begin = [], 0, 0
    for place, letter in enumerate(kind):
        depth += {"[": 1, "]": -1}.get(letter, 0)
        if letter == "|" and depth == 0:
            options.append(kind[begin:place].strip())
            begin = place + 1
    return [*options, kind[begin:].strip()]


def _overloads(doc: str) -> Iterator[list[str]]:
    """Yield the argument types of each signature in a docstring."""
    for _, inside, _ in _SIGNATURE.findall(doc):
        if inside == "*args, **kwargs":
            continue
        yield [part.partition(":")[2].partition("=")[0].strip() for part in _split(inside)]


def _split(inside: str) -> Iterator[str]:
    depth, begin = 0, 0
    for place, letter in enumerate(inside):
        depth += {"[": 1, "(": 1, "]": -1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            yield inside[begin:place].strip()
            begin = place + 1
    if inside[begin:].strip():
        yield inside[begin:].strip()
