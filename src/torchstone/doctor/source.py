"""Origin of a run: files, format and device."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torchstone.doctor.read.chrome import Head


@dataclass(frozen=True, slots=True, kw_only=True)
class Device:
    """Device properties recorded in a file.

    Attributes:
        name: Name; empty if unknown.
        capability: Compute capability, or 0 if unknown.
        memory: Memory in bytes, or 0 if unknown.
        host: Host name; empty if unknown.
    """

    name: str = ""
    capability: float = 0.0
    memory: int = 0
    host: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """Counters measured outside of a program during its run; a trace lacks them.

    Attributes:
        cores: Number of available cores.
        threads: Number of compute threads per process.
        processes: Number of processes, including loader workers.
        switches: Context switches per step, voluntary or not.
        reference: Context switches per step with one thread per core; 0 if not measured.
    """

    cores: int
    threads: int
    processes: int
    switches: float
    reference: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Origin of a run.

    Attributes:
        files: The paths.
        format: ``pytorch`` or ``nsys``.
        schema: Version of the format, as declared or detected.
        device: The device.
        ranks: Number of ranks.
    """

    files: list[str]
    format: str
    schema: str
    device: Device
    ranks: int


def device_of(head: Head) -> Device:
    """Return the first device of a trace."""
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
