"""One process of a submission that a leader forks: load the submission, answer one request.

It is a rank of a distributed submission, which joins the group before, or a program that starts
workers of its own.

Every collective call is reported before it is made, so a rank that never returns from it, and one
that changes its own memory later, have reported it. What the kernel counts on the loopback is the
judge's proof of traffic; these reports name the calls.
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

from . import driver, shared_values, stream, submission, wire
from .confine import LOOPBACK
from .frames import FromRank, FromRun
from .records import Answer, Arguments

# A submission may rebind what `builtins` holds; the functions of this module look names up here.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

# How the status of a process that failed before it read the submission differs from all others.
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
    """Hold what a confined rank still has to do: load the submission, and answer with the probe."""

    load: Callable[[], Any]
    probe: Any
    session: driver.Session


class Enter(Protocol):
    """Confine a process that was just forked, and return what it still has to load."""

    def __call__(self, num_at_once: int, /, *, network: bool = True, writes: bool = True) -> Loader:
        """Confine it as one of so many that run at once."""


@dataclass(frozen=True, slots=True)
class Place:
    """Hold the place of a rank, and what joins it to the others: a group, or pipes.

    A program that starts workers has neither.

    Attributes:
        number: The rank.
        world_size: The number of ranks.
        port: Where rank 0 serves the store of the group; None where the ranks make none.
        listening_fd: The socket on which it does.
        pipes: The descriptors of its pipes; None where the ranks are not joined by pipes.
    """

    number: int
    world_size: int
    port: int | None = None
    listening_fd: int = -1
    pipes: tuple[int, ...] | None = None


class Link:
    """Send frames to the process that leads this one; several threads may do so."""

    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._lock = threading.Lock()

    def send(self, kind: FromRank | FromRun, value: Any) -> None:
        """Send one frame."""
        with self._lock:
            stream.send(self._sock, wire.pack(kind, value))

    def ask(self, kind: FromRank | FromRun, value: Any) -> bool:
        """Send one frame, wait until it is noted, and return what is said; one thread at a time."""
        with self._lock:
            stream.send(self._sock, wire.pack(kind, value))
            said = self._sock.recv(1)
            if not said:
                raise ConnectionError("the leader has ended")
            return said == b"1"

    def wait(self, name: str) -> bool:
        """Ask to be released by a signal, and wait for the answer."""
        self.send(FromRank.WAIT, {"name": name})
        return self._sock.recv(1) == b"1"

    def wait_for_end(self) -> None:
        """Keep the connections of this rank open until all ranks have answered."""
        self._sock.recv(1)


@dataclass(frozen=True, slots=True)
class RankTools:
    """Hold what a probe may ask of its rank.

    Attributes:
        number: The rank.
        world_size: The number of ranks.
        connections: The pipes: of rank 0 one to each other rank, of another rank one to rank 0.
    """

    number: int
    world_size: int
    _link: Link
    connections: tuple[Connection, ...] = ()
    _numbers: Iterator[int] = field(default_factory=lambda: iter(range(1, sys.maxsize)))

    def signal(self, name: str) -> None:
        """Release the ranks that wait for this signal, and those that will."""
        self._link.send(FromRank.SIGNAL, {"name": name})

    def mark(self, name: str) -> None:
        """Name this place: the answer says what was called and sent since the mark before.

        ``NAME.calls`` counts the collective calls of this rank, ``NAME.bytes`` what all ranks sent.
        The rank goes on when that is read, or what it sends next would count as sent before.
        """
        self._link.ask(FromRank.MARK, {"name": name})

    def wait_for(self, name: str) -> bool:
        """Wait for the signal; return False if no rank moves any more, so that it never comes."""
        return self._link.wait(name)

    def count(self, name: str) -> None:
        """Have the leader count processes and shared memory now, under a name in its answer."""
        self._link.ask(FromRank.COUNT, {"name": name})

    def note(self, value: Any) -> None:
        """Have the leader keep this; the ``conclude`` of the probe reads all notes there."""
        self._link.send(FromRank.NOTE, value)

    def settle(
        self, name: str, *, as_in: str, open_as_in: str | None = None, within_s: float
    ) -> bool:
        """Wait until no count is larger than in an earlier one, and count under a name.

        Args:
            name: The name of the count.
            as_in: The name of the earlier one.
            open_as_in: The name of the one with which descriptors are compared, if they are.
            within_s: How long to wait at most.

        Returns:
            Whether that came about in time.
        """
        request = {"name": name, "as_in": as_in, "open_as_in": open_as_in, "within_s": within_s}
        return self._link.ask(FromRank.SETTLE, request)

    def last_words(self, answer: Answer | None, *, within_s: float = 0.0) -> None:
        """Say what the answer is if the program is still busy after a time; it ends then.

        Meanwhile no standstill of the program is a hang. None takes the words back.
        """
        self._link.send(FromRank.LAST_WORDS, {"answer": answer, "within_s": within_s})

    def leave_orphans(self, name: str, answer: Answer, *, within_s: float) -> NoReturn:
        """Answer, be killed, and have the workers counted when they have ended, or after a time."""
        self._link.send(FromRank.ORPHANS, {"name": name, "within_s": within_s})
        self.die(answer)

    def call(self, name: str, function: Callable[..., Any], *args: Any) -> Any:
        """Call a function, and report it as a collective call is: by this name a hang is told."""
        event = {"name": name, "number": next(self._numbers)}
        self._link.send(FromRank.CALL, {**event, "bytes": 0, "inside": True})
        result = function(*args)
        self._link.send(FromRank.CALL, {**event, "inside": False})
        return result

    def die(self, answer: Answer) -> NoReturn:
        """Answer, and be killed: nothing is closed or sent by this process any more."""
        self._link.send(FromRank.LAST, answer)
        while True:
            time.sleep(1.0)


def run_load(sock: socket.socket, enter: Enter) -> None:
    """Load the submission only, and report whether that works; the process ends with it."""

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
    """Answer one request as one of several ranks; the process ends with it."""

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
    """Do the work of this process, which ends with it."""
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
        # It was loaded before, in another process; what it does at random is its own error.
        raised = error.record["error"]
        return {"raised": raised} if raised else {"fault": driver.Fault("rank_load").record}
    return driver.answer(loaded, request["op"], request["data"], loader.session, loader.probe)


def connect(place: Place) -> tuple[Connection, ...]:
    """Return the pipes of a rank, if the ranks are joined by pipes."""
    if place.pipes is None:
        return ()
    # torch would put a tensor that is sent into shared memory, which no rank has: it goes by value.
    reducers = ForkingPickler._extra_reducers  # type: ignore[attr-defined]
    for kind, reduce in list(reducers.items()):
        if reduce.__module__ == "torch.multiprocessing.reductions":
            del reducers[kind]
    return tuple(Connection(fd) for fd in place.pipes)


def renew_thread_pool() -> None:
    """Give torch its pool of threads again, which a fork takes away.

    The first call of a process makes it anew, and two threads that are first at once find none.
    """
    torch.set_num_threads(torch.get_num_threads())


def join(place: Place, port: int) -> None:
    """Make the default process group, with gloo over the loopback."""
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
    """Report every collective call, and every wait for one, from now on."""
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
            # The reference keeps the id from being given to another work.
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
