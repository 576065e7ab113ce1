"""Import probe, run by path from `visible.py`: print the files that modules need at import.

Usage: python -I imports_probe.py MODULE...

It is a separate program because it imports the named modules, such as torch, and the process that
runs it must never import them.
"""

import ctypes
import importlib
import itertools
import json
import os
import stat
import sys
import sysconfig
from collections.abc import Iterable, Iterator

# Modules of the standard library that load a shared library; a minimal Python lacks some of them.
_LINKED = ("bz2", "ctypes", "decimal", "hashlib", "lzma", "unicodedata", "uuid", "zlib")
_NUM_EXAMPLES = 3


class _LoadedObject(ctypes.Structure):
    """Mirror the first fields of `struct dl_phdr_info`."""

    _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))


def loaded_libraries() -> list[str]:
    """Return the shared objects of this process by the paths that the loader used.

    `/proc/self/maps` has the real paths, but the loader finds a library by its soname.
    """
    names: list[str] = []
    callback_type = ctypes.CFUNCTYPE(
        ctypes.c_int, ctypes.POINTER(_LoadedObject), ctypes.c_size_t, ctypes.c_void_p
    )

    def note(info: "ctypes._Pointer[_LoadedObject]", _size: int, _data: object) -> int:
        if info.contents.name:
            names.append(os.fsdecode(info.contents.name))
        return 0

    ctypes.CDLL(None).dl_iterate_phdr(callback_type(note), None)
    return [name for name in names if name.startswith("/")]


def site_folders() -> list[str]:
    """Return the folders of installed packages on the import path."""
    return [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]


def plain_path(path: str) -> str:
    """Remove `..` from a path that the loader used.

    A run path such as `$ORIGIN/../../nvidia/cublas/lib` leads out of the package that has it, so
    the text before `..` does not show the folder of the file. If a folder before `..` is a symbolic
    link, the text cannot be shortened; then the result has the real path of the folder.
    """
    plain = os.path.normpath(path)
    if os.path.realpath(plain) == os.path.realpath(path):
        return plain
    folder, name = os.path.split(path)
    return os.path.join(os.path.realpath(folder), name)


def is_below(path: str, folders: Iterable[str]) -> bool:
    """Return whether a path is in one of these folders."""
    return path.startswith(tuple(folder + os.sep for folder in folders))


def top_level_entries(modules: Iterable[object]) -> set[str]:
    """Return the entries of site-packages that contain the modules, and their bundled libraries."""
    sites = site_folders()
    entries: set[str] = set()
    for module in modules:
        file = getattr(module, "__file__", None)
        for site in sites:
            if file and file.startswith(site + os.sep):
                entry = file[len(site) + 1 :].split(os.sep, 1)[0]
                bundled = os.path.join(site, entry + ".libs")
                entries.add(os.path.join(site, entry))
                entries.update([bundled] if os.path.isdir(bundled) else [])
    return entries


def private_paths(roots: list[str]) -> Iterator[str]:
    """Yield the files and folders that another uid cannot read."""
    for root in roots:
        if os.path.isfile(root):
            yield from _if_private(root, stat.S_IROTH)
        for folder, _, files in os.walk(root):
            yield from _if_private(folder, stat.S_IROTH | stat.S_IXOTH)
            for name in files:
                yield from _if_private(os.path.join(folder, name), stat.S_IROTH)


def state_of(path: str) -> list[int]:
    """Return values that change when a file is replaced or the entries of a folder change."""
    facts = os.stat(path)
    return [facts.st_mtime_ns, facts.st_size, facts.st_ino]


def _if_private(path: str, required: int) -> Iterator[str]:
    if os.path.exists(path) and os.stat(path).st_mode & required != required:
        yield path


def main() -> None:
    """Import the modules named on the command line and print their files as JSON."""
    # A .pth file can import modules at the start (setuptools has one); these do not count.
    before = frozenset(sys.modules)
    for name in sys.argv[1:]:
        importlib.import_module(name)
    for name in _LINKED:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    stdlib = os.path.realpath(sysconfig.get_paths()["stdlib"])
    sites = site_folders()
    needed = [module for name, module in sys.modules.items() if name not in before]
    entries = sorted(top_level_entries(needed))
    loaded = sorted(set(map(plain_path, loaded_libraries())))
    foreign = [path for path in loaded if not is_below(path, entries)]
    # A site folder may be inside the folder of the standard library.
    beside = [path for path in foreign if is_below(path, sites)]
    outside = [path for path in foreign if not is_below(path, (stdlib, *sites))]
    private = list(itertools.islice(private_paths([stdlib, *entries, *foreign]), _NUM_EXAMPLES))
    report = {
        "python": os.path.realpath(sys.executable),
        "stdlib": stdlib,
        "packages": entries,
        "libraries": outside,
        "site_libraries": {
            os.path.relpath(path, site): path
            for path in beside
            for site in sites
            if is_below(path, [site])
        },
        "private": private,
        "state": {path: state_of(path) for path in (*sites, *loaded)},
    }
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
