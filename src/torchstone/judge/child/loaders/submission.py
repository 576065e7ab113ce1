"""Loader of the submission and of the problem's probe."""

from __future__ import annotations

import builtins
import functools
import linecache
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import CodeType, ModuleType
from typing import Any

from .. import driver
from ..protocol.records import (
    Answer,
    Arguments,
    LibraryErrorRecord,
    LoadErrorRecord,
    RaisedRecord,
    Scope,
)


class LoadError(Exception):
    """Raised when a file cannot be judged.

    The record has a verdict code, a message key with its values, and Python's exception.
    """

    def __init__(
        self,
        code: str,
        key: str,
        values: dict[str, str],
        error: RaisedRecord | LibraryErrorRecord | None = None,
    ) -> None:
        super().__init__(key)
        self.record: LoadErrorRecord = {
            "code": code,
            "key": key,
            "values": values,
            "error": error,
        }


class Submission:
    """Names of the submitted file, as attributes."""

    def __init__(self, scope: Scope, code: CodeType, filename: str) -> None:
        self._scope = scope
        self.code = code
        self.filename = filename
        self.builtins = scope["__builtins__"]

    def names(self) -> Scope:
        """Return a copy of the names of the file, builtins included."""
        return dict(self._scope)

    def __getattr__(self, name: str) -> Any:
        try:
            return self._scope[name]
        except KeyError:
            raise AttributeError(f"the file does not define {name!r}") from None


def load(
    source: str, names: Sequence[str], *, scope_builtins: Any = None, execute: bool = True
) -> Submission:
    """Compile the source, execute it as a module, and check the names of the interface.

    Args:
        source: The submitted file.
        names: Names that it must define.
        scope_builtins: The builtins that it sees; default: the ordinary ones.
        execute: False for scripts, which run again in every case.

    Raises:
        LoadError: CE for a syntax error or a missing name, RTE for an exception at import.
    """
    filename = driver.SUBMISSION_FILE
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    try:
        code = compile(source, filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise LoadError("CE", "load.syntax", {}, driver.describe_error(error)) from None
    module = ModuleType("submission")
    # Registered so that dataclasses, pickling and typing find the module of the file's classes.
    sys.modules["submission"] = module
    scope = module.__dict__
    scope["__builtins__"] = builtins.__dict__ if scope_builtins is None else scope_builtins
    scope["__file__"] = filename
    submission = Submission(scope, code, filename)
    if execute:
        try:
            exec(code, scope)
        # Any exception during the import ends the judging, SystemExit included.
        except BaseException as error:  # noqa: BLE001
            raise LoadError("RTE", "load.raised", {}, driver.describe_error(error)) from None
        for name in names:
            if name.split(".")[0] not in scope:
                others = [
                    key for key, item in scope.items() if callable(item) and not key.startswith("_")
                ]
                values = {"name": name, "defined": ", ".join(sorted(others)[:8])}
                raise LoadError("CE", "load.missing_name", values)
    return submission


def apply(glue: Callable[[], None]) -> None:
    """Call the problem's glue code on the loaded submission.

    Raises:
        LoadError: The glue code raised an exception.
    """
    try:
        glue()
    except Exception as error:  # noqa: BLE001
        raise LoadError("RTE", "load.raised", {}, driver.describe_error(error)) from None


@functools.lru_cache(maxsize=16)
def compile_probe(source: str) -> CodeType:
    """Compile a problem's probe; a zygote calls this before it forks, and jobs reuse the result."""
    return compile(source, "<probe>", "exec", dont_inherit=True)


@dataclass(frozen=True, slots=True)
class Probe:
    """Functions of a problem that run inside the sandbox; each is optional.

    Attributes:
        answer: Answers the problem's own requests.
        glue: Called once when the submission is loaded.
        kernel: Returns the functions of the module ``kernel`` for a launcher.
        conclude: Derives an answer from the notes, in the leader.
    """

    answer: Callable[..., Any] | None = None
    glue: Callable[[], None] = lambda: None
    kernel: Callable[[Any], dict[str, Callable[..., Any]]] = lambda launcher: {}
    conclude: Callable[[str, Arguments, list[Any]], Answer] | None = None


def load_probe(source: str) -> Callable[..., Any] | None:
    """Execute the problem's trusted probe and return the function that answers its requests."""
    return read_probe(source).answer


def read_probe(source: str) -> Probe:
    """Execute the problem's probe and return all its parts."""
    if not source:
        return Probe()
    scope: Scope = {"__name__": "probe"}
    exec(compile_probe(source), scope)
    named = {"answer": "probe", "glue": "glue", "kernel": "kernel", "conclude": "conclude"}
    return Probe(**{part: scope[name] for part, name in named.items() if name in scope})
