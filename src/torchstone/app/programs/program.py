"""Child programs of Torchstone that print JSON lines, followed as events.

What computes imports NumPy or torch, which no command should wait for that does not compute. What
such a program refuses becomes an error in the reader's language.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Generator, Sequence
from typing import IO, Any

import msgspec

from torchstone.core.child import running
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.core.i18n import catalogue

MAX_LAST_WORDS = 1000


class _Refused(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="error"):
    code: str
    message: str
    values: dict[str, str]


def follow(
    module: str, words: Sequence[str], *, kinds: Any, last: type, errors: str
) -> Generator[Any, None, None]:
    """Run a program, and yield what it tells; closing the iterator ends it.

    Args:
        module: What Python runs.
        words: Its arguments.
        kinds: The events there are: structs, one or a union of them.
        last: The one that comes at the end of a program that did what it should.
        errors: The section of the catalogue ``app`` that has a sentence for each refusal, and for a
            program that ``died``, was ``garbled`` or refused with an ``unknown`` code.

    Raises:
        BadInput: The program refused.
        TorchstoneError: It ended without a word, or said what nobody understands.
    """
    command = [sys.executable, "-P", "-m", module, *words]
    with tempfile.TemporaryFile() as written:
        # Its errors into a file: nobody reads them while it runs, and a pipe would fill up.
        with running(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=written
        ) as process:
            assert process.stdout is not None, "its stdout is a pipe"
            event: Any = None
            for line in process.stdout:
                event = _read(line, kinds, errors)
                yield event
        if not isinstance(event, last):
            raise TorchstoneError(
                f"{errors}.died", status=process.returncode, words=_last_words(written)
            )


def _read(line: bytes, kinds: Any, errors: str) -> Any:
    try:
        # By way of Python's own JSON: a path may hold what is no character, and msgspec minds.
        event = msgspec.convert(json.loads(line), kinds | _Refused)
    except (ValueError, msgspec.ValidationError) as error:
        said = line[:MAX_LAST_WORDS].decode(errors="replace").strip()
        raise TorchstoneError(f"{errors}.garbled", line=said) from error
    if not isinstance(event, _Refused):
        return event
    key = f"{errors}.{event.code}"
    if f"{key}.message" in catalogue("app", "en"):
        raise BadInput(key, **event.values)
    raise TorchstoneError(f"{errors}.unknown", reason=event.message)


def _last_words(written: IO[bytes]) -> str:
    """Return the last line that the program wrote to its standard error."""
    written.seek(0)
    lines = written.read().decode(errors="replace").strip().splitlines()
    return lines[-1][:MAX_LAST_WORDS] if lines else "-"
