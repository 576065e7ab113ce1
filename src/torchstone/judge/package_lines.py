"""Lines of submissions that are packages: the learner's file, and the text of a line."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from torchstone.core.bundle import BadBundle, read_bundle
from torchstone.judge.messages import Raised
from torchstone.judge.outcomes import printable


def place_error(error: Raised | None, source: str) -> Raised | None:
    """Replace the installed path in an error by the learner's file, and add the line's text.

    The process of the submission reports the path of the installed file, which may differ from the
    source's path or be invented. If it matches no file of the package, the error has no line.
    """
    if error is None or error.file is None:
        return error
    files = _read(source)
    file = _written_as(error.file, files)
    if file is None:
        return msgspec.structs.replace(error, file=None, line=None, text="")
    text = printable(_line(files[file], error.line or 0))[:200]
    return msgspec.structs.replace(error, file=file, text=text)


def line_of(source: str, number: int, file: str | None) -> str:
    """Return a line of a submission, or of a file of a package; empty if there is none."""
    return _line(source if file is None else _read(source).get(file, ""), number)


def _read(source: str) -> Mapping[str, str]:
    try:
        return read_bundle(source)
    except BadBundle:
        return {}


def _written_as(installed: str, files: Mapping[str, str]) -> str | None:
    """Return the source file of an installed path: the same path, or one inside a folder."""
    if installed in files:
        return installed
    inside = [path for path in files if path.endswith(f"/{installed}")]
    return inside[0] if len(inside) == 1 else None


def _line(text: str, number: int) -> str:
    lines = text.splitlines()
    return lines[number - 1].strip() if 0 < number <= len(lines) else ""
