"""Where a run comes from: the files, their format, and the card."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchstone.doctor.read.chrome import Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Hold what a file says about a card.

    Attributes:
        name: Its name; empty where there is none.
        capability: Its compute capability, or 0 where it is not known.
        memory: Its bytes, or 0 where they are not known.
        host: The name of the machine; empty where it is not known.
    """

    name: str = ""
    capability: float = 0.0
    memory: int = 0
    host: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Hold what was counted outside of a program while it ran; a trace does not say it.

    Attributes:
        cores: The cores that it may use.
        threads: The threads of one process that compute.
        processes: Its processes, with the workers of its loaders.
        switches: How often they gave up a core in each step, of their own accord or not.
        reference: How often they do so with one thread a core; 0 where it was not measured.
    """

    cores: int
    threads: int
    processes: int
    switches: float
    reference: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Hold what was read.

    Attributes:
        files: The paths.
        format: ``pytorch`` or ``nsys``.
        schema: The version of it that the file names, or what it looks like.
        device: The card.
        ranks: How many ranks are there.
    """

    files: list[str]
    format: str
    schema: str
    device: Device
    ranks: int


def device_of(head: Head) -> Device:
    """Return the first card of a trace."""
    host = head.host_name if isinstance(head.host_name, str) else ""
    for found in head.deviceProperties:
        if found.get("name"):
            return Device(
                name=str(found["name"]),
                capability=_capability(found),
                memory=_memory(found),
                host=host,
            )
    return Device(host=host)


def _capability(found: dict[str, Any]) -> float:
    major, minor = found.get("computeMajor", 0), found.get("computeMinor", 0)
    return major + minor / 10 if isinstance(major, int) and isinstance(minor, int) else 0.0


def _memory(found: dict[str, Any]) -> int:
    size = found.get("totalGlobalMem", 0)
    return size if isinstance(size, int) else 0
