"""Error classes of Torchstone, each with a message key and values for every interface.

The code that raises an error does not know the reader's language. The error keeps the key of a
catalogue entry (see ``core.i18n``) and its values. The command line and the page look up
``<key>.message`` and ``<key>.hint`` when they show it. The key is the error's public code.
"""

from collections.abc import Callable
from functools import partial
from typing import ClassVar, TypedDict

from torchstone.core.i18n import Lang, text
from torchstone.core.verdict import ExitCode


class ErrorShape(TypedDict):
    """The JSON object of an error, on the command line and on the page."""

    ok: bool
    code: str
    message: str
    hint: str
    status: int


class TorchstoneError(Exception):
    """Base class of errors that Torchstone explains in the reader's language.

    A subclass states who caused the error: it defines the exit code and the HTTP status.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.OUR_FAULT
    status: ClassVar[int] = 500

    def __init__(self, code: str, /, **values: object) -> None:
        """Keep the key and the values of the message.

        Args:
            code: The catalogue key, e.g. ``"bank.problem_unknown"``; it is also the public code.
            **values: The values of the placeholders in message and hint.
        """
        super().__init__(code, values)
        self.code = code
        self.values = values

    def __reduce__(self) -> tuple[Callable[[], "TorchstoneError"], tuple[()]]:
        """Pickle by code and values; the default would call ``__init__`` with ``args``."""
        return partial(type(self), self.code, **self.values), ()

    def __str__(self) -> str:
        """Return the message in English, for logs and tracebacks."""
        return self.message("en")

    def message(self, lang: Lang) -> str:
        """Return the message: the place, the received value, and the expected value."""
        return text(f"{self.code}.message", lang, **self.values)

    def hint(self, lang: Lang) -> str:
        """Return the hint: what the user can do."""
        return text(f"{self.code}.hint", lang, **self.values)

    def shape(self, lang: Lang) -> ErrorShape:
        """Return the error as a JSON object."""
        return {
            "ok": False,
            "code": self.code,
            "message": self.message(lang),
            "hint": self.hint(lang),
            "status": self.status,
        }


class BadInput(TorchstoneError):
    """Raised for invalid input that the caller can correct."""

    exit_code = ExitCode.MISUSE
    status = 400


class NotFound(BadInput):
    """Raised when a name does not exist."""

    status = 404


class BrokenProblem(TorchstoneError):
    """Raised when a problem folder of the bank violates its schema."""

    status = 503


class BrokenTopic(TorchstoneError):
    """Raised when a folder of the question bank violates its schema."""

    status = 503


class JudgeUnavailable(TorchstoneError):
    """Raised when no judge can be started or reached."""

    status = 503


class StoreError(TorchstoneError):
    """Raised when the database cannot be opened, migrated or written."""

    status = 503
