"""Print what an interpreter needs to import some modules; run by path, by `visible.py` alone.

Usage: python -I imports_probe.py MODULE...

It is a program of its own because it imports the modules named, torch above all, which the process
that asks must never do.
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

# Parts of the standard library that stand on a shared library; a lean Python lacks some.
_LINKED = ("bz2", "ctypes", "decimal", "hashlib", "lzma", "unicodedata", "uuid", "zlib")
_NUM_EXAMPLES = 3


class _LoadedObject(ctypes.Structure):
    """The head of `struct dl_phdr_info`."""

    _fields_ = (("address", ctypes.c_void_p), ("name", ctypes.c_char_p))


def loaded_libraries() -> list[str]:
    """List the shared objects of this process by the paths under which the loader found them.

    `/proc/self/maps` would give real paths, but a library is looked up by its soname.
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


def top_level_entries(modules: Iterable[object]) -> set[str]:
    """List the entries of site-packages that hold these modules, and their bundled libraries."""
    sites = [path for path in sys.path if path.endswith(("site-packages", "dist-packages"))]
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
    """Yield files and folders that a stranger's uid could not read."""
    for root in roots:
        if os.path.isfile(root):
            yield from _if_private(root, stat.S_IROTH)
        for folder, _, files in os.walk(root):
            yield from _if_private(folder, stat.S_IROTH | stat.S_IXOTH)
            for name in files:
                yield from _if_private(os.path.join(folder, name), stat.S_IROTH)


def _if_private(path: str, wanted: int) -> Iterator[str]:
    if os.path.exists(path) and os.stat(path).st_mode & wanted != wanted:
        yield path


def main() -> None:
    """Import the modules named on the command line and print the findings as JSON."""
    # What a .pth file imported at start (setuptools has one) is nothing that was asked for.
    before = frozenset(sys.modules)
    for name in sys.argv[1:]:
        importlib.import_module(name)
    for name in _LINKED:
        try:
            importlib.import_module(name)
        except ImportError:
            continue
    stdlib = os.path.realpath(sysconfig.get_paths()["stdlib"])
    needed = [module for name, module in sys.modules.items() if name not in before]
    entries = sorted(top_level_entries(needed))
    outside = [
        path
        for path in loaded_libraries()
        if not path.startswith((stdlib + os.sep, *(entry + os.sep for entry in entries)))
    ]
    private = list(itertools.islice(private_paths([stdlib, *entries]), _NUM_EXAMPLES))
    report = {
        "python": os.path.realpath(sys.executable),
        "stdlib": stdlib,
        "packages": entries,
        "libraries": sorted(set(outside)),
        "private": private,
    }
    sys.stdout.write(json.dumps(report))


if __name__ == "__main__":
    main()
