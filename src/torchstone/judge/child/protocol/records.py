"""Types of the dictionaries sent over ``wire`` to and from the process of a submission.

Standard library only: both the process of a submission and the host import this, and the host never
imports torch. All of them are plain dictionaries at run time. Data from a submission has these
types only after validation.
"""

from __future__ import annotations

from typing import Any, ClassVar, NotRequired, Protocol, TypeAlias, TypedDict

# Parameters of a case, as ``plan`` in ``cases.py`` draws them; every problem has its own.
Params: TypeAlias = dict[str, Any]
# Names of a file or of a cell, with their values.
Scope: TypeAlias = dict[str, Any]
# A submission's answer to one request. The request determines the keys, such as ``out`` or
# ``grad.0``.
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
    # Names of the items, if the result is a named tuple.
    fields: NotRequired[list[str]]
    # Values for the tensors of the call, in order, followed by those for the parameters.
    again: NotRequired[list[Any]]
    # Whether to keep the answer until some of its rows are requested.
    held: NotRequired[bool]
    # For a module: arguments of its constructor, and its parameters by name.
    init: NotRequired[list[Any]]
    init_kwargs: NotRequired[Arguments]
    state: NotRequired[Arguments]


class TogetherData(TypedDict):
    """Several requests by name.

    ``records`` tells whether one of them has a second derivative; ``operations`` names the
    operations of requests that are not calls.
    """

    calls: Arguments
    records: bool
    operations: NotRequired[dict[str, str]]


class RowsData(TypedDict):
    """Rows of a tensor to send.

    Attributes:
        rows: Their indices.
        repeats: For each row of the tensor, the position in ``rows`` of the row that it repeats.
    """

    rows: list[int]
    repeats: list[int]


class HeldData(TypedDict):
    """Rows of a held answer to send, by key; other items are sent whole."""

    keys: dict[str, RowsData]


class RefusalsData(TypedDict):
    """Calls that must raise, by name."""

    calls: dict[str, CallData]


class ScriptData(TypedDict, total=False):
    """A run of a script: its arguments, and the names whose values are returned."""

    argv: list[str]
    names: list[str]


class ExpressionData(TypedDict):
    """An expression to evaluate with the names of the submission."""

    expression: str


class LaunchData(TypedDict):
    """A launch of native code; ``child.loaders.native`` describes the entries."""

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
    """A failed check: a key of ``FAULTS`` in ``kit/faults.py``, and the values of its message."""

    key: str
    values: dict[str, str]


class Attempt(TypedDict, total=False):
    """The value of a call, or the exception that it raised."""

    value: Any
    raised: RaisedRecord


class LoadErrorRecord(TypedDict):
    """Reason why a file cannot be judged: verdict code, message key and values, exception."""

    code: str
    key: str
    values: NotRequired[dict[str, str]]
    error: NotRequired[RaisedRecord | LibraryErrorRecord | None]


class LibraryErrorRecord(TypedDict):
    """The exception of a library that cannot be loaded; it has no line of the submission."""

    type: str
    message: str


class Record(Protocol):
    """A frozen dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


def as_dict(record: Record) -> dict[str, object]:
    """Convert a record, and the records inside it, to the dictionary that is sent.

    A tuple becomes a list. A dictionary is passed on unchanged: its contents belong to a problem.
    """
    return {name: _plain(getattr(record, name)) for name in record.__dataclass_fields__}


def _plain(value: Any) -> object:
    if type(value) is tuple or type(value) is list:
        return [_plain(item) for item in value]
    return as_dict(value) if hasattr(type(value), "__dataclass_fields__") else value
