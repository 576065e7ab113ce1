"""JSON messages between the host and a zygote, and the settings of a zygote.

Standard library only, because both sides import this. The host reads a zygote's reports into the
types of ``pool.zygotes``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypedDict


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSpec:
    """Parameters of a job for the zygote that forks it; see ``child.zygote.job``.

    Attributes:
        slot: The number of the worker.
        filter: Name of its seccomp filter.
        serve: The kind of program that it serves.
        mode: How its rights differ from those of other processes of the job.
        runtime: The library that native code runs on.
        writable: Whether it gets a folder to write to.
        disk_mib: Size of the disk of this folder in MiB.
        cpu_s: CPU time limit in seconds.
        memory_mib: Memory limit in MiB.
        probe: The problem's probe, compiled before the fork.
        processes: Maximum number of processes that it may run at once.
        maps_code: Whether it may map files of its folder as code.
        member: Name of the seccomp filter of each process that it starts for the submission; None
            if the submission runs in this process itself.
        events: Interpreter events that these processes may raise.
        ruleset: Name of its Landlock ruleset; empty to derive it from the bans and ``writable``.
        network: Whether it has its own loopback.
        shares_memory: Whether it has shared memory.
        num_tasks: Maximum number of threads, where they are counted.
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
    """Arguments of ``bans.bans.impose``."""

    families: list[str]
    forward_only: list[str]
    functions: list[str]
    modules: list[str]
    closes: bool
    examines: bool
    surface: bool


class ForkOrder(TypedDict):
    """Order to fork a job; its descriptors come with the message."""

    do: Literal["fork"]
    job: str
    spec: Mapping[str, Any]


class TemplateOrder(TypedDict):
    """Order to fork a template, with its bans; None for native code."""

    do: Literal["template"]
    bans: Bans | None


class KillOrder(TypedDict):
    """Order to end a job."""

    do: Literal["kill"]
    job: str


ZygoteOrder: TypeAlias = ForkOrder | TemplateOrder | KillOrder


class ReadyNews(TypedDict):
    """Report that jobs can be forked."""

    did: Literal["ready"]
    pid: int


class ForkedNews(TypedDict):
    """Report that a job was forked; a pidfd of its process may come with the message."""

    did: Literal["forked"]
    job: str


class FailedNews(TypedDict):
    """Report that a job could not be forked."""

    did: Literal["failed"]
    job: str
    why: str


class EndedNews(TypedDict):
    """Report that a job ended: its status (negative: a signal), and its resource usage."""

    did: Literal["ended"]
    job: str
    status: int
    cpu_s: float
    max_rss_kib: int
    held_kib: int


class BrokenNews(TypedDict):
    """Report that a template could not be created."""

    did: Literal["broken"]
    why: str


News: TypeAlias = ReadyNews | ForkedNews | FailedNews | EndedNews | BrokenNews


@dataclass(frozen=True, slots=True, kw_only=True)
class ZygoteSettings:
    """Settings of one zygote, as ``sandbox.command.Launch`` describes them."""

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
    """State that a zygote prepares once for all its jobs.

    Attributes:
        address_space_bytes: Size of its address space.
        data_bytes: Size of its data, and of what jobs load later.
        held_kib: Private memory with which each fork begins.
        filters: Kind -> seccomp program.
        rulesets: Name -> file descriptor of a Landlock ruleset.
    """

    address_space_bytes: int
    data_bytes: int
    held_kib: int
    filters: Mapping[str, Any]
    rulesets: Mapping[str, int]
