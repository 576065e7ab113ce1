"""Types of the dictionaries that travel over ``wire`` to and from the process of a submission.

Standard library only: the process of a submission imports this, and so does the host, which never
imports torch. All of them are plain dictionaries at run time. What a submission sends has these
types only after it was checked.
"""

from __future__ import annotations

from typing import Any, ClassVar, NotRequired, Protocol, TypeAlias, TypedDict

# The parameters of a case, as ``plan`` in ``cases.py`` draws them; every problem has its own.
Params: TypeAlias = dict[str, Any]
# The names of a file or of a cell, with their values.
Scope: TypeAlias = dict[str, Any]
# What a submission answers to one request. The request decides the keys: ``out``, ``grad.0``.
Answer: TypeAlias = dict[str, Any]
# Values by the names of arguments or parameters.
Arguments: TypeAlias = dict[str, Any]


class CallData(TypedDict):
    """A call of a function or module; ``kit.call`` describes the entries."""

    name: str
    args: list[Any]
    kwargs: Arguments
    wrt: list[int | str]
    cotangents: list[Any]
    second: list[Any]
    twice: bool
    saved: bool
    views: bool
    # The names of the items, if the result is a named tuple.
    fields: NotRequired[list[str]]
    # Values for the tensors of the call, in their order, and for the parameters after them.
    again: NotRequired[list[Any]]
    # Whether the answer waits for a request of some of its rows.
    held: NotRequired[bool]
    # Of a module: the arguments of its constructor, and its parameters by name.
    init: NotRequired[list[Any]]
    init_kwargs: NotRequired[Arguments]
    state: NotRequired[Arguments]


class TogetherData(TypedDict):
    """Several requests by name; ``records`` if one of them has a second derivative.

    ``operations`` has the names of those that are not calls.
    """

    calls: Arguments
    records: bool
    operations: NotRequired[dict[str, str]]


class RowsData(TypedDict):
    """Which rows of a tensor are sent.

    Attributes:
        rows: Their numbers.
        repeats: For each row of the tensor, the place in ``rows`` of the one that it repeats.
    """

    rows: list[int]
    repeats: list[int]


class HeldData(TypedDict):
    """The rows of an answer that was held, by key; other parts of it are sent whole."""

    keys: dict[str, RowsData]


class RefusalsData(TypedDict):
    """Calls that must raise, by name."""

    calls: dict[str, CallData]


class ScriptData(TypedDict, total=False):
    """A run of a script: its arguments, and the names whose values are returned."""

    argv: list[str]
    names: list[str]


class ExpressionData(TypedDict):
    """An expression to evaluate among the names of the submission."""

    expression: str


class LaunchData(TypedDict):
    """A launch of native code; ``child.native`` describes the entries."""

    operation: str
    values: Arguments
    outputs: dict[str, tuple[Any, list[int]]]
    offsets: dict[str, int]
    results: list[str]
    seed: int
    orders: list[str]
    counts: bool
    build: NotRequired[str]
    # Other values of the tensors, for a second launch on the same device memory.
    again: NotRequired[Arguments]


class RaisedRecord(TypedDict):
    """An exception of the submission, as ``fault.describe_error`` describes it."""

    type: str
    bases: list[str]
    message: str
    line: int | None
    text: str
    file: str | None
    memory: bool


class FaultRecord(TypedDict):
    """A failed check: a key of ``FAULTS`` in ``kit/faults.py``, and the values of its sentence."""

    key: str
    values: dict[str, str]


class Attempt(TypedDict, total=False):
    """The value of a call, or the exception that it raised."""

    value: Any
    raised: RaisedRecord


class LoadErrorRecord(TypedDict):
    """Why a file cannot be judged: verdict, key of the sentence, its values, and the exception."""

    code: str
    key: str
    values: NotRequired[dict[str, str]]
    error: NotRequired[RaisedRecord | LibraryErrorRecord | None]


class LibraryErrorRecord(TypedDict):
    """The exception of a library that cannot be loaded; it passes no line of the submission."""

    type: str
    message: str


class Record(Protocol):
    """A frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def as_dict(record: Record) -> dict[str, object]:
    """Return a record as the dictionary that travels, with the records inside it.

    A tuple becomes a list. A dictionary is passed on as it is: what is inside belongs to a problem.
    """
    return {name: _plain(getattr(record, name)) for name in record.__dataclass_fields__}


def _plain(value: Any) -> object:
    if type(value) is tuple or type(value) is list:
        return [_plain(item) for item in value]
    return as_dict(value) if hasattr(type(value), "__dataclass_fields__") else value
