"""One rank of a training script: set the variables of a launcher and run the file as a program.

A rank is forked by the leader, see `launches`, or by the agent of torchrun, see `torchrun`. It
reports what the leader cannot see: its collectives, the files that it opens for writing, and the
exception that ends it. Whether a rank may write is enforced by the kernel.
"""

from __future__ import annotations

import atexit
import builtins
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import torch

from .. import driver
from ..confinement.confine import LOOPBACK, SHARED
from ..processes import rank
from ..protocol import wire
from ..protocol.frames import FromRank
from ..protocol.records import Answer, Arguments

# A submission may rebind names in `builtins`; this module looks names up in a copy.
__builtins__ = dict(vars(builtins))  # type: ignore[assignment]

FAILED_STATUS = 1
_WRITTEN_CAP, _NAME_CAP = 20, 100
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass(frozen=True, slots=True, kw_only=True)
class RankOrder:
    """Parameters of one rank.

    Attributes:
        rank: Its rank.
        num_ranks: The number of ranks.
        num_nodes: The number of simulated machines.
        port: The port of the store that rank 0 serves; None without a launcher.
        argv: The arguments of the script.
        folder: The folder in which only rank 0 writes.
    """

    rank: int
    num_ranks: int
    num_nodes: int
    port: int | None
    argv: tuple[str, ...]
    folder: str


def environment_of(order: RankOrder) -> dict[str, str]:
    """Return the environment variables that torchrun sets for a rank; empty without a launcher."""
    if order.port is None:
        return {}
    num_local = order.num_ranks // order.num_nodes
    values = {
        "RANK": order.rank,
        "WORLD_SIZE": order.num_ranks,
        "LOCAL_RANK": order.rank % num_local,
        "LOCAL_WORLD_SIZE": num_local,
        "GROUP_RANK": order.rank // num_local,
        "GROUP_WORLD_SIZE": order.num_nodes,
        "ROLE_RANK": order.rank,
        "ROLE_WORLD_SIZE": order.num_ranks,
        "ROLE_NAME": "default",
        "MASTER_ADDR": LOOPBACK,
        "MASTER_PORT": order.port,
        "TORCHELASTIC_RESTART_COUNT": 0,
        "TORCHELASTIC_MAX_RESTARTS": 0,
        "TORCHELASTIC_RUN_ID": "none",
        # Rank 0 serves the store itself, as with the static rendezvous of several machines.
        "TORCHELASTIC_USE_AGENT_STORE": False,
    }
    return {name: str(value) for name, value in values.items()}


def run(sock: socket.socket, order: RankOrder, enter: rank.Enter) -> None:
    """Run the script as one rank forked by the leader; this ends the process."""
    status = rank.NOT_READY_STATUS
    try:
        os.environ.update(environment_of(order))
        status = work(sock, order, enter)
    except ConnectionError:
        pass  # the leader has ended, and with it the job
    except BaseException as error:  # noqa: BLE001  this process never returns into the leader
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
    finally:
        os._exit(status)


def work(sock: socket.socket, order: RankOrder, enter: rank.Enter) -> int:
    """Confine this process, run the script and report how it ends; return its exit code."""
    link = rank.Link(sock)
    written: list[str] = []
    if order.rank:
        _note_writing(order.folder, written)
    loader = enter(order.num_ranks, writes=order.rank == 0)
    # A fork leaves torch without its thread pool. The first call recreates it, and two gloo threads
    # that call first at the same time would find none.
    torch.set_num_threads(torch.get_num_threads())
    rank.report_calls(link)
    # DataLoaders create sockets there; not every rank may write to the folder.
    os.environ["TMPDIR"] = SHARED
    # The judge's process ignores SIGTERM; a launcher ends its ranks with it.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    link.send(FromRank.READY, {"pid": os.getpid()})
    answer = _end(loader.load(), order)
    answer["written"] = sorted(set(written))[:_WRITTEN_CAP]
    with contextlib.suppress(wire.WireError):
        link.send(FromRank.ANSWER, answer)
    return int(answer["exit"])


def _end(loaded: Any, order: RankOrder) -> Answer:
    """Run the script to the end of the process, including threads and exit handlers."""
    module = ModuleType("__main__")
    # Registered so that dataclasses, pickling and typing find the classes of the file.
    sys.modules["__main__"] = module
    scope = module.__dict__
    scope.update({"__builtins__": loaded.builtins, "__file__": loaded.filename})
    sys.argv = ["train.py", *order.argv]
    answer = _ended(lambda: exec(loaded.code, scope))
    finished = _ended(_finish)
    return answer if answer["exit"] else finished


def _finish() -> None:
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()


def _ended(step: Callable[[], object]) -> Answer:
    try:
        step()
    except SystemExit as stop:
        code = stop.code
        if code is None:
            return {"exit": 0}
        if not isinstance(code, int):
            sys.stderr.write(f"{code}\n")
            return {"exit": FAILED_STATUS, "raised": driver.describe_error(stop)}
        return {"exit": code & 0xFF} | ({"raised": driver.describe_error(stop)} if code else {})
    except BaseException as error:  # noqa: BLE001  it is the end of the program
        return {"exit": FAILED_STATUS, "raised": driver.describe_error(error)}
    return {"exit": 0}


def _note_writing(folder: str, written: list[str]) -> None:
    """Record the names of files below a folder that this process opens for writing."""

    def note(path: Any) -> None:
        name = os.path.abspath(os.fsdecode(path))
        if name.startswith(f"{folder}/") and len(written) < _WRITTEN_CAP:
            written.append(os.path.basename(name)[:_NAME_CAP])

    def listen(event: str, args: tuple[Any, ...]) -> None:
        if event == "open" and isinstance(args[0], str | bytes | os.PathLike):
            flags = args[2]
            if isinstance(flags, int) and flags & _WRITING:
                note(args[0])

    sys.addaudithook(listen)
    # torch.save opens its file in C++, which raises no audit event.
    make = torch._C.PyTorchFileWriter

    def make_writer(target: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(target, str | os.PathLike):
            note(target)
        return make(target, *args, **kwargs)

    torch._C.PyTorchFileWriter = make_writer  # type: ignore[misc, assignment]


def look(sock: socket.socket, request: Arguments, enter: rank.Enter) -> None:
    """Answer a request with the probe alone, in a process that never loads the submission."""

    def answer() -> None:
        link = rank.Link(sock)
        loader = enter(1, writes=request["data"].get("writes", False))
        link.send(FromRank.READY, {"pid": os.getpid()})
        found = driver.answer(None, request["op"], request["data"], loader.session, loader.probe)
        link.send(FromRank.ANSWER, found)
        link.wait_for_end()

    rank.run_and_end(answer)
