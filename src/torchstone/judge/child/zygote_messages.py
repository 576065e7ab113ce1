"""Messages between the host and a zygote, and the settings of a zygote; all of them are JSON.

Standard library only: both sides import this. What a zygote reports is read by the host into the
types of ``pool.zygotes``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypedDict


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """What a zygote must know to fork a job; see ``child.job``.

    Attributes:
        slot: The number of the worker.
        filter: Which system calls it may make.
        serve: What it does with what it receives.
        mode: What it may do that other processes of the job may not, or less.
        runtime: The library that native code runs on.
        writable: Whether it gets a folder to write to.
        disk_mib: The size of the disk that this folder is on.
        cpu_s: Its CPU time.
        memory_mib: Its memory.
        probe: The problem's probe, to be compiled before the fork.
        processes: How many processes it may start at once.
        maps_code: Whether it may map files of its folder as code.
        member: Which system calls each process may make that it starts for the submission; None if
            the submission runs in this process itself.
        events: The events of the interpreter that these processes may raise.
        ruleset: Its Landlock ruleset; empty: by what it bans and may write.
        network: Whether it has a loopback of its own.
        shares_memory: Whether it has shared memory.
        num_tasks: How many threads it may have, where they are counted.
    """

    slot: int
    filter: str
    serve: str
    mode: str
    runtime: str | None
    writable: bool
    disk_mib: int
    cpu_s: float
    memory_mib: int
    probe: str | None
    processes: int = 0
    maps_code: bool = False
    member: str | None = None
    events: Sequence[str] = ()
    ruleset: str = ""
    network: bool = False
    shares_memory: bool = False
    num_tasks: int = 64


class Bans(TypedDict, total=False):
    """What ``bans.impose`` takes; it describes the entries."""

    families: list[str]
    forward_only: list[str]
    functions: list[str]
    modules: list[str]
    closes: bool
    examines: bool
    surface: bool


class ForkOrder(TypedDict):
    """Fork a job; its descriptors come with the message."""

    do: Literal["fork"]
    job: str
    spec: Mapping[str, Any]


class TemplateOrder(TypedDict):
    """Fork a zygote in which bans hold; None for native code."""

    do: Literal["template"]
    bans: Bans | None


class KillOrder(TypedDict):
    """End a job."""

    do: Literal["kill"]
    job: str


ZygoteOrder: TypeAlias = ForkOrder | TemplateOrder | KillOrder


class ReadyNews(TypedDict):
    """Jobs can be forked."""

    did: Literal["ready"]
    pid: int


class ForkedNews(TypedDict):
    """A job is forked; a descriptor of its process may come with the message."""

    did: Literal["forked"]
    job: str


class FailedNews(TypedDict):
    """A job could not be forked."""

    did: Literal["failed"]
    job: str
    why: str


class EndedNews(TypedDict):
    """A job ended: its status (negative: a signal), and what the kernel counted."""

    did: Literal["ended"]
    job: str
    status: int
    cpu_s: float
    max_rss_kib: int
    held_kib: int


class BrokenNews(TypedDict):
    """A template cannot be made."""

    did: Literal["broken"]
    why: str


News: TypeAlias = ReadyNews | ForkedNews | FailedNews | EndedNews | BrokenNews


@dataclass(frozen=True, slots=True, kw_only=True)
class ZygoteSettings:
    """The settings of one zygote, as ``sandbox.command.Launch`` describes them."""

    level: str
    role: str
    server: str
    control_fd: int
    import_path: Sequence[str]
    filter_fds: Mapping[str, int]
    read_only: Sequence[str]
    read_write: Sequence[str]
    hide: Sequence[str]
    hide_always: Sequence[str]
    leave: Sequence[str]
    namespaces: bool
    uid_base: int | None
    box: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What a zygote prepares once for all its jobs.

    Attributes:
        address_space_bytes: What it takes of the address space.
        data_bytes: Its data, and what jobs load later.
        held_kib: Private memory that each fork begins with.
        filters: Kind -> seccomp program.
        rulesets: Name -> descriptor of a Landlock ruleset.
    """

    address_space_bytes: int
    data_bytes: int
    held_kib: int
    filters: Mapping[str, Any]
    rulesets: Mapping[str, int]
