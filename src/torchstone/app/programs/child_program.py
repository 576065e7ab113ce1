"""Child programs of Torchstone that print JSON lines, followed as events.

The programs import NumPy or torch, which takes seconds; a command that computes nothing does not
need them. An error of the program becomes an error in the reader's language.
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
    # Catalogue of the program's messages, if it differs from the default.
    section: str | None = None
    values: dict[str, str | int | float | bool]


def follow(
    module: str,
    words: Sequence[str],
    *,
    kinds: Any,
    last: type,
    errors: str,
    refusals: str | None = None,
) -> Generator[Any, None, None]:
    """Run a program and yield its events; closing the iterator ends the program.

    Args:
        module: The Python module to run.
        words: Its arguments.
        kinds: The event types: a struct, or a union of structs.
        last: The type of the last event of a successful program.
        errors: The section of a catalogue with a message for each error code, and for a program
            that ``died``, printed ``garbled`` lines or has an ``unknown`` code.
        refusals: The section with a message for each error code, if it is another one.

    Raises:
        BadInput: The program rejected its arguments.
        TorchstoneError: The program ended without a result, or printed an invalid line.
    """
    command = [sys.executable, "-P", "-m", module, *words]
    with tempfile.TemporaryFile() as written:
        # Write stderr to a file: a pipe that is not read would fill up.
        with running(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=written
        ) as process:
            assert process.stdout is not None, "its stdout is a pipe"
            event: Any = None
            for line in process.stdout:
                event = read_event(line, kinds, errors, refusals or errors)
                yield event
        if not isinstance(event, last):
            raise TorchstoneError(
                f"{errors}.died", status=process.returncode, words=last_words(written)
            )


def read_event(line: bytes, kinds: Any, errors: str, refusals: str) -> Any:
    """Return the event of a line.

    Raises:
        BadInput: The program rejected its arguments.
        TorchstoneError: The line is invalid.
    """
    try:
        # Decode with Python's own JSON: a path can contain surrogates, and msgspec rejects these.
        event = msgspec.convert(json.loads(line), kinds | _Refused)
    except (ValueError, msgspec.ValidationError) as error:
        said = line[:MAX_LAST_WORDS].decode(errors="replace").strip()
        raise TorchstoneError(f"{errors}.garbled", line=said) from error
    if not isinstance(event, _Refused):
        return event
    section = event.section or refusals
    key = f"{section}.{event.code}"
    if f"{key}.message" in catalogue(section.partition(".")[0], "en"):
        raise BadInput(key, **event.values)
    raise TorchstoneError(f"{errors}.unknown", reason=event.message)


def last_words(written: IO[bytes]) -> str:
    """Return the last line of the program's standard error."""
    written.seek(0)
    lines = written.read().decode(errors="replace").strip().splitlines()
    return lines[-1][:MAX_LAST_WORDS] if lines else "-"
