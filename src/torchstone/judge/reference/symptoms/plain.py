"""Symptoms of plain answers: flags, names, lists, text, and tensors of another shape or dtype."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from torchstone.judge.kit import Exact, Holds, Maybe, Raises, Want
from torchstone.judge.kit.expect import Expectation
from torchstone.judge.kit.forms import name_of
from torchstone.judge.reference.symptoms.evidence import Label, label, tensors_of
from torchstone.judge.reference.trials import Trial, is_comparable

# Longer text is compared line by line; longer lists are not compared.
NAME_CAP = 40
LIST_CAP = 1000
# The most informative statements come first.
ORDER = (
    *("absent", "not_raised", "raised_other", "none", "not_none", "type_is"),
    *("dtype_is", "shape_of", "shape_reversed", "shape_ones", "ndim_is"),
    *("entry_extra", "entry_lacks", "entries_order", "entries_extra", "entries_lacks"),
    *("text_spaces", "text_numbers", "always"),
)
_NUMBER = re.compile(r"[-+]?\d+(\.\d+)?(e[-+]?\d+)?|nan|inf")


class _Absent:
    """Type of the marker for a key that an answer lacks."""


ABSENT = _Absent()


@dataclass(frozen=True, slots=True, eq=False)
class PlainFault:
    """The value of an answer under a key, and the right one.

    Attributes:
        right: The right value; for a tensor or an exception the whole expectation.
    """

    trial: Trial
    key: str
    right: Any
    got: Any

    @property
    def name(self) -> str:
        """Return the key without the step and the thread order."""
        return self.key.rpartition(":")[2]

    @property
    def family(self) -> str:
        """Return the common prefix of names of one kind."""
        return self.name.partition(".")[0].rstrip("0123456789")


def plain_faults(trials: Sequence[Trial]) -> tuple[list[PlainFault], set[str]]:
    """Return the faults that are compared here, and the names of the others."""
    found: list[PlainFault] = []
    others: set[str] = set()
    for trial in trials:
        for key in dict.fromkeys(each.key for each in trial.findings):
            fault = _fault(trial, key)
            if fault is None:
                others.add(key.rpartition(":")[2])
            else:
                found.append(fault)
    return found, others


def _fault(trial: Trial, key: str) -> PlainFault | None:
    expectation: Expectation | None = trial.expected.get(key)
    if isinstance(expectation, Maybe):
        expectation = expectation.expectation
    got = trial.answer.get(key, ABSENT)
    if isinstance(expectation, Want):
        return None if is_comparable(expectation, got) else PlainFault(trial, key, expectation, got)
    if isinstance(expectation, Raises):
        return PlainFault(trial, key, expectation, got)
    if isinstance(expectation, Exact):
        right = expectation.value
    elif isinstance(expectation, Holds) and expectation.truth is not None:
        right = expectation.truth
    else:
        return None
    return PlainFault(trial, key, right, got)


def plain_labels(fault: PlainFault) -> set[Label]:
    """Return every statement that is true of one fault."""
    right, got = fault.right, fault.got
    if isinstance(right, Raises):
        return set(_of_exception(right, got))
    if got is ABSENT:
        return {label("absent")}
    if got is None or right is None:
        return {label("none" if got is None else "not_none")}
    if isinstance(right, Want):
        return set(_of_tensor(fault, right, got))
    if type(got) is not type(right):
        # A probe may explain a false fact in words; that is no answer of another type.
        if type(right) is bool and type(got) is str:
            return set()
        return {label("type_is", came=_type(got), right=_type(right))}
    return set(_of_value(right, got))


def _type(item: object) -> str:
    return type(item).__name__


def _of_exception(right: Raises, got: Any) -> Iterator[Label]:
    names = " | ".join(right.names)
    if got is ABSENT:
        yield label("not_raised", right=names)
    elif isinstance(got, dict) and isinstance(came := got.get("type"), str):
        yield label("raised_other", came=came[:NAME_CAP], right=names)


def _of_tensor(fault: PlainFault, want: Want, got: Any) -> Iterator[Label]:
    if not isinstance(got, torch.Tensor):
        yield label("type_is", came=_type(got), right="Tensor")
        return
    if got.dtype != want.dtype:
        yield label("dtype_is", came=name_of(got.dtype), right=name_of(want.dtype))
    came, right = tuple(got.shape), tuple(want.value.shape)
    if came == right:
        return
    for name, item in tensors_of(fault.trial.case):
        if tuple(item.shape) == came:
            yield label("shape_of", input=name)
    if came == right[::-1]:
        yield label("shape_reversed")
    if [size for size in came if size != 1] == [size for size in right if size != 1]:
        yield label("shape_ones")
    if len(came) != len(right):
        yield label("ndim_is", by=f"{len(came) - len(right):+d}")


def _of_value(right: Any, got: Any) -> Iterator[Label]:
    if type(right) is bool or (type(right) is str and max(len(right), len(got)) <= NAME_CAP):
        yield label("always", came=repr(got), right=repr(right))
    if type(right) is str:
        yield from _of_text(right, got)
    elif isinstance(right, (list, tuple)) and max(len(right), len(got)) <= LIST_CAP:
        if all(map(_is_short, [*right, *got])):
            yield from _of_entries(list(map(repr, right)), list(map(repr, got)))


def _is_short(entry: object) -> bool:
    """Return whether an entry of a list can be written out: no tensor, no huge integer."""
    if type(entry) is int:
        return entry.bit_length() <= 64
    return entry is None or type(entry) in (bool, float, str)


def _of_text(right: str, got: str) -> Iterator[Label]:
    if right.split() == got.split():
        yield label("text_spaces")
    elif _NUMBER.sub("#", right) == _NUMBER.sub("#", got):
        yield label("text_numbers")
    lines, came = right.splitlines(), got.splitlines()
    if 1 < max(len(lines), len(came)) <= LIST_CAP:
        yield from _of_entries(list(map(repr, lines)), list(map(repr, came)))


def _of_entries(right: list[str], got: list[str]) -> Iterator[Label]:
    wanted, came = Counter(right), Counter(got)
    extra, lacking = came - wanted, wanted - came
    for entry in extra:
        if len(entry) <= NAME_CAP:
            yield label("entry_extra", entry=entry)
    for entry in lacking:
        if len(entry) <= NAME_CAP:
            yield label("entry_lacks", entry=entry)
    if not extra and not lacking and right != got:
        yield label("entries_order")
    elif right and extra and not lacking:
        yield label("entries_extra")
    elif got and lacking and not extra:
        yield label("entries_lacks")


def find_plain(trials: Sequence[Trial]) -> tuple[Label, Label, list[PlainFault]] | None:
    """Return the statement about the most faults, its scope, and these faults."""
    faults, others = plain_faults(trials)
    for scope, inside in _scopes(faults, others):
        if len(inside) < 2:
            return None
        common = plain_labels(inside[0])
        for each in inside[1:]:
            common &= plain_labels(each)
        if common:
            said = min(common, key=lambda each: (ORDER.index(each[0]), each))
            return said, scope, inside
    return None


def _scopes(faults: list[PlainFault], others: set[str]) -> Iterator[tuple[Label, list[PlainFault]]]:
    """Yield the faults of all names, of each family and of each name, the largest set first."""
    found = [] if others else [(label("all"), faults)]
    families = {each.family for each in faults}
    for family in sorted(families):
        inside = [each for each in faults if each.family == family]
        if len({each.name for each in inside}) > 1 and not any(
            name.startswith(family) for name in others
        ):
            found.append((label("family", name=family), inside))
    for name in sorted({each.name for each in faults} - others):
        found.append((label("named", name=name), [each for each in faults if each.name == name]))
    yield from sorted(found, key=lambda each: -len(each[1]))
