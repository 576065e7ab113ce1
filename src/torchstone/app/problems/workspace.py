"""Workspace: one file for each problem, never overwritten."""

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from torchstone.app.home import Home
from torchstone.app.judging.source import read_source
from torchstone.app.problems.problem_state import local_now
from torchstone.bank import Problem
from torchstone.core.errors import BadInput, NotFound


class FileState(StrEnum):
    """What ``start`` found."""

    WRITTEN = "written"
    UNTOUCHED = "untouched"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The file to write in, and how it came to be.

    Args:
        path: The file.
        state: Whether it was written now, was there as the starter, or was there and edited.
        put_aside: Where an earlier solution was moved to, if it was.
    """

    problem: str
    path: Path
    state: FileState
    put_aside: Path | None = None


def file_of(home: Home, problem: Problem) -> Path:
    """Name the file of a problem in the workspace."""
    return home.workspace / f"{problem.path.name}{problem.spec.language.suffix}"


def start(home: Home, name: str, *, again: bool = False) -> Started:
    """Put the starter into the workspace and note that the learner began.

    Args:
        home: Where the learner works.
        name: The problem.
        again: Put an edited file aside under another name and begin anew.

    Raises:
        BadInput: The file cannot be written.
    """
    problem = home.problem(name)
    path = file_of(home, problem)
    state = _write_once(path, problem.starter)
    put_aside = None
    if state is FileState.KEPT and again:
        put_aside = link_aside(path)
        path.unlink()
        state = _write_once(path, problem.starter)
    with home.open_store() as store:
        store.start_problem(problem.id)
    return Started(problem=problem.id, path=path, state=state, put_aside=put_aside)


def read_workspace(home: Home, problem: Problem) -> str:
    """Read the learner's file of a problem.

    Raises:
        NotFound: There is none yet.
        BadInput: It is no text that could be judged.
    """
    path = file_of(home, problem)
    if not path.exists():
        raise NotFound("app.not_started", path=path, problem=problem.id)
    return read_source(path)


def _write_once(path: Path, starter: str) -> FileState:
    try:
        # "x": of two terminals that start at once, one writes.
        with path.open("x", encoding="utf-8") as file:
            file.write(starter)
    except FileExistsError:
        same = path.is_file() and path.read_bytes() == starter.encode()
        return FileState.UNTOUCHED if same else FileState.KEPT
    except OSError as error:
        raise BadInput("app.file_unwritable", path=path, reason=error.strerror) from error
    return FileState.WRITTEN


def link_aside(path: Path) -> Path:
    """Hard-link a file under a dated name, so that the original can be rewritten.

    Raises:
        BadInput: No such name can be made.
    """
    stem = f"{path.stem}.{local_now():%Y-%m-%d}"
    for number in range(1, 1000):
        target = path.with_name(f"{stem}{'' if number == 1 else f'-{number}'}{path.suffix}")
        try:
            # A link refuses a name that is taken; a rename would overwrite it.
            os.link(path, target, follow_symlinks=False)
        except FileExistsError:
            continue
        except OSError as error:
            raise BadInput("app.file_unwritable", path=target, reason=error.strerror) from error
        return target
    raise BadInput("app.file_unwritable", path=path, reason="999 files are put aside already")
