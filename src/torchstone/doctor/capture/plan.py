"""Plan of a recording, and checks of the program before it is started."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from torchstone.doctor.refusal import Refusal

# Three to five recorded steps suffice; more only enlarge the trace.
STEPS = 5
LEAST_STEPS, MOST_STEPS = 1, 100
# Data loading and compilation may take minutes before the first step.
LIMIT_SECONDS = 900.0
MOST_RANKS = 64
# Maximum size of a program file.
_MOST_BYTES = 16 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The program to record, and the options of the run.

    Attributes:
        script: Path of a Python file, or name of a module.
        words: Command-line arguments of the program.
        is_module: Whether ``script`` is a module name, as after ``python -m``.
        steps: Number of recorded steps.
        limit_s: Time limit of each pass, in seconds.
        num_ranks: Number of processes in the run; each has a trace.
    """

    script: str
    words: tuple[str, ...] = ()
    is_module: bool = False
    steps: int = STEPS
    limit_s: float = LIMIT_SECONDS
    num_ranks: int = 1

    @property
    def name(self) -> str:
        """Return the arguments of ``python`` that run the program."""
        return f"-m {self.script}" if self.is_module else self.script

    def check(self) -> None:
        """Check that the program can be started.

        Raises:
            Refusal: A number is out of range; the script is missing, a folder, or not Python; or
                the doctor itself runs under torchrun.
        """
        world = os.environ.get("WORLD_SIZE", "1")
        if "RANK" in os.environ and world != "1":
            # Each rank would record separately, and stop the program at a different step.
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
    """Compile the file, so that invalid Python is refused before any process starts."""
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
        # A NUL byte, or too deep nesting.
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
