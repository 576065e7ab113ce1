"""One process of a submission that a leader forks: load the submission, answer one request.

The process is a rank of a distributed submission, which first joins the process group, or a program
that starts its own workers.

Every collective is reported before it is made, so the report exists even if the rank never returns
from it or later changes its own memory. The kernel's loopback counters prove the traffic; these
reports name the calls.
"""

from __future__ import annotations

import builtins
import functools
import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from multiprocessing.reduction import ForkingPickler
from typing import Any, NoReturn, Protocol

import torch
import torch.distributed as dist

from .. import driver
from ..confinement.confine import LOOPBACK
from ..loaders import submission
from ..protocol import stream, wire
from ..protocol.frames import FromRank, FromRun
from ..protocol.records import Answer, Arguments
from . import shared_values

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

# Exit status of a process that failed before it read the submission.
NOT_READY_STATUS = 70

# Methods of torch's process groups -> names of the functions of `torch.distributed`.
_CALLS = {
    "allreduce": "all_reduce",
    "allreduce_coalesced": "all_reduce",
    "allgather": "all_gather",
    "_allgather_base": "all_gather_single",
    "all_gather_single": "all_gather_single",
    "all_gather_single_coalesced": "all_gather_single",
    "allgather_coalesced": "all_gather",
    "allgather_into_tensor_coalesced": "all_gather_single",
    "alltoall": "all_to_all",
    "alltoall_base": "all_to_all_single",
    "all_to_all_single": "all_to_all_single",
    "barrier": "barrier",
    "broadcast": "broadcast",
    "gather": "gather",
    "monitored_barrier": "monitored_barrier",
    "recv": "recv",
    "recv_anysource": "recv",
    "reduce": "reduce",
    "reduce_scatter": "reduce_scatter",
    "_reduce_scatter_base": "reduce_scatter_single",
    "reduce_scatter_single": "reduce_scatter_single",
    "reduce_scatter_single_coalesced": "reduce_scatter_single",
    "reduce_scatter_tensor_coalesced": "reduce_scatter_single",
    "scatter": "scatter",
    "send": "send",
}


@dataclass(frozen=True, slots=True)
class Loader:
    """State of a confined rank: how to load the submission, the probe and the session."""

    load: Callable[[], Any]
    probe: Any
    session: driver.Session


class Enter(Protocol):
    """Callable that confines a newly forked process and returns its loader."""

    def __call__(self, num_at_once: int, /, *, network: bool = True, writes: bool = True) -> Loader:
        """Confine the process as one of ``num_at_once`` that run at the same time."""


@dataclass(frozen=True, slots=True)
class Place:
    """Place of a rank among the others, and how they are joined: by a process group or by pipes.

    A program that starts workers has neither.

    Attributes:
        number: The rank.
        world_size: The number of ranks.
        port: The port of the store on rank 0; None if the ranks form no process group.
        listening_fd: The listening socket of the store.
        pipes: The descriptors of its pipes; None if the ranks are not joined by pipes.
    """

    number: int
    world_size: int
    port: int | None = None
    listening_fd: int = -1
    pipes: tuple[int, ...] | None = None


class Link:
    """Thread-safe sender of frames to the leader."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._lock = threading.Lock()

    def send(self, kind: FromRank | FromRun, value: Any) -> None:
        """Send one frame."""
        with self._lock:
            stream.send(self._sock, wire.pack(kind, value))

    def ask(self, kind: FromRank | FromRun, value: Any) -> bool:
        """Send one frame and wait for its one-byte reply; return whether the reply is positive."""
        with self._lock:
            stream.send(self._sock, wire.pack(kind, value))
            said = self._sock.recv(1)
            if not said:
                raise ConnectionError("the leader has ended")
            return said == b"1"

    def wait(self, name: str) -> bool:
        """Wait for a signal; return whether it came."""
        self.send(FromRank.WAIT, {"name": name})
        return self._sock.recv(1) == b"1"

    def wait_for_end(self) -> None:
        """Keep the connections of this rank open until all ranks have answered."""
        self._sock.recv(1)


@dataclass(frozen=True, slots=True)
class RankTools:
    """Operations that a probe may request of its rank.

    Attributes:
        number: The rank.
        world_size: The number of ranks.
        connections: The pipes: rank 0 has one to each other rank, another rank has one to rank 0.
    """

    number: int
    world_size: int
    _link: Link
    connections: tuple[Connection, ...] = ()
    _numbers: Iterator[int] = field(default_factory=lambda: iter(range(1, sys.maxsize)))

    def signal(self, name: str) -> None:
        """Release the ranks that wait for this signal, now or later."""
        self._link.send(FromRank.SIGNAL, {"name": name})

    def mark(self, name: str) -> None:
        """Mark this point: the answer reports calls and traffic since the previous mark.

        ``NAME.calls`` counts the collectives of this rank, ``NAME.bytes`` the bytes sent by all
        ranks. The rank continues after the counters are read, so that later traffic is not
        included.
        """
        self._link.ask(FromRank.MARK, {"name": name})

    def wait_for(self, name: str) -> bool:
        """Wait for the signal; return False if all ranks are idle, so that it never comes."""
        return self._link.wait(name)

    def count(self, name: str) -> None:
        """Take a census of processes and shared memory now, and name it in the answer."""
        self._link.ask(FromRank.COUNT, {"name": name})

    def note(self, value: Any) -> None:
        """Record a note in the leader, for the probe's ``conclude``."""
        self._link.send(FromRank.NOTE, value)

    def settle(
        self, name: str, *, as_in: str, open_as_in: str | None = None, within_s: float
    ) -> bool:
        """Wait until no count exceeds that of an earlier census, then take a census.

        Args:
            name: The name of the census.
            as_in: The name of the earlier census.
            open_as_in: The name of the census to compare open descriptors with; None for no
                comparison.
            within_s: Maximum seconds to wait.

        Returns:
            Whether the counts were reached in time.
        """
        request = {"name": name, "as_in": as_in, "open_as_in": open_as_in, "within_s": within_s}
        return self._link.ask(FromRank.SETTLE, request)

    def last_words(self, answer: Answer | None, *, within_s: float = 0.0) -> None:
        """Set the answer for a program that is still busy after ``within_s`` seconds; it ends then.

        Meanwhile an idle program does not count as hung. None withdraws the answer.
        """
        self._link.send(FromRank.LAST_WORDS, {"answer": answer, "within_s": within_s})

    def leave_orphans(self, name: str, answer: Answer, *, within_s: float) -> NoReturn:
        """Answer and be killed; count the workers left after at most ``within_s`` seconds."""
        self._link.send(FromRank.ORPHANS, {"name": name, "within_s": within_s})
        self.die(answer)

    def call(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function and report it like a collective, so that a hang names it."""
        event = {"name": name, "number": next(self._numbers)}
        self._link.send(FromRank.CALL, {**event, "bytes": 0, "inside": True})
        result = function(*args)
        self._link.send(FromRank.CALL, {**event, "inside": False})
        return result

    def die(self, answer: Answer) -> NoReturn:
        """Answer, then be killed without closing or sending anything else."""
        self._link.send(FromRank.LAST, answer)
        while True:
            time.sleep(1.0)


def run_load(sock: socket.socket, enter: Enter) -> None:
    """Load the submission only, and report whether it loads; this ends the process."""

    def work() -> None:
        link = Link(sock)
        loader = enter(1)
        link.send(FromRank.READY, {})
        try:
            loader.load()
        except submission.LoadError as error:
            link.send(FromRank.LOADED, {"error": error.record})
        else:
            link.send(FromRank.LOADED, {})

    run_and_end(work)


def run(sock: socket.socket, place: Place, request: Arguments, enter: Enter) -> None:
    """Answer one request as one of several ranks; this ends the process."""

    def work() -> None:
        link = Link(sock)
        loader = enter(place.world_size, network=place.pipes is None)
        driver.rank = RankTools(place.number, place.world_size, link, connect(place))
        if place.port is not None:
            join(place, place.port)
            report_calls(link)
        elif place.pipes is None:
            shared_values.use()
        link.send(FromRank.READY, {})
        answer = answer_with(loader, request)
        try:
            link.send(FromRank.ANSWER, answer)
        except wire.WireError:
            link.send(FromRank.ANSWER, {"fault": driver.Fault("unsendable").record})
        link.wait_for_end()

    run_and_end(work)


def run_and_end(work: Callable[[], None]) -> None:
    """Run the work of this process, then end the process."""
    status = NOT_READY_STATUS
    try:
        work()
        status = 0
    except ConnectionError:
        pass  # the leader has ended, and with it the job
    except BaseException as error:  # noqa: BLE001
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    finally:
        os._exit(status)


def answer_with(loader: Loader, request: Arguments) -> Answer:
    """Load the submission and answer one request."""
    try:
        loaded = loader.load()
    except submission.LoadError as error:
        # It loaded before, in another process; a random failure now is its own error.
        raised = error.record["error"]
        return {"raised": raised} if raised else {"fault": driver.Fault("rank_load").record}
    return driver.answer(loaded, request["op"], request["data"], loader.session, loader.probe)


def connect(place: Place) -> tuple[Connection, ...]:
    """Return the pipes of a rank; empty if the ranks are not joined by pipes."""
    if place.pipes is None:
        return ()
    # torch would send tensors through shared memory, which no rank has; send them by value.
    reducers = ForkingPickler._extra_reducers  # type: ignore[attr-defined]
    for kind, reduce in list(reducers.items()):
        if reduce.__module__ == "torch.multiprocessing.reductions":
            del reducers[kind]
    return tuple(Connection(fd) for fd in place.pipes)


def renew_thread_pool() -> None:
    """Recreate torch's thread pool, which a fork removes.

    The first call in a process recreates it, and two threads that call first at the same time would
    find none.
    """
    torch.set_num_threads(torch.get_num_threads())


def join(place: Place, port: int) -> None:
    """Create the default process group, with gloo over the loopback."""
    renew_thread_pool()
    is_master = place.number == 0
    store = dist.TCPStore(  # type: ignore[attr-defined]
        LOOPBACK,
        port,
        place.world_size,
        is_master,
        wait_for_workers=False,
        use_libuv=False,  # libuv asks for io_uring, which ends a job
        master_listen_fd=place.listening_fd if is_master else None,
    )
    if not is_master:
        os.close(place.listening_fd)
    dist.init_process_group("gloo", store=store, rank=place.number, world_size=place.world_size)


def report_calls(link: Link) -> None:
    """Report every collective, and every wait for one, from now on."""
    numbers: dict[int, tuple[Any, int]] = {}
    made = iter(range(1, sys.maxsize))

    def reported(method: Callable[..., Any], name: str) -> Callable[..., Any]:
        @functools.wraps(method)
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            number = next(made)
            num_bytes = sum(each.nbytes for each in _tensors([*args, *kwargs.values()]))
            event = {"name": name, "number": number}
            link.send(FromRank.CALL, {**event, "bytes": num_bytes, "inside": True})
            work = method(self, *args, **kwargs)
            # The reference keeps the id from being reused for another work.
            numbers[id(work)] = (work, number)
            link.send(FromRank.CALL, {**event, "inside": False})
            return work

        return call

    def waited(method: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(method)
        def wait(self: Any, *args: Any, **kwargs: Any) -> Any:
            _, number = numbers.get(id(self), (None, 0))
            link.send(FromRank.CALL, {"number": number, "inside": True})
            done = method(self, *args, **kwargs)
            link.send(FromRank.CALL, {"number": number, "inside": False})
            return done

        return wait

    for kind in (dist.ProcessGroup, dist.distributed_c10d.Backend, dist.ProcessGroupGloo):
        for method, name in _CALLS.items():
            if method in vars(kind):
                setattr(kind, method, reported(getattr(kind, method), name))
    dist.Work.wait = waited(dist.Work.wait)  # type: ignore[method-assign]


def _tensors(values: Any) -> Iterator[torch.Tensor]:
    for each in values:
        if isinstance(each, torch.Tensor):
            yield each
        elif isinstance(each, list | tuple):
            yield from _tensors(each)
