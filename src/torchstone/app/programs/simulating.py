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
    """What to do with a program.

    Args:
        verb: Run it, or look for its bugs.
        file: Its source.
        arguments: What it is given itself.
        options: Options of cudasim.
        is_quiet: Whether what it writes to stdout goes to stderr.
    """

    verb: Literal["run", "check"]
    file: Path
    arguments: Sequence[str] = ()
    options: Sequence[str] = ()
    is_quiet: bool = False


def simulate(plan: Simulation) -> int:
    """Run or check a program, which has this process's own stdin, stdout and stderr.

    Returns:
        With what it ended; of a check 0 when nothing was found, else 1.

    Raises:
        NotFound: There is no such file.
        BadInput: It cannot be read, or there is no compiler, or nothing that can be checked.
        TorchstoneError: cudasim itself came to grief.
    """
    read_source(plan.file)
    try:
        find_toolchain()
    except CompilerMissing as error:
        raise BadInput("app.cuda.no_compiler") from error
    # The whole path, so that no name looks like an option.
    words = [plan.verb, *plan.options, str(plan.file.absolute()), "--", *plan.arguments]
    command = [sys.executable, "-P", "-m", PROGRAM, *words]
    with running(command, stdout=sys.stderr if plan.is_quiet else None) as process:
        code = process.wait()
    if plan.verb == "check" and code == REFUSED:
        raise BadInput("app.cuda.refused", path=plan.file)
    if plan.verb == "check" and code not in (0, 1):
        raise TorchstoneError("app.cuda.died", status=code)
    return code
