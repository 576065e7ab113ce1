"""Error classes of Torchstone, each with a message key and values for every interface.

An error is raised far below the skin that shows it and does not know the reader's language. It
keeps the key of a catalogue entry (see ``core.i18n``) with its values; ``<key>.message`` and
``<key>.hint`` are looked up when it is shown. The key is the error's public code.
"""

from collections.abc import Callable
from functools import partial
from typing import ClassVar, TypedDict

from torchstone.core.i18n import Lang, text
from torchstone.core.verdict import ExitCode


class ErrorShape(TypedDict):
    """The one JSON shape of an error, on the command line and on the page."""

    ok: bool
    code: str
    message: str
    hint: str
    status: int


class TorchstoneError(Exception):
    """Something Torchstone can explain in the reader's language.

    Subclasses say whose fault it is: they fix the exit code of a command and the HTTP status.
    """

    exit_code: ClassVar[ExitCode] = ExitCode.OUR_FAULT
    status: ClassVar[int] = 500

    def __init__(self, code: str, /, **values: object) -> None:
        """Keep what is needed to say the error later.

        Args:
            code: The catalogue key, e.g. ``"bank.problem_unknown"``; it is the public code too.
            **values: What the message and the hint interpolate.
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
        """Return where it happened, the value that came, and the expected one."""
        return text(f"{self.code}.message", lang, **self.values)

    def hint(self, lang: Lang) -> str:
        """Return the remedy."""
        return text(f"{self.code}.hint", lang, **self.values)

    def shape(self, lang: Lang) -> ErrorShape:
        """Return the error as the JSON object that every skin answers."""
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
    """Raised when a named thing does not exist."""

    status = 404


class BrokenProblem(TorchstoneError):
    """A problem folder of the bank does not keep its schema."""

    status = 503


class JudgeUnavailable(TorchstoneError):
    """No judge could be started or reached."""

    status = 503


class StoreError(TorchstoneError):
    """The database cannot be opened, migrated or written."""

    status = 503
