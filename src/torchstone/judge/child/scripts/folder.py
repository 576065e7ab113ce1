"""Folders of a restarted script: how the judge changes and lists them.

The leader does this between two runs, when no process of the submission is alive. It follows no
symbolic link, and reads only names and sizes, never time stamps.
"""

from __future__ import annotations

import contextlib
import fnmatch
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from typing import Any

from ..confinement.confine import BOX
from ..protocol.records import Arguments

# Maximum number of entries in a listing; no plausible submission has more.
ENTRIES_CAP = 200
_NAME_CAP = 100


_root = BOX


def lie_in(root: str) -> None:
    """Set the parent folder of all request folders, where a job has no mount of its own."""
    global _root
    _root = root


def place(name: str = "") -> str:
    """Return the path of a request's folder, or of their parent if the name is empty."""
    return f"{_root}/{name}" if name else _root


def listing(folder: str) -> list[list[Any]]:
    """List the entries of a folder as [name, size, kind]; kind is file, folder or other."""
    found: list[list[Any]] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if len(found) == ENTRIES_CAP:
                break
            with contextlib.suppress(OSError):
                status = entry.stat(follow_symlinks=False)
                found.append([_shown(entry.name), status.st_size, _kind(status.st_mode)])
    return sorted(found)


def _shown(name: str) -> str:
    return name.encode(errors="replace").decode(errors="replace")[:_NAME_CAP]


def _kind(mode: int) -> str:
    if stat.S_ISREG(mode):
        return "file"
    return "folder" if stat.S_ISDIR(mode) else "other"


def sizes(folder: str) -> dict[str, int]:
    """Return the size in bytes of each entry of a folder, to detect new and growing files."""
    found = {}
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with contextlib.suppress(OSError):
                found[entry.name] = entry.stat(follow_symlinks=False).st_size
    return found


def strangers(known: set[str]) -> list[str]:
    """Remove entries that are not among the known folders of a request; return their names."""
    names = [name for name in os.listdir(_root) if name not in known]
    for name in names:
        remove(f"{_root}/{name}")
    return sorted(map(_shown, names))[:ENTRIES_CAP]


def clear() -> None:
    """Remove all folders and files of a request."""
    strangers(set())


def remove(path: str) -> None:
    """Remove a file, or a folder with its contents."""
    if os.path.isdir(path) and not os.path.islink(path):
        for folder, _, _ in os.walk(path):
            with contextlib.suppress(OSError):
                os.chmod(folder, 0o700)
        shutil.rmtree(path, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            os.unlink(path)


def _chosen(act: Arguments) -> Iterator[str]:
    """Yield the paths of an act: all files of a pattern, or one of them by index."""
    folder = place(act["in"])
    files = [name for name, _, kind in listing(folder) if kind == "file"]
    names = sorted(fnmatch.filter(files, act["files"]), key=lambda name: (len(name), name))
    pick = act.get("pick")
    if pick is not None:
        names = names[pick:][:1] if -len(names) <= pick < len(names) else []
    yield from (f"{folder}/{name}" for name in names)


def _copy(act: Arguments) -> None:
    """Copy a folder to a new name; the copies have new time stamps."""
    source, target = place(act["from"]), place(act["to"])
    with contextlib.suppress(OSError):
        os.mkdir(target)
    for name, _, kind in listing(source):
        if kind == "file":
            with contextlib.suppress(OSError):
                shutil.copyfile(f"{source}/{name}", f"{target}/{name}", follow_symlinks=False)


def _write(act: Arguments) -> None:
    with contextlib.suppress(FileExistsError):
        os.mkdir(place(act["in"]))
    with open(f"{place(act['in'])}/{act['name']}", "wb") as file:
        file.write(bytes(act["bytes"]))


def _make(act: Arguments) -> None:
    os.makedirs(f"{place(act['in'])}/{act['name']}", exist_ok=True)


def _touch(act: Arguments) -> None:
    """Set the time stamps of files, in seconds since 1970."""
    for path in _chosen(act):
        os.utime(path, (act["time"], act["time"]))


def _damage(act: Arguments) -> None:
    for path in _chosen(act):
        size = os.stat(path).st_size
        with open(path, "r+b") as file:
            _HARM[act["how"]](file, size, act.get("share", 0.5))


def _flip(file: Any, size: int, share: float) -> None:
    at = min(int(size * share), max(size - 1, 0))
    file.seek(at)
    byte = file.read(1)
    file.seek(at)
    file.write(bytes(each ^ 0x10 for each in byte))


def _fill(file: Any, size: int, share: float) -> None:
    file.write(bytes((37 * number + 11) & 0xFF for number in range(251)) * (size // 251 + 1))
    file.truncate(size)


_HARM: dict[str, Callable[..., None]] = {
    "flip": _flip,
    "half": lambda file, size, share: file.truncate(size // 2),
    "empty": lambda file, size, share: file.truncate(0),
    "tail": lambda file, size, share: file.truncate(max(size - 3, 0)),
    "garbage": _fill,
}
ACTS: dict[str, Callable[..., None]] = {
    "copy": _copy,
    "write": _write,
    "make": _make,
    "touch": _touch,
    "damage": _damage,
    "remove": lambda act: remove(place(act["in"])),
}
