"""Verify requirements.lock from the metadata of wheels, without installing or downloading them.

For CPython 3.11 to 3.14 and each build of torch in the index, every locked version must have a file
that fits, and the lock must satisfy every requirement of that file. Without the index the program
prints one line instead of the check; with ``CI=true`` it fails.

Usage: ``python -m tools.lock_check [LOCK]``
"""

import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tools.lock import ROOT, roots
from tools.pending import Pin, read_lock
from tools.targets import TARGETS, Releases, Target
from tools.wheel_index import Index, IndexUnreachableError


def pins_for(pins: Sequence[Pin], target: Target) -> dict[str, Version]:
    """Return the locked versions that hold on one target."""
    held = {}
    for pin in pins:
        line = Requirement(f"{pin.name}=={pin.version}" + (f"; {pin.marker}" * bool(pin.marker)))
        if target.wants(line):
            held[pin.name] = Version(pin.version)
    return held


def check_target(
    locked: dict[str, Version],
    required: Sequence[Requirement],
    releases: Releases,
    target: Target,
    reached: set[str],
) -> Iterator[str]:
    """Yield the faults of the lock on one target; add the required packages to ``reached``."""
    files = {name: releases.builds(name, version, target) for name, version in locked.items()}
    for name in [name for name in files if not files[name]]:
        yield f"{name} {locked[name]}: the index has no wheel that fits, and no sources"
    metadata = releases.metadata(file for chosen in files.values() for file in chosen)
    waiting = [("pyproject.toml", requirement) for requirement in required]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        parent, requirement = waiting.pop()
        name, extras = canonicalize_name(requirement.name), frozenset(requirement.extras)
        if name not in locked:
            yield f"{name} is not locked; {parent} requires {requirement}"
            continue
        if not requirement.specifier.contains(locked[name], prereleases=True):
            yield f"{name} {locked[name]} is locked; {parent} requires {requirement}"
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        for file in files[name]:
            waiting += [
                (f"{name} {file.version}", needed)
                for needed in metadata[file].requires
                if target.wants(needed, extras)
            ]
    reached |= {name for name, _ in seen}


def check_lock(
    pins: Sequence[Pin],
    required: Sequence[Requirement],
    releases: Releases,
    targets: Sequence[Target] = TARGETS,
) -> list[str]:
    """Return the faults of a lock, each of them once, with the Python versions that have it."""
    releases.fetch(pin.name for pin in pins)
    faults: dict[str, list[str]] = {}
    reached: set[str] = set()
    for target in targets:
        held = [requirement for requirement in required if target.wants(requirement)]
        found = check_target(pins_for(pins, target), held, releases, target, reached)
        for fault in dict.fromkeys(found):
            faults.setdefault(fault, []).append(str(target))
    stale = [pin for pin in pins if pin.name not in reached]
    return [
        *(f"{fault} ({', '.join(met)})" for fault, met in sorted(faults.items())),
        *(f"{pin.name} {pin.version} is locked and nothing requires it" for pin in stale),
    ]


def main(args: Sequence[str]) -> int:
    """Print every fault of the lock; without faults, print a summary."""
    path = Path(args[0]) if args else ROOT / "requirements.lock"
    pins = read_lock(path.read_text("utf-8"))
    started = time.monotonic()
    releases = Releases(Index.configured())
    try:
        faults = check_lock(pins, roots(ROOT / "pyproject.toml"), releases)
    except IndexUnreachableError as error:
        print(f"{path.name} is not checked: {error}")
        return int(os.environ.get("CI") == "true")
    print("\n".join(faults) or _describe(path, pins, releases, time.monotonic() - started))
    return int(bool(faults))


def _describe(path: Path, pins: Sequence[Pin], releases: Releases, seconds: float) -> str:
    torch = next((Version(pin.version) for pin in pins if pin.name == "torch"), None)
    builds = sorted(
        {
            str(file.version)
            for target in TARGETS
            for file in releases.builds("torch", torch, target)
        }
        if torch
        else ()
    )
    return (
        f"{path.name} holds: {len(pins)} packages on {TARGETS[0]} to {TARGETS[-1]}, "
        f"torch {' and '.join(builds)} ({seconds:.1f} s)"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
