"""Syntax check during editing, with the judge's parser.

An editor's grammar recovers from errors by guessing, so it marks correct programs and accepts
invalid ones. Python's own compiler reports the line and message of the verdict CE.
"""

import asyncio
import json
import sys
from dataclasses import dataclass
from pathlib import Path

import msgspec

from torchstone.app.home import Home
from torchstone.app.judging import syntax_program
from torchstone.app.judging.source import MAX_SOURCE_BYTES
from torchstone.bank.schema import Language
from torchstone.core.bundle import BadBundle, read_bundle
from torchstone.judge.messages import Raised

PATIENCE_SECONDS = 4.0
MAX_AT_ONCE = 2

# The parser of a file, by the ending of its name.
_PARSED = {"py": "python", "toml": "toml"}
# Isolated, without site-packages, and silent about warnings: it starts in a hundredth of a second.
_COMMAND = (sys.executable, "-I", "-S", "-W", "ignore", str(Path(syntax_program.__file__)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SyntaxCheck:
    """The result of a syntax check.

    Args:
        is_checked: Whether the text was parsed. Only Python is, and the Python and TOML files of a
            package, and only within the limits.
        error: The exception that ends its compilation, in a package with its file; None if there
            is none.
    """

    is_checked: bool
    error: Raised | None = None


class SyntaxChecker:
    """Checks texts, a few at once; it belongs to one event loop."""

    def __init__(self, home: Home) -> None:
        """Check texts for the problems of a home."""
        self._home = home
        self._free = asyncio.Semaphore(MAX_AT_ONCE)

    async def check(self, name: str, source: str) -> SyntaxCheck:
        """Parse a text without running it.

        Args:
            name: The problem, whose language the text has.
            source: The text.
        """
        problem = self._home.problem(name)
        texts = _texts_of(problem.spec.language, source)
        if not texts or len(source.encode()) > MAX_SOURCE_BYTES:
            return SyntaxCheck(is_checked=False)
        asked = [(_PARSED[path.rpartition(".")[2]], text) for path, text in texts.items()]
        async with self._free:
            found = await _parse(json.dumps(asked).encode())
        if not found:
            # Beyond the limits only the judge can check the text.
            return SyntaxCheck(is_checked=False)
        answer = msgspec.json.decode(found, type=_Found | None)
        if answer is None:
            return SyntaxCheck(is_checked=True)
        file = [*texts][answer.index] if problem.spec.language is Language.BUNDLE else None
        return SyntaxCheck(is_checked=True, error=msgspec.structs.replace(answer.error, file=file))


class _Found(msgspec.Struct, frozen=True, kw_only=True):
    index: int
    error: Raised


def _texts_of(language: Language, source: str) -> dict[str, str]:
    """Return the texts that can be parsed, by their paths; none if only the judge can say more."""
    if language is Language.PYTHON:
        return {"solution.py": source}
    if language is not Language.BUNDLE:
        return {}
    try:
        files = read_bundle(source)
    except BadBundle:
        return {}
    return {path: text for path, text in files.items() if path.rpartition(".")[2] in _PARSED}


async def _parse(data: bytes) -> bytes:
    """Run the program; nothing is returned if it dies or takes too long."""
    process = await asyncio.create_subprocess_exec(
        *_COMMAND,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        output, _ = await asyncio.wait_for(process.communicate(data), PATIENCE_SECONDS)
    except TimeoutError:
        return b""
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return output if process.returncode == 0 else b""
