"""Workspace packages as folders: unpack, edit with any tools, and pack again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from torchstone.app.home import Home
from torchstone.app.judging.source import BadPackage, read_folder, read_source
from torchstone.app.problems.files import staged
from torchstone.app.problems.workspace import file_of, link_aside, read_workspace
from torchstone.bank import Problem
from torchstone.bank.schema import Language
from torchstone.core.bundle import BadBundle, read_bundle, replace_files
from torchstone.core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class Unpacked:
    """A package as a folder.

    Args:
        folder: The folder.
        files: The paths of the files in it.
    """

    problem: str
    folder: Path
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Packed:
    """The file of the workspace after packing.

    Args:
        path: The file.
        is_changed: Whether the text differs from before.
        put_aside: The new path of the text before; None if there was none, or the same.
    """

    problem: str
    path: Path
    files: tuple[str, ...]
    is_changed: bool
    put_aside: Path | None


def unpack(home: Home, name: str, folder: Path | None = None) -> Unpacked:
    """Write the files of the package in the workspace to a folder, which other files may be in.

    Args:
        home: The learner's home.
        name: The problem.
        folder: The folder; by default one beside the file of the workspace.

    Raises:
        NotFound: The workspace has no file of this problem.
        BadInput: The problem is not solved by a package, the text is not a valid package, or the
            folder has another text under one of the paths.
    """
    problem = _package(home, name)
    path = file_of(home, problem)
    files = _read(path, read_workspace(home, problem))
    target = folder if folder is not None else path.with_suffix("")
    for inside, text in files.items():
        _require_same(target, Path(inside), text)
    for inside, text in files.items():
        _write(target / inside, text)
    return Unpacked(problem=problem.id, folder=target, files=tuple(files))


def pack(home: Home, name: str, folder: Path | None = None) -> Packed:
    """Write the files of a folder to the workspace; comments and the order of the files stay.

    Args:
        home: The learner's home.
        name: The problem.
        folder: The folder; by default the one that ``unpack`` writes.

    Raises:
        BadInput: The problem is not solved by a package, or the folder is not a valid package.
    """
    problem = _package(home, name)
    path = file_of(home, problem)
    source = folder if folder is not None else path.with_suffix("")
    if not source.is_dir():
        raise BadInput("app.package_no_folder", path=source, problem=problem.id)
    files = _read(source, read_folder(source))
    before = read_workspace(home, problem) if path.exists() else None
    is_valid = _is_valid(before or "")
    files = _with_hidden(source, files, before or "")
    text = replace_files(before if before and is_valid else problem.starter, files)
    # A file or a comment may contain the header of another file.
    if _read(path, text).keys() != files.keys():
        raise BadInput("app.package_unlike", path=source)
    is_changed = text != before
    put_aside = link_aside(path) if is_changed and before is not None else None
    if is_changed:
        with staged(path, text.encode()):
            pass
    return Packed(
        problem=problem.id,
        path=path,
        files=tuple(files),
        is_changed=is_changed,
        put_aside=put_aside,
    )


def _with_hidden(folder: Path, files: Mapping[str, str], before: str) -> Mapping[str, str]:
    """Add files that folder reading skips, such as ``.gitignore``, if they were packed."""
    try:
        known = read_bundle(before)
    except BadBundle:
        return files
    hidden = [path for path in known if path not in files and (folder / path).is_file()]
    return {**files, **{path: read_source(folder / path) for path in hidden}}


def _package(home: Home, name: str) -> Problem:
    problem = home.problem(name)
    if problem.spec.language is not Language.BUNDLE:
        raise BadInput("app.package_none", problem=problem.id)
    return problem


def _read(path: Path, text: str) -> Mapping[str, str]:
    try:
        return read_bundle(text)
    except BadBundle as error:
        raise BadPackage.of(path, error) from error


def _is_valid(text: str) -> bool:
    try:
        read_bundle(text)
    except BadBundle:
        return False
    return True


def _require_same(target: Path, inside: Path, text: str) -> None:
    """Check that nothing is overwritten, and that no symbolic link leads elsewhere."""
    path = target / inside
    try:
        is_linked = any((target / each).is_symlink() for each in [inside, *inside.parents[:-1]])
        is_other = is_linked or (path.exists() and path.read_bytes() != text.encode())
    except OSError:
        is_other = True
    if is_other:
        raise BadInput("app.package_in_the_way", path=path)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput("app.file_unwritable", path=path, reason=error.strerror) from error
    with staged(path, text.encode()):
        pass
