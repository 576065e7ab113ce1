"""What is to be run and recorded, and what a program must be before it is started."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from torchstone.doctor.refusal import Refusal

# Of a step 3 to 5 recordings show what it does; more only make the trace longer.
STEPS = 5
LEAST_STEPS, MOST_STEPS = 1, 100
# Loading data and compiling may take minutes before the first step.
LIMIT_SECONDS = 900.0
MOST_RANKS = 64
# A program is not longer.
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Hold what is run.

    Attributes:
        script: The path of a Python file, or the name of a module.
        words: The arguments of the program.
        is_module: Whether ``script`` is the name of a module, as behind ``python -m``.
        steps: How many steps are recorded.
        limit_s: How long each pass may take.
        num_ranks: How many processes train together; each has a trace.
    """

    script: str
    words: tuple[str, ...] = ()
    is_module: bool = False
    steps: int = STEPS
    limit_s: float = LIMIT_SECONDS
    num_ranks: int = 1

    @property
    def name(self) -> str:
        """Return what comes behind ``python`` to run it."""
        return f"-m {self.script}" if self.is_module else self.script

    def check(self) -> None:
        """Check that it can be started.

        Raises:
            Refusal: A number is out of range, the script is missing, a folder, or not Python, or
                torchrun has started this process.
        """
        world = os.environ.get("WORLD_SIZE", "1")
        if "RANK" in os.environ and world != "1":
            # Each rank would record by itself, and end the program at a step of its own.
            raise Refusal("under_torchrun", world=world)
        _check_range("steps", self.steps, LEAST_STEPS, MOST_STEPS)
        _check_range("nproc", self.num_ranks, 1, MOST_RANKS)
        if not 1 <= self.limit_s <= 1e6:  # refuses NaN too
            raise Refusal("limit_range", came=self.limit_s)
        if not self.is_module:
            _check_script(Path(self.script))


def _check_range(name: str, came: int, least: int, most: int) -> None:
    if not least <= came <= most:
        raise Refusal("out_of_range", option=f"--{name}", came=came, least=least, most=most)


def _check_script(path: Path) -> None:
    """Compile the file here, so that what is no Python is refused before anything is started."""
    source = _read(path)
    if not source.strip():
        raise Refusal("script_empty", file=str(path))
    try:
        compile(source, str(path), "exec", dont_inherit=True)
    except SyntaxError as error:
        raise Refusal(
            "script_syntax", file=str(path), line=error.lineno or 1, reason=error.msg
        ) from error
    except (ValueError, RecursionError, MemoryError) as error:
        # A zero byte, or nested too deep.
        raise Refusal("script_syntax", file=str(path), line=1, reason=str(error)) from error


def _read(path: Path) -> bytes:
    if "\0" in str(path):
        raise Refusal("script_missing", file=str(path))
    try:
        if path.is_dir():
            raise Refusal("script_folder", file=str(path))
        if not path.exists():
            raise Refusal("script_missing", file=str(path))
        if not path.is_file():
            raise Refusal("script_no_file", file=str(path))
        with path.open("rb") as file:
            source = file.read(_MOST_BYTES + 1)
    except OSError as error:
        reason = error.strerror or str(error)
        raise Refusal("script_unreadable", file=str(path), reason=reason) from error
    if len(source) > _MOST_BYTES:
        raise Refusal("script_no_file", file=str(path))
    return source
