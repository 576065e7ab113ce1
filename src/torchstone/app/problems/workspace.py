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
    """The states of the file that ``start`` finds."""

    WRITTEN = "written"
    UNTOUCHED = "untouched"
    KEPT = "kept"


@dataclass(frozen=True, slots=True, kw_only=True)
class Started:
    """The learner's file after ``start``.

    Args:
        path: The file.
        state: Whether ``start`` wrote the file, found the starter, or found an edited file.
        put_aside: The new path of an earlier solution, if it was moved.
    """

    problem: str
    path: Path
    state: FileState
    put_aside: Path | None = None


def file_of(home: Home, problem: Problem) -> Path:
    """Return the path of a problem's file in the workspace."""
    return home.workspace / f"{problem.path.name}{problem.spec.language.suffix}"


def start(home: Home, name: str, *, again: bool = False) -> Started:
    """Write the starter to the workspace and record the start.

    Args:
        home: The learner's home.
        name: The problem.
        again: Move an edited file to a dated name and write the starter again.

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
        NotFound: The file does not exist yet.
        BadInput: The file is not a text that can be judged.
    """
    path = file_of(home, problem)
    if not path.exists():
        raise NotFound("app.not_started", path=path, problem=problem.id)
    return read_source(path)


def _write_once(path: Path, starter: str) -> FileState:
    try:
        # "x": if two terminals start at once, one of them writes.
        with path.open("x", encoding="utf-8") as file:
            file.write(starter)
    except FileExistsError:
        same = path.is_file() and path.read_bytes() == starter.encode()
        return FileState.UNTOUCHED if same else FileState.KEPT
    except OSError as error:
        raise BadInput("app.file_unwritable", path=path, reason=error.strerror) from error
    return FileState.WRITTEN


def link_aside(path: Path) -> Path:
    """Create a hard link with a dated name, so that the original can be rewritten.

    Raises:
        BadInput: No such name can be created.
    """
    stem = f"{path.stem}.{local_now():%Y-%m-%d}"
    for number in range(1, 1000):
        target = path.with_name(f"{stem}{'' if number == 1 else f'-{number}'}{path.suffix}")
        try:
            # A hard link fails if the name exists; a rename would overwrite it.
            os.link(path, target, follow_symlinks=False)
        except FileExistsError:
            continue
        except OSError as error:
            raise BadInput("app.file_unwritable", path=target, reason=error.strerror) from error
        return target
    raise BadInput("app.file_unwritable", path=path, reason="999 files with dated names exist")
