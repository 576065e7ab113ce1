"""Run and check CUDA programs with cudasim in a child process."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from torchstone.app.judging.source import read_source
from torchstone.core.child import running
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.cudasim.toolchain import CompilerMissing, find_toolchain

PROGRAM = "torchstone.cudasim"
REFUSED = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """The command for one program.

    Args:
        verb: Run the program, or check it for bugs.
        file: Its source.
        arguments: The arguments of the program.
        options: Options of cudasim.
        is_quiet: Whether its stdout goes to stderr.
    """

    verb: Literal["run", "check"]
    file: Path
    arguments: Sequence[str] = ()
    options: Sequence[str] = ()
    is_quiet: bool = False


def simulate(plan: Simulation) -> int:
    """Run or check a program with this process's own stdin, stdout and stderr.

    Returns:
        The exit code of the program; for a check, 0 if there are no findings, otherwise 1.

    Raises:
        NotFound: The file does not exist.
        BadInput: The file cannot be read, there is no compiler, or there is nothing to check.
        TorchstoneError: cudasim itself failed.
    """
    read_source(plan.file)
    try:
        find_toolchain()
    except CompilerMissing as error:
        raise BadInput("app.cuda.no_compiler") from error
    # The absolute path, so that no name looks like an option.
    words = [plan.verb, *plan.options, str(plan.file.absolute()), "--", *plan.arguments]
    command = [sys.executable, "-P", "-m", PROGRAM, *words]
    with running(command, stdout=sys.stderr if plan.is_quiet else None) as process:
        code = process.wait()
    if plan.verb == "check" and code == REFUSED:
        raise BadInput("app.cuda.refused", path=plan.file)
    if plan.verb == "check" and code not in (0, 1):
        raise TorchstoneError("app.cuda.died", status=code)
    return code
