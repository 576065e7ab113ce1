"""Types of the settings of a compiler process, of the orders to it and of its replies.

The settings are JSON in its command line. Orders and replies are plain dictionaries at run time and
travel over ``child.wire``. The compiler process has no msgspec; the host reads the replies into the
types of ``judge.replies``.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias, TypedDict

from torchstone.judge.build.refusals import RefusedReply


@dataclass(frozen=True, slots=True, kw_only=True)
class VisiblePaths:
    """The paths that Landlock leaves visible, by what is allowed there."""

    executable: Sequence[str]
    read_only: Sequence[str]
    read_write: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class CompilerSettings:
    """The settings of one compiler process; ``build.compiler_sandbox`` determines them.

    Attributes:
        fds: The socket, the report pipe and the output.
        folder: The folder for all files of the build.
        site: The folder of installed packages; None means the one of torch.
        has_hooks: Whether the process that calls the hooks of a package starts at once.
        import_path: Where the process finds this package.
        address_space_bytes: The limit for each process.
        filter_fd: The descriptor of the seccomp program; None without a filter.
        landlock: What is visible; None where Landlock is not used.
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
    """Read the settings from the command line.

    Raises:
        TypeError: An entry is missing or unknown.
    """
    raw = json.loads(text)
    landlock = raw["landlock"]
    seen = None if landlock is None else VisiblePaths(**landlock)
    return CompilerSettings(**{**raw, "landlock": seen})


class PrepareOrder(TypedDict):
    """Compile the launcher of a problem; ``contract`` declares what a submission defines."""

    launcher: str
    contract: str


class CudaOrder(TypedDict):
    """Build a submission in CUDA C++.

    ``launcher`` holds the objects that ``PrepareOrder`` returns, ``calls`` the functions
    ``cuda...`` that the submission may call, ``entries`` the names that it must define.
    """

    source: str
    contract: str
    launcher: dict[str, bytes]
    calls: list[str]
    entries: list[str]
    ask_nvcc: bool


class TorchOrder(TypedDict):
    """Build an extension or a package; ``torch`` is the folder of torch."""

    source: str
    torch: str


class ExplainOrder(TypedDict):
    """Find the lines of what runs of one build reported."""

    source: str
    build: str
    findings: list[str]
    counters: list[str]


class NvccOrder(TypedDict):
    """Ask for the report of NVIDIA's compiler."""


class BuiltReply(TypedDict):
    """The products by name."""

    built: dict[str, bytes]


class FaultReply(TypedDict):
    """Why the machine cannot build."""

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
    """The barrier that a race lacks; ``hazard.MissingBarrier`` describes the entries."""

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
    """Findings and counters with lines; an entry is missing where there is nothing."""

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
    """The report of NVIDIA's compiler, where it is present."""

    nvcc: CardTable | None


BuildReply: TypeAlias = BuiltReply | FaultReply | RefusedReply
Reply: TypeAlias = BuildReply | ExplainedReply | CardReply | dict[str, bytes]
