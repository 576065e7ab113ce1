"""Text formatting: Python by ruff, C++ and CUDA by clang-format, if they are installed.

Both are optional. The text is only parsed, in a separate process with resource limits.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path

from torchstone.app.home import Home
from torchstone.app.judging import formatting_program
from torchstone.app.judging.source import MAX_SOURCE_BYTES
from torchstone.bank.schema import Language
from torchstone.core.i18n import both

PATIENCE_SECONDS = 5.0
MAX_AT_ONCE = 2
_STYLE = "{BasedOnStyle: Google, IndentWidth: 4, ColumnLimit: 100, SortIncludes: Never}"
_ARGUMENTS = {
    "ruff": (
        "format",
        "--isolated",
        "--no-cache",
        "--line-length=100",
        "--stdin-filename=x.py",
        "-",
    ),
    "clang-format": (f"--style={_STYLE}", "--assume-filename=x.cpp"),
}
_TOOLS = {Language.PYTHON: "ruff", Language.CPP: "clang-format", Language.CUDA: "clang-format"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Formatted:
    """The result of formatting.

    Args:
        text: The formatted text; None if the text stays as it is.
        reason: Why it stays as it is, in both languages.
    """

    text: str | None
    reason: dict[str, str] | None = None


class Formatter:
    """Formats texts, a few at once; it belongs to one event loop."""

    def __init__(self, home: Home) -> None:
        """Format texts for the problems of a home."""
        self._home = home
        self._free = asyncio.Semaphore(MAX_AT_ONCE)

    async def format(self, name: str, source: str) -> Formatted:
        """Format a text in the language of a problem, without running it."""
        return await self.format_text(self._home.problem(name).spec.language, source)

    async def format_text(self, language: Language, source: str) -> Formatted:
        """Format a text in a language, without running it."""
        tool = _TOOLS.get(language)
        data = source.encode()
        if tool is None or len(data) > MAX_SOURCE_BYTES:
            return Formatted(text=None, reason=both("app.format.unsuited"))
        path = find_tool(tool)
        if path is None:
            return Formatted(text=None, reason=both(f"app.format.{tool.replace('-', '_')}"))
        async with self._free:
            found = await _run(path, _ARGUMENTS[tool], data)
        if found is None:
            return Formatted(text=None, reason=both("app.format.refused"))
        return Formatted(text=found.decode())


def find_tool(name: str) -> str | None:
    """Find a formatter beside the interpreter or on the path; None if it is not installed."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.is_file() else shutil.which(name)


async def _run(path: str, arguments: tuple[str, ...], data: bytes) -> bytes | None:
    limiter = (sys.executable, "-I", "-S", str(Path(formatting_program.__file__)))
    process = await asyncio.create_subprocess_exec(
        *(*limiter, path, *arguments),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        cwd="/",
        env={},
        start_new_session=True,
    )
    try:
        output = await asyncio.wait_for(_exchange(process, data), PATIENCE_SECONDS)
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            # Kill the process group; child processes would keep the pipes open.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
    if len(output) > MAX_SOURCE_BYTES:
        return None
    # Empty output for a nonempty text is an error.
    return output if process.returncode == 0 and (output.strip() or not data.strip()) else None


async def _exchange(process: asyncio.subprocess.Process, data: bytes) -> bytes:
    """Send a text and return the output; stop at the first byte beyond the limit."""
    assert process.stdin is not None, "the process has a pipe to stdin"
    assert process.stdout is not None, "the process has a pipe from stdout"
    stdin, stdout = process.stdin, process.stdout

    async def feed() -> None:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            stdin.write(data)
            await stdin.drain()
        stdin.close()

    async def collect() -> bytes:
        output = bytearray()
        while len(output) <= MAX_SOURCE_BYTES and (part := await stdout.read(1 << 16)):
            output += part
        return bytes(output)

    _, output = await asyncio.gather(feed(), collect())
    if len(output) <= MAX_SOURCE_BYTES:
        await process.wait()
    return output
