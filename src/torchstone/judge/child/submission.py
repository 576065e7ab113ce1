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

from . import driver
from .records import Answer, Arguments, LibraryErrorRecord, LoadErrorRecord, RaisedRecord, Scope


class LoadError(Exception):
    """Raised when a file cannot be judged at all.

    A verdict code, a fact in words, and what Python said.
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
    """Access the names of the submitted file as attributes."""

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
    """Compile the source, execute it as a module and demand the names of the interface.

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
    # Registered so that dataclasses, pickling and typing find the module of the classes that the
    # file defines.
    sys.modules["submission"] = module
    scope = module.__dict__
    scope["__builtins__"] = builtins.__dict__ if scope_builtins is None else scope_builtins
    scope["__file__"] = filename
    submission = Submission(scope, code, filename)
    if execute:
        try:
            exec(code, scope)
        # Whatever ends the import ends the judging.
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
    """Do to what was loaded what the problem says.

    Raises:
        LoadError: It does not let that be done.
    """
    try:
        glue()
    except Exception as error:  # noqa: BLE001
        raise LoadError("RTE", "load.raised", {}, driver.describe_error(error)) from None


@functools.lru_cache(maxsize=16)
def compile_probe(source: str) -> CodeType:
    """Compile a problem's probe; a zygote does so before it forks, so that no job has to."""
    return compile(source, "<probe>", "exec", dont_inherit=True)


@dataclass(frozen=True, slots=True)
class Probe:
    """Hold what a problem does inside the sandbox, each part of it if there is one.

    Attributes:
        answer: Answers the problem's own requests.
        glue: Is called once, when the submission is loaded.
        kernel: Makes the functions of the module ``kernel`` of a launcher.
        conclude: Reads what a loader did from the notes, in the process that leads it.
    """

    answer: Callable[..., Any] | None = None
    glue: Callable[[], None] = lambda: None
    kernel: Callable[[Any], dict[str, Callable[..., Any]]] = lambda launcher: {}
    conclude: Callable[[str, Arguments, list[Any]], Answer] | None = None


def load_probe(source: str) -> Callable[..., Any] | None:
    """Execute the problem's probe, which is ours, and return what answers its requests."""
    return read_probe(source).answer


def read_probe(source: str) -> Probe:
    """Execute the problem's probe and return all its parts."""
    if not source:
        return Probe()
    scope: Scope = {"__name__": "probe"}
    exec(compile_probe(source), scope)
    named = {"answer": "probe", "glue": "glue", "kernel": "kernel", "conclude": "conclude"}
    return Probe(**{part: scope[name] for part, name in named.items() if name in scope})
