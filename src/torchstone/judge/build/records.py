"""Types of a compiler process's settings, orders and replies.

The settings are JSON in its command line. Orders and replies are plain dictionaries at run time and
are sent over ``child.protocol.wire``. The compiler process has no msgspec; the host reads the
replies into the types of ``judge.replies``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypedDict

from torchstone.judge.build.refusals import RefusedReply


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePaths:
    """The paths that Landlock permits, by kind of access."""

    executable: Sequence[str]
    read_only: Sequence[str]
    read_write: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerSettings:
    """Settings of one compiler process; ``build.compiler_sandbox`` determines them.

    Attributes:
        fds: The socket, the report pipe and the output.
        folder: The folder for all files of the build.
        site: The folder of installed packages; None means torch's.
        has_hooks: Whether the process that calls the hooks of a package starts at once.
        import_path: The folder from which the process imports this package.
        address_space_bytes: The limit for each process.
        filter_fd: The descriptor of the seccomp program; None without a filter.
        landlock: The permitted paths; None if Landlock is not used.
    """

    fds: Sequence[int]
    folder: str
    site: str | None
    has_hooks: bool
    import_path: str
    address_space_bytes: int
    filter_fd: int | None
    landlock: VisiblePaths | None


def read_settings(text: str) -> CompilerSettings:
    """Parse the settings from the command line.

    Raises:
        TypeError: An entry is missing or unknown.
    """
    raw = json.loads(text)
    landlock = raw["landlock"]
    seen = None if landlock is None else VisiblePaths(**landlock)
    return CompilerSettings(**{**raw, "landlock": seen})


class PrepareOrder(TypedDict):
    """Order to compile a problem's launcher; ``contract`` declares what a submission defines."""

    launcher: str
    contract: str


class CudaOrder(TypedDict):
    """Order to build a submission in CUDA C++.

    ``launcher`` has the objects that ``PrepareOrder`` returns, ``calls`` the functions ``cuda...``
    that the submission may call, ``entries`` the names that it must define.
    """

    source: str
    contract: str
    launcher: dict[str, bytes]
    calls: list[str]
    entries: list[str]
    ask_nvcc: bool


class TorchOrder(TypedDict):
    """Order to build an extension or a package; ``torch`` is the folder of torch."""

    source: str
    torch: str


class ExplainOrder(TypedDict):
    """Order to find the source lines of the reports of one build's runs."""

    source: str
    build: str
    findings: list[str]
    counters: list[str]


class NvccOrder(TypedDict):
    """Order to return the report of NVIDIA's compiler."""


class BuiltReply(TypedDict):
    """The products of a build, by name."""

    built: dict[str, bytes]


class FaultReply(TypedDict):
    """Reason why the machine cannot build."""

    fault: str


class LineTable(TypedDict):
    """The counts of one line; ``messages.CountedLine`` describes them."""

    line: int
    text: str
    requests: int
    lanes: float | None
    sectors: float | None
    useful: float | None
    conflicts: int | None
    ways: float | None
    contention: float | None
    flops: int | None


class KernelTable(TypedDict):
    """The counts of one kernel; ``messages.CountedKernel`` describes them."""

    kernel: str
    grid: list[int]
    block: list[int]
    barriers: int
    cycles: float
    cost_model: int
    lines: list[LineTable]


class HazardPartyTable(TypedDict):
    """One thread of a finding; ``hazard.HazardParty`` describes the entries."""

    line: int | None
    text: str
    block: list[int]
    thread: list[int]
    warp: int
    lane: int
    is_write: bool


class MissingTable(TypedDict):
    """The missing barrier of a race; ``hazard.MissingBarrier`` describes the entries."""

    line: int
    call: str


class HazardTable(TypedDict):
    """The figure of a finding; ``hazard.Hazard`` describes the entries."""

    figure: str
    finding: int
    kind: str
    space: str
    kernel: str
    array: str
    index: list[int]
    shape: list[int]
    offset: int
    allocation_bytes: int
    access_bytes: int
    count: int
    hint: dict[str, str]
    size: list[int]
    at: HazardPartyTable
    other: HazardPartyTable | None
    barrier: int | None
    missing: MissingTable | None
    arrived: list[int]
    left: int | None


class ExplainedReply(TypedDict, total=False):
    """Findings and counters with source lines; empty ones are left out."""

    hazards: list[HazardTable]
    found: Sequence[Mapping[str, object]]
    drawn: dict[str, str]
    counters: list[KernelTable]
    profile: dict[str, str]


class CardErrorTable(TypedDict):
    """The first error of NVIDIA's compiler."""

    line: int
    word: str


class CardTable(TypedDict):
    """The report of NVIDIA's compiler."""

    arch: str
    kernels: Sequence[Mapping[str, object]]
    error: CardErrorTable | None


class CardReply(TypedDict):
    """The report of NVIDIA's compiler; None if it is not installed."""

    nvcc: CardTable | None


BuildReply: TypeAlias = BuiltReply | FaultReply | RefusedReply
Reply: TypeAlias = BuildReply | ExplainedReply | CardReply | dict[str, bytes]
