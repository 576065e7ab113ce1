"""Judging of each kind of submission: one table row per kind.

Kinds that are judged alike share a row. The row names the strategy of ``child.zygote.job`` for a
process, and contains all other differences between kinds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from torchstone.bank.schema import Kind, Starter
from torchstone.judge.sandbox.filters import Filter

# Interpreter events that a process may raise; see `child.bans.bans.PROCESS_EVENTS`.
_STARTS_OTHERS = ("os.fork", "os.posix_spawn", "subprocess", "socket")


class Needs(StrEnum):
    """Inputs of a build besides the system headers."""

    NOTHING = "nothing"
    TORCH = "torch"
    SETUPTOOLS = "setuptools"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Properties of a kind of submission in the judge.

    Attributes:
        server: The strategy of ``child.zygote.job`` for its process.
        filter: The seccomp filter of this process.
        writes: Whether it gets a folder to write to.
        maps_code: Whether it may map files of this folder as code.
        runs_in_each_case: Whether the file runs in each case, instead of once before all of them.
        member: The seccomp filter of each process that this one starts for the submission; None if
            the submission runs in this process itself.
        events: The interpreter events that these processes may raise.
        ruleset: The Landlock ruleset of ``child.zygote.zygote``; empty to derive it from bans and
            ``writes``.
        network: Whether it has its own loopback.
        shares_memory: Whether it has shared memory.
        num_tasks: Maximum number of threads, where they are counted.
        starts_processes: Whether the submission may start processes itself.
        is_metered: Whether the host counts the bytes that its processes send each other.
        restarts: Whether a case starts the program several times, which takes long.
        lacks: The error code for a machine without namespaces.
        build_reads: What its build reads.
        build_bytes: The address space limit of each process of its build.
        budget_ms: Maximum CPU time of the model solution over all cases. Above it the cases are too
            slow to be judged on every save.
    """

    server: str
    filter: Filter
    writes: bool = False
    maps_code: bool = False
    runs_in_each_case: bool = False
    member: Filter | None = None
    events: tuple[str, ...] = ()
    ruleset: str = ""
    network: bool = False
    shares_memory: bool = False
    num_tasks: int = 64
    starts_processes: bool = False
    is_metered: bool = False
    restarts: bool = False
    lacks: str = ""
    build_reads: Needs = Needs.NOTHING
    build_bytes: int = 1 << 30
    budget_ms: float = 800.0

    @property
    def is_led(self) -> bool:
        """Return whether a leader of the judge starts the submission's processes."""
        return self.member is not None


PLAIN = Row(server="source", filter=Filter.PYTHON)
SCRIPT = Row(
    server="source",
    filter=Filter.SCRIPT,
    writes=True,
    runs_in_each_case=True,
    budget_ms=8000.0,
)
# A script with a probe is killed and started again, as one process or as several ranks.
RUNS = Row(
    server="runs",
    filter=Filter.SERIES,
    writes=True,
    member=Filter.SCRIPT,
    restarts=True,
    lacks="judge.no_disk",
    # Each case starts up to a dozen processes.
    budget_ms=8000.0,
)
LAUNCHES = Row(
    server="launches",
    filter=Filter.LAUNCHER,
    writes=True,
    runs_in_each_case=True,
    member=Filter.LAUNCHED,
    events=("os.fork", "socket"),
    ruleset="launches",
    network=True,
    shares_memory=True,
    starts_processes=True,
    restarts=True,
    lacks="judge.no_network",
    budget_ms=8000.0,
)
RANKS = Row(
    server="ranks",
    filter=Filter.DISTRIBUTED,
    member=Filter.RANK,
    events=_STARTS_OTHERS,
    ruleset="ranks",
    network=True,
    # Each of up to four ranks has gloo threads for several process groups.
    num_tasks=256,
    is_metered=True,
    lacks="judge.no_network",
    # Each case forks up to four ranks, which form a process group.
    budget_ms=4000.0,
)
WORKERS = Row(
    server="workers",
    filter=Filter.LOADER,
    writes=True,
    member=Filter.WORKER,
    events=_STARTS_OTHERS,
    ruleset="workers",
    shares_memory=True,
    starts_processes=True,
    lacks="judge.no_processes",
    # Each case forks a program, which forks its workers.
    budget_ms=4000.0,
)
KERNELS = Row(
    server="kernels",
    filter=Filter.NATIVE,
    writes=True,
    maps_code=True,
    # The simulator is slower than torch.
    budget_ms=1000.0,
)
EXTENSION = Row(
    server="extension",
    filter=Filter.NATIVE,
    writes=True,
    maps_code=True,
    build_reads=Needs.TORCH,
    budget_ms=1500.0,
)
PACKAGE = Row(
    server="package",
    filter=Filter.NATIVE,
    writes=True,
    maps_code=True,
    build_reads=Needs.SETUPTOOLS,
    # It may import torch, which maps many libraries.
    build_bytes=8 << 30,
    budget_ms=4000.0,
)
OPERATOR = Row(
    server="operator",
    filter=Filter.NATIVE,
    writes=True,
    maps_code=True,
    # `opcheck` and `torch.compile` alone take half a second.
    budget_ms=2000.0,
)

KINDS: Mapping[Kind, Row] = {
    Kind.FUNCTION: PLAIN,
    Kind.MODULE: PLAIN,
    Kind.AUTOGRAD_FUNCTION: PLAIN,
    Kind.CLASS: PLAIN,
    Kind.OPTIMIZER: PLAIN,
    Kind.SCHEDULER: PLAIN,
    Kind.SCRIPT: SCRIPT,
    Kind.DISTRIBUTED: RANKS,
    Kind.LOADER: WORKERS,
    Kind.CUDA: KERNELS,
    Kind.CPP: EXTENSION,
    Kind.PACKAGE: PACKAGE,
    Kind.OPERATOR: OPERATOR,
}
_STARTED_BY = {Starter.PYTHON: RUNS, Starter.TORCHRUN: LAUNCHES}


def row_of(kind: Kind, *, has_probe: bool, started_by: Starter) -> Row:
    """Return the row of a problem.

    Args:
        kind: The kind of its submissions.
        has_probe: Whether it has a probe; a script with one is started again in each case.
        started_by: What starts a script.
    """
    return _STARTED_BY[started_by] if kind is Kind.SCRIPT and has_probe else KINDS[kind]
