"""Body of a ``LOAD`` frame: the program that a process loads, one type for each kind.

Standard library only. ``records.as_dict`` converts a payload to the dictionary that is sent;
``read_payload`` reads it. A missing or unknown key is a fault of the judge and raises a
``TypeError``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypeVar

from .wire import Frame


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePayload:
    """A Python file.

    Attributes:
        names: Names that it must define.
        probe: The problem's code that runs beside it; may be empty.
        source: Its text.
        kind: ``module``, or ``script`` for a file that runs again in every case.
    """

    names: Sequence[str]
    probe: str
    source: str
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelsPayload:
    """A module of CUDA kernels, built for the mode of the process."""

    module: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryPayload:
    """A library that registers operators in a namespace."""

    names: Sequence[str]
    probe: str
    library: bytes
    namespace: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WheelPayload:
    """A package; ``module`` is the name of its extension module."""

    names: Sequence[str]
    probe: str
    wheel: bytes
    module: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OperatorPayload:
    """A Python file that registers operators over a kernel of the problem, the module ``fast``."""

    names: Sequence[str]
    probe: str
    fast: bytes
    source: str
    namespace: str


Payload: TypeAlias = FilePayload | KernelsPayload | LibraryPayload | WheelPayload | OperatorPayload

P = TypeVar("P", FilePayload, KernelsPayload, LibraryPayload, WheelPayload, OperatorPayload)


def read_payload(kind: type[P], frame: Frame) -> P:
    """Read the body of a ``LOAD`` frame.

    Args:
        kind: The payload type that the process serves.
        frame: The first frame of the supervisor.

    Raises:
        TypeError: A key of the body is missing or unknown.
    """
    return kind(**frame.decode())
