"""Faults of a request: a failed check or a raised exception."""

from __future__ import annotations

import builtins
import linecache
import traceback
from collections.abc import Callable
from typing import Any

from ..protocol.records import Attempt, FaultRecord, RaisedRecord

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

SUBMISSION_FILE = "<submission>"
# Folders of installed packages; `extension.load_wheel` appends to it.
package_folders: list[str] = []
MESSAGE_CAP = 2000
# Maximum length of each value in the message of a fault, in characters.
VALUE_CAP = 200
# Messages of torch's allocator and of the C++ library at the memory limit.
_NO_MEMORY = ("can't allocate memory", "std::bad_alloc", "Cannot allocate memory")


class Fault(Exception):
    """A finding that ends a request: its key and the values of its message.

    Args:
        key: One of ``FAULTS`` in ``kit/faults.py``, which has the verdict and the messages.
        **values: One for each placeholder of the message.
    """

    def __init__(self, key: str, /, **values: object) -> None:
        super().__init__(key)
        shown = {name: str(value)[:VALUE_CAP] for name, value in values.items()}
        self.record: FaultRecord = {"key": key, "values": shown}


def attempt(function: Callable[[], Any]) -> Attempt:
    """Run something that may raise; return ``{"value": ...}`` or ``{"raised": ...}``."""
    try:
        return {"value": function()}
    except Fault:
        raise
    except BaseException as error:  # noqa: BLE001
        return {"raised": describe_error(error)}


def describe_error(error: BaseException) -> RaisedRecord:
    """Describe an exception without trusting it.

    The record has type, bases, message and the last line of the submission in the traceback; for a
    package also the file.
    """
    line, text, file = None, "", None
    for frame, number in traceback.walk_tb(error.__traceback__):
        if frame.f_code.co_filename == SUBMISSION_FILE:
            line, text = number, linecache.getline(SUBMISSION_FILE, number).strip()
        elif inside := _in_package(frame.f_code.co_filename):
            line, text, file = number, "", inside
    if isinstance(error, SyntaxError) and error.filename == SUBMISSION_FILE:
        line, text = error.lineno, (error.text or "").strip()
    elif isinstance(error, SyntaxError) and (inside := _in_package(str(error.filename))):
        line, text, file = error.lineno, "", inside
    try:
        message = str(error)[:MESSAGE_CAP]
    except BaseException:  # noqa: BLE001  a hostile __str__ must not end the report
        message = "(the exception cannot be printed)"
    bases = [str(base.__name__) for base in type(error).__mro__[1:-1]]
    return {
        "type": str(type(error).__name__)[:100],
        "bases": bases[:20],
        "message": message,
        "line": line,
        "text": text[:200],
        "file": file,
        "memory": isinstance(error, MemoryError) or any(sign in message for sign in _NO_MEMORY),
    }


def _in_package(filename: str) -> str | None:
    """Return the path of a file within the installed package, or None for any other file."""
    for folder in package_folders:
        if filename.startswith(f"{folder}/"):
            return filename[len(folder) + 1 :][:200]
    return None
