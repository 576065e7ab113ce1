"""Drafts of a problem, its solution and its notes, saved as files of the workspace.

Each kind of draft is a file of the workspace, so the page, an editor and ``torchstone submit`` use
one text. A save names the version from which the edit began; a save over a newer version is
refused.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from torchstone.app.home import Home
from torchstone.app.judging.source import MAX_SOURCE_BYTES, FileContent, decode_text, read_content
from torchstone.app.problems.files import staged
from torchstone.app.problems.problem_state import find_state, local_now
from torchstone.app.problems.workspace import file_of, link_aside
from torchstone.bank import Problem
from torchstone.core import paths
from torchstone.core.errors import BadInput, NotFound, StoreError

MAX_NOTES_BYTES = 1 << 20
# The version of a missing file; no hash has this form.
ABSENT = "absent"


class DraftKind(StrEnum):
    """The kinds of drafts of a problem."""

    SOLUTION = "solution"
    NOTES = "notes"

    @property
    def max_bytes(self) -> int:
        """Return the maximal size."""
        return MAX_SOURCE_BYTES if self is DraftKind.SOLUTION else MAX_NOTES_BYTES


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The current content of a draft.

    Args:
        text: The text; the starter, or nothing, if there is no file yet.
        version: The version of the content; a save needs it as its base.
        saved_at: The time of the last save; None if there is no file.
        exists: Whether there is a file.
    """

    problem: str
    kind: DraftKind
    text: str
    version: str
    saved_at: datetime | None
    exists: bool


class DraftConflict(BadInput):
    """Raised when a save began from another version than the current one; nothing is written."""

    status = 409

    @property
    def other(self) -> Draft:
        """Return the current draft."""
        found = self.values["other"]
        assert isinstance(found, Draft), "a conflict is raised with the other draft"
        return found


def draft_path(home: Home, problem: Problem, kind: DraftKind) -> Path:
    """Return the path of a draft in the workspace."""
    solution = file_of(home, problem)
    return solution if kind is DraftKind.SOLUTION else solution.with_suffix(".notes.md")


def read_draft(home: Home, name: str, kind: DraftKind = DraftKind.SOLUTION) -> Draft:
    """Read a draft of a problem.

    Raises:
        BadInput: The path is not a text file, or the file is too long.
    """
    problem = home.problem(name)
    path = draft_path(home, problem, kind)
    return _draft(problem, kind, path, _look(path, kind))


def save_draft(
    home: Home, name: str, kind: DraftKind, text: str, *, base: str, put_aside: bool = False
) -> Draft:
    """Save a draft of a problem atomically.

    A save of the current text changes nothing, and neither does a save of the starter if there is
    no file. A save to a symbolic link writes the target.

    Args:
        home: The learner's home.
        name: The problem.
        kind: The kind of draft.
        text: The whole text.
        base: The version from which the edit began.
        put_aside: Save over any version; the current file first gets a dated name.

    Returns:
        The new draft; its version is the base of the next save.

    Raises:
        DraftConflict: The current version is not ``base``.
        BadInput: The text cannot be saved, or the path is not a regular file.
    """
    problem = home.problem(name)
    path = draft_path(home, problem, kind)
    data = _encoded(path, kind, text)
    # Resolve a symbolic link: replacing the link would separate it from its target.
    target = Path(os.path.realpath(path))
    blank = _blank(problem, kind)
    with _locked(target):
        found = _look(target, kind)
        is_there = text == blank if found is None else data == found.data
        if is_there:
            draft = _draft(problem, kind, target, found)
        else:
            with staged(target, data, mode=found.mode if found else None):
                # Editors do not use our lock, so read the file as late as possible.
                found = _look(target, kind)
                if not put_aside and _version(found) != base:
                    other = _draft(problem, kind, target, found)
                    raise DraftConflict("app.draft_conflict", path=path, other=other)
                _make_way(target, found, put_aside=put_aside)
            draft = _written(problem, kind, text, data)
    if kind is DraftKind.SOLUTION and text != blank:
        _note_start(home, problem)
    return draft


def edited_problems(home: Home) -> frozenset[str]:
    """Return the ids of the problems whose solution differs from the starter."""
    try:
        return frozenset(
            problem.id
            for problem in home.bank
            if _is_edited(file_of(home, problem), problem.starter.encode())
        )
    except BadInput:
        # The list of problems also works if no workspace can be created.
        return frozenset()


def _is_edited(path: Path, starter: bytes) -> bool:
    try:
        if not path.is_file():
            return False
        return path.stat().st_size != len(starter) or path.read_bytes() != starter
    except OSError:
        return False


def _blank(problem: Problem, kind: DraftKind) -> str:
    return problem.starter if kind is DraftKind.SOLUTION else ""


def _encoded(path: Path, kind: DraftKind, text: str) -> bytes:
    try:
        data = text.encode()
        fault = text.find("\0")
    except UnicodeEncodeError as error:
        data, fault = b"", error.start
    if fault >= 0:
        raise BadInput("app.draft_no_text", path=path, line=text.count("\n", 0, fault) + 1)
    if len(data) > kind.max_bytes:
        raise BadInput("app.draft_too_long", path=path, kib=kind.max_bytes >> 10)
    return data


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Lock a file against saves of other threads and other servers."""
    key = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    lock = paths.runtime_dir() / f"draft-{key}.lock"
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise BadInput("app.file_unwritable", path=lock, reason=error.strerror) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        # Closing the file releases the lock.
        os.close(descriptor)


def _look(path: Path, kind: DraftKind) -> FileContent | None:
    try:
        return read_content(path, max_bytes=kind.max_bytes)
    except NotFound:
        return None


def _version(found: FileContent | None) -> str:
    return ABSENT if found is None else _hash(found.data)


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def _draft(problem: Problem, kind: DraftKind, path: Path, found: FileContent | None) -> Draft:
    return Draft(
        problem=problem.id,
        kind=kind,
        text=decode_text(path, found.data) if found else _blank(problem, kind),
        version=_version(found),
        saved_at=datetime.fromtimestamp(found.mtime, UTC) if found else None,
        exists=found is not None,
    )


def _written(problem: Problem, kind: DraftKind, text: str, data: bytes) -> Draft:
    # Do not read the file again: another process may have changed it, and its version would become
    # the base of the next save.
    return Draft(
        problem=problem.id,
        kind=kind,
        text=text,
        version=_hash(data),
        saved_at=datetime.now(UTC),
        exists=True,
    )


def _make_way(path: Path, found: FileContent | None, *, put_aside: bool) -> None:
    if found is None:
        return
    # A rename would replace a read-only file; an editor would not.
    if not os.access(path, os.W_OK):
        raise BadInput("app.file_unwritable", path=path, reason=os.strerror(errno.EACCES))
    if put_aside:
        link_aside(path)


def _note_start(home: Home, problem: Problem) -> None:
    """Record the start of this round, once, because a page saves every few seconds."""
    try:
        with home.open_store() as store:
            state = find_state(store, problem, local_now())
            if state.is_settled:
                return
            activity = store.activity(problem.id, since=state.evidence_since)
            if activity.started_at is None:
                store.start_problem(problem.id)
    except StoreError as error:
        # The text is saved. An error now would hide its version from the client, and the client's
        # next save would conflict with this one. The next save also records the start.
        logging.getLogger(__name__).warning(
            "%s was begun, which is not noted: %s", problem.id, error
        )
