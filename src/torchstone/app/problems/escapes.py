"""Search for escapes from the bans of problems."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence

from torchstone.app.home import Home
from torchstone.core import paths
from torchstone.core.errors import BadInput, JudgeUnavailable
from torchstone.judge.escapes.search import Escapes, search
from torchstone.judge.native.build import NativeBuildError

# The problem, the number of tried callables, and the total number.
OnTried = Callable[[str, int, int], None]


def escapes(home: Home, names: Sequence[str], *, on_tried: OnTried) -> list[Escapes]:
    """Search for escapes from the bans of problems, by default of all that ban operators.

    Ctrl-C stops the search; the last result is then incomplete.

    Args:
        home: The learner's home, with the bank.
        names: Numbers or names of problems.
        on_tried: Called from time to time with the progress.

    Raises:
        NotFound: A name is not a problem.
        BadInput: A problem bans no operator of submissions in Python.
        JudgeUnavailable: The judge cannot start on this machine.
    """
    chosen = [home.problem(name) for name in names] or [
        problem for problem in home.bank if problem.spec.limits_imports
    ]
    for problem in chosen:
        if not problem.spec.limits_imports:
            raise BadInput("app.bans_nothing", problem=problem.id)
    found: list[Escapes] = []
    try:
        for problem in chosen:
            tried = functools.partial(on_tried, problem.id)
            deny = problem.spec.deny
            found.append(search(problem.id, deny, paths.cache_dir(), on_tried=tried))
            if not found[-1].is_whole:
                break
    except NativeBuildError as error:
        raise JudgeUnavailable("judge.native_failed", reason=str(error)) from error
    return found
