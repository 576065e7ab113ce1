"""Name the machines that ``requirements.lock`` must hold for, and choose wheels for them."""

from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache

from packaging.requirements import Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet
from packaging.tags import Tag, compatible_tags, cpython_tags
from packaging.version import Version

from tools.wheel_index import FileMetadata, Index, IndexFile

PYTHONS = ((3, 11), (3, 12), (3, 13), (3, 14))
# torch itself is built for glibc 2.28; Debian 12 has 2.36.
GLIBC_MINOR = 28
NUM_CONNECTIONS = 16


@dataclass(frozen=True, slots=True)
class Target:
    """Describe one CPython on Linux."""

    python: tuple[int, int]
    machine: str = "x86_64"

    def __str__(self) -> str:
        other = "" if self.machine == "x86_64" else f" on {self.machine}"
        return f"Python {self.python[0]}.{self.python[1]}{other}"

    def markers(self, extra: str = "") -> dict[str, str]:
        """Return the values of the environment markers (PEP 508)."""
        version = f"{self.python[0]}.{self.python[1]}"
        return {
            "implementation_name": "cpython",
            "implementation_version": f"{version}.0",
            "os_name": "posix",
            "platform_machine": self.machine,
            "platform_python_implementation": "CPython",
            "platform_release": "",
            "platform_system": "Linux",
            "platform_version": "",
            "python_full_version": f"{version}.0",
            "python_version": version,
            "sys_platform": "linux",
            "extra": extra,
        }

    def wants(self, requirement: Requirement, extras: Iterable[str] = ()) -> bool:
        """Return whether the marker of a requirement holds, with any of the extras."""
        if requirement.marker is None:
            return True
        return any(requirement.marker.evaluate(self.markers(extra)) for extra in ("", *extras))

    def choose(self, files: Iterable[IndexFile]) -> IndexFile | None:
        """Return the file that pip would install of one version; ``None`` if no file fits.

        A source distribution counts only if the version has no wheels at all. If there are wheels
        for other Pythons, the package is compiled, and few machines have everything for its build.
        """
        files = list(files)
        has_wheels = any(file.tags for file in files)
        ranks = _tag_ranks(self)
        last = len(ranks)

        def rank(file: IndexFile) -> int:
            return min((ranks[tag] for tag in file.tags if tag in ranks), default=last)

        fitting = [
            file
            for file in files
            if _runs(self, file.requires_python) and (not has_wheels or rank(file) < last)
        ]
        return min(fitting, key=rank, default=None)


@cache
def _tag_ranks(target: Target) -> dict[Tag, int]:
    """Return the tags of wheels that can be installed; the best has rank 0."""
    legacy = {17: "manylinux2014", 12: "manylinux2010", 5: "manylinux1"}
    platforms = []
    for minor in range(GLIBC_MINOR, 4, -1):
        platforms.append(f"manylinux_2_{minor}_{target.machine}")
        if minor in legacy:
            platforms.append(f"{legacy[minor]}_{target.machine}")
    platforms.append(f"linux_{target.machine}")
    interpreter = f"cp{target.python[0]}{target.python[1]}"
    tags = [
        *cpython_tags(target.python, platforms=platforms),
        *compatible_tags(target.python, interpreter, platforms),
    ]
    return {tag: rank for rank, tag in enumerate(tags)}


@cache
def _runs(target: Target, requires_python: str) -> bool:
    try:
        return SpecifierSet(requires_python).contains(f"{target.python[0]}.{target.python[1]}.0")
    except InvalidSpecifier:  # Only very old releases have one; pip ignores it as well.
        return True


TARGETS = tuple(Target(python) for python in PYTHONS)


class Releases:
    """Hold the files of each package in the index; ask the index once for each package."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._files: dict[str, list[IndexFile]] = {}
        self._builds: dict[str, dict[str, list[IndexFile]]] = {}

    def fetch(self, names: Iterable[str]) -> None:
        """Read the files of several packages at the same time."""
        missing = sorted(set(names) - self._files.keys())
        with ThreadPoolExecutor(NUM_CONNECTIONS) as pool:
            self._files.update(zip(missing, pool.map(self._index.files, missing), strict=True))

    def files(self, name: str) -> list[IndexFile]:
        """Return every file of one package."""
        if name not in self._files:
            self._files[name] = self._index.files(name)
        return self._files[name]

    def versions(self, name: str) -> list[Version]:
        """Return the public versions of a package that are not yanked, the newest first."""
        found = {Version(file.version.public) for file in self.files(name) if not file.yanked}
        return sorted(found, reverse=True)

    def builds(self, name: str, version: Version, target: Target) -> list[IndexFile]:
        """Return the file of each build (``2.13.0``, ``2.13.0+cpu``) for one target."""
        if name not in self._builds:
            by_version = self._builds.setdefault(name, {})
            for file in self.files(name):
                by_version.setdefault(file.version.public, []).append(file)
        builds: dict[Version, list[IndexFile]] = {}
        for file in self._builds[name].get(version.public, []):
            builds.setdefault(file.version, []).append(file)
        chosen = [target.choose(files) for _, files in sorted(builds.items())]
        return [file for file in chosen if file]

    def metadata(self, files: Iterable[IndexFile]) -> dict[IndexFile, FileMetadata]:
        """Read the metadata of several files at the same time."""
        distinct = list(dict.fromkeys(files))
        with ThreadPoolExecutor(NUM_CONNECTIONS) as pool:
            return dict(zip(distinct, pool.map(self._index.metadata, distinct), strict=True))
