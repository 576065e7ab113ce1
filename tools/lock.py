"""Resolve the dependencies for every Python and both builds of torch, and print the lock.

``make lock`` runs this and writes ``requirements.lock``. The resolver reads metadata only; it
installs nothing and downloads no wheel. It looks for one version of each package for all targets.
If there is none, each Python gets its own version, with an environment marker.

Usage: ``python -m tools.lock [--keep]``; ``--keep`` keeps the pins of the current lock that hold.
"""

import math
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from pip._vendor import resolvelib

from tools.pending import read_lock
from tools.targets import TARGETS, Releases, Target
from tools.wheel_index import Index, IndexFile, IndexUnreachableError

ROOT = Path(__file__).resolve().parent.parent
MIB = 1024 * 1024
MAX_ROUNDS = 10_000
HEADER = """\
# Exact versions of everything that `make setup` installs; written by `make lock`, verified by
# tools/lock_check.py for CPython 3.11 to 3.14 and for both builds of torch: PyPI's with CUDA, +cpu.
# CUDA packages are constraints like the others: beside the CPU build nothing installs them.
# Sizes: to download/on disk, from 1 MiB on disk. No hashes: the right wheel differs by machine.
"""


@dataclass(frozen=True, slots=True)
class Need:
    """Hold a requirement and its targets."""

    requirement: Requirement
    targets: frozenset[Target]

    @property
    def key(self) -> tuple[str, frozenset[str]]:
        """Return the package, and the extras of it."""
        return canonicalize_name(self.requirement.name), frozenset(self.requirement.extras)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Hold one version of a package for some targets."""

    name: str
    extras: frozenset[str]
    version: Version
    targets: frozenset[Target]


def roots(pyproject: Path) -> list[Requirement]:
    """Return the requirements of ``make setup``."""
    table = tomllib.loads(pyproject.read_text("utf-8"))
    project = table["project"]
    required = [
        *table["build-system"]["requires"],
        *project["dependencies"],
        *project["optional-dependencies"]["dev"],
    ]
    return [Requirement(line) for line in required]


class Provider(resolvelib.AbstractProvider):
    """Answer the questions of pip's resolver about packages, for all targets together."""

    def __init__(self, releases: Releases, keep: Mapping[str, Version]) -> None:
        self._releases = releases
        self._keep = keep

    def identify(self, requirement_or_candidate: Need | Candidate) -> tuple[str, frozenset[str]]:
        """Return the package, and the extras of it."""
        if isinstance(requirement_or_candidate, Need):
            return requirement_or_candidate.key
        return requirement_or_candidate.name, requirement_or_candidate.extras

    def get_preference(self, identifier: Any, resolutions: Any, **_: Any) -> tuple[bool, str]:
        """Return the sort key of a package: torch first, then by name."""
        return identifier[0] != "torch", f"{identifier[0]} {sorted(identifier[1])}"

    def find_matches(
        self,
        identifier: tuple[str, frozenset[str]],
        requirements: Mapping[Any, Iterator[Need]],
        incompatibilities: Mapping[Any, Iterator[Candidate]],
    ) -> Callable[[], Iterator[Candidate]]:
        """Return a function that lists the versions that satisfy every requirement, best first."""
        needs = list(requirements[identifier])
        targets = frozenset().union(*(need.targets for need in needs))
        refused = {candidate.version for candidate in incompatibilities[identifier]}
        name, extras = identifier
        versions = sorted(
            self._releases.versions(name),
            key=lambda version: (
                version == self._keep.get(name),
                not version.is_prerelease,
                version,
            ),
            reverse=True,
        )
        # A function that makes an iterator, because most versions are never examined.
        return lambda: (
            Candidate(name, extras, version, targets)
            for version in versions
            if version not in refused
            and all(need.requirement.specifier.contains(version) for need in needs)
            and all(self._releases.builds(name, version, target) for target in targets)
        )

    def is_satisfied_by(self, requirement: Need, candidate: Candidate) -> bool:
        """Return whether a version satisfies a requirement on all targets of the requirement."""
        return (
            requirement.requirement.specifier.contains(candidate.version)
            and requirement.targets <= candidate.targets
        )

    def get_dependencies(self, candidate: Candidate) -> list[Need]:
        """Return the requirements of all builds of a version, with their targets."""
        own = Requirement(f"{candidate.name}=={candidate.version}")
        found = {str(own): Need(own, candidate.targets)} if candidate.extras else {}
        for target, requirement in self._requirements(candidate):
            held = found.get(str(requirement))
            targets = frozenset({target}) | (held.targets if held else frozenset())
            found[str(requirement)] = Need(requirement, targets)
        return list(found.values())

    def _requirements(self, candidate: Candidate) -> Iterator[tuple[Target, Requirement]]:
        chosen = [
            (target, file)
            for target in sorted(candidate.targets, key=str)
            for file in self._releases.builds(candidate.name, candidate.version, target)
        ]
        metadata = self._releases.metadata(file for _, file in chosen)
        for target, file in chosen:
            for requirement in metadata[file].requires:
                if target.wants(requirement, candidate.extras):
                    bare = Requirement(str(requirement))
                    bare.marker = None
                    yield target, bare


def resolve(
    required: Iterable[Requirement],
    releases: Releases,
    *,
    keep: Mapping[str, Version],
    targets: Sequence[Target] = TARGETS,
) -> dict[str, Candidate]:
    """Return one version of each package, with the targets that need it."""
    needs = []
    for requirement in required:
        holds = frozenset(target for target in targets if target.wants(requirement))
        if holds:
            needs.append(Need(requirement, holds))
    resolver: Any = resolvelib.Resolver(Provider(releases, keep), resolvelib.BaseReporter())
    mapping = resolver.resolve(needs, max_rounds=MAX_ROUNDS).mapping
    return {
        name: mapping[name, extras]
        for name, extras in sorted(mapping, key=lambda key: key[0])
        if not extras
    }


def sizes(pin: Candidate, releases: Releases) -> Iterator[tuple[IndexFile, int, int]]:
    """Yield the file of each build of a pin, with its MiB as a wheel and on disk."""
    builds: dict[Version, IndexFile] = {}
    for target in sorted(pin.targets, key=str):
        for file in releases.builds(pin.name, pin.version, target):
            builds.setdefault(file.version, file)
    for file, metadata in releases.metadata(builds.values()).items():
        yield file, math.ceil(metadata.download_bytes / MIB), metadata.disk_bytes // MIB


def write_pin(pin: Candidate, releases: Releases, marker: str = "") -> str:
    """Return one line of the lock, such as ``numpy==2.4.6  # 16/54 MiB``."""
    notes = [
        f"{'+' + file.version.local + ' ' if file.version.local else ''}{wheel}/{disk} MiB"
        for file, wheel, disk in sizes(pin, releases)
        if disk
    ]
    line = f"{pin.name}=={pin.version}" + (f"; {marker}" if marker else "")
    return line + (f"  # {', '.join(notes)}" if notes else "")


def write_lock(
    required: Sequence[Requirement],
    releases: Releases,
    keep: Mapping[str, Version],
    targets: Sequence[Target] = TARGETS,
) -> str:
    """Return the lock: one version of each package, or one for each Python if none fits all.

    Raises:
        resolvelib.ResolutionImpossible: A target has no solution.
    """
    try:
        together = resolve(required, releases, keep=keep, targets=targets)
        return HEADER + "".join(f"{write_pin(pin, releases)}\n" for pin in together.values())
    except resolvelib.ResolutionImpossible:
        if len(targets) == 1:
            raise
    pins: dict[tuple[str, Version], list[Candidate]] = {}
    for target in targets:
        alone = resolve(required, releases, keep=keep, targets=(target,))
        for name, pin in alone.items():
            pins.setdefault((name, pin.version), []).append(pin)
    lines = []
    for name, version in sorted(pins):
        same = pins[name, version]
        pythons = [target.python for pin in same for target in pin.targets]
        differs = any(other[0] == name and other[1] != version for other in pins)
        lines.append(write_pin(same[0], releases, _marker(pythons) if differs else ""))
    return HEADER + "".join(f"{line}\n" for line in lines)


def _marker(pythons: Iterable[tuple[int, int]]) -> str:
    return " or ".join(f'python_version == "{major}.{minor}"' for major, minor in pythons)


def main(args: Sequence[str]) -> int:
    """Print the lock."""
    releases = Releases(Index.configured())
    keep = {}
    if "--keep" in args:
        present = read_lock((ROOT / "requirements.lock").read_text("utf-8"))
        keep = {pin.name: Version(pin.version) for pin in present}
    try:
        releases.fetch(keep)
        print(write_lock(roots(ROOT / "pyproject.toml"), releases, keep), end="")
    except IndexUnreachableError as error:
        print(f"The lock cannot be written: {error}", file=sys.stderr)
        return 1
    except resolvelib.ResolutionImpossible as error:
        for cause in error.causes:
            print(f"{cause.parent or 'pyproject.toml'} needs {cause.requirement}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
