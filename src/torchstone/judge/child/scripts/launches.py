"""Launches of a training script as several ranks, on folders that persist between launches.

The leader runs this; it runs no code of the submission. The act ``launch`` starts the submission as
``ranks`` processes with the environment of torchrun: forks of the leader, or workers of the real
torchrun (`torchrun`). The leader follows them to their ends and, as a launcher does, ends the
others when one fails. The act ``look`` runs the probe on the folders, without the submission.

Only rank 0 may write in the folder of a launch: Landlock denies it to the other ranks, and their
attempts are reported. The kernel counts the bytes sent over the loopback.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import socket
import time
from collections.abc import Iterator
from typing import Any

from ..answering.fault import Fault
from ..confinement.confine import LOOPBACK
from ..processes import census, leader, rank
from ..processes.member import Member
from ..protocol import stream, wire
from ..protocol.frames import FromRank
from ..protocol.records import Answer, Arguments
from . import folder, launch, launched, typed_command
from .acts import Acts

# Seconds in which processes left by the ranks may end by themselves.
GRACE_SECONDS = 2.0
# This module creates ctypes types during its import, which a rank may not do, so it is imported
# beforehand. Scripts use its `record` decorator; distributed checkpoints import it as well.
_WITH_CTYPES = "torch.distributed.elastic.multiprocessing.errors"


class Launches(Acts):
    """Performer of one request's launches, with exit codes and files as the answer.

    The keys of launch 0 begin with ``run0:``. A request without acts has a command line, as the
    learner types it.
    """

    def __init__(
        self,
        request: Arguments,
        enter: rank.Enter,
        inbox: stream.Inbox,
        *,
        traffic: leader.Traffic,
        counter: census.Census,
    ) -> None:
        super().__init__(request)
        self._census = counter
        self._request, self._enter, self._traffic, self._inbox = request, enter, traffic, inbox
        self.performs = {"launch": self._perform, "look": self._look}
        self._num_launches = 0
        if self.is_plain:
            self.acts = []
            command = typed_command.read(request["data"]["expression"])
            if isinstance(command, Fault):
                self.found["fault"] = command.record
            else:
                prepare = {"do": "look", "in": "out", "data": {"part": "prepare", "writes": True}}
                self.acts = [prepare, {"do": "launch", "in": "out", **command}]
                self.folders |= {"data.pt"}

    def _perform(self, act: Arguments, host: socket.socket, inbox: stream.Inbox) -> bool:
        """Launch; repeat once if a rank failed after its work, see `_Copy.is_finished`."""
        path, number = folder.place(act["in"]), self._num_launches
        self._num_launches += 1
        before = _Copy(path) if "complete" in act else None
        found = self._launch(act, path, host, inbox)
        if before is not None and launch.has_failed(found) and before.is_finished(act["complete"]):
            before.restore()
            found = self._launch(act, path, host, inbox)
        if self.is_plain:
            self.found |= typed_command.answer(found)
            return True
        self.found |= {f"run{number}:{key}": item for key, item in found.items()}
        return not any(key.rpartition(":")[2] in ("raised", "fault") for key in found)

    def _launch(
        self, act: Arguments, path: str, host: socket.socket, inbox: stream.Inbox
    ) -> Answer:
        started = launch.Launch(act, path, self, self._enter)
        sent_before = self._traffic()
        try:
            with _taken(act.get("busy", ())):
                started.start(lambda: self._forget(inbox))
                found = started.follow(host, inbox)
        finally:
            started.end()
        found["bytes"] = self._traffic() - sent_before
        found["left"] = self._num_left()
        self._census.end_others()
        found["files"] = folder.listing(path)
        found["outside"] = folder.strangers(self.folders)
        return found

    def _num_left(self) -> int:
        """Return the number of processes left by the ranks that do not end by themselves."""
        until = time.monotonic() + GRACE_SECONDS
        while (running := self._census.take(None).running) and time.monotonic() < until:
            time.sleep(0.02)
        return running

    def _forget(self, inbox: stream.Inbox) -> None:
        """Delete, in a rank, the remaining acts and received bytes, which it must not read."""
        self.acts.clear()
        inbox.forget()
        gc.collect()

    def _look(self, act: Arguments, host: socket.socket, inbox: stream.Inbox) -> bool:
        data = self._request["data"] | act.get("data", {})
        asked = {"op": "look", "data": data | {"folder": folder.place(act.get("in", "a"))}}
        ours, theirs = socket.socketpair()
        if (pid := os.fork()) == 0:
            ours.close()
            launched.look(theirs, asked, self._enter)
        theirs.close()
        member = Member(0, pid, ours)
        found: Answer = {"fault": Fault("rank_unreadable", rank=0).record}
        try:
            while member.answer is None:
                for frame in member.source.read():
                    if frame.kind == FromRank.ANSWER:
                        member.answer = found = frame.decode(tensor=wire.torch_tensor)
        except EOFError:
            if member.end() in leader.FOR_HOST:
                leader.stop(128 - member.end(), "a limit")
        finally:
            member.end()
        self.found |= {f"run{self._num_launches - 1}:{key}": found[key] for key in found}
        return True


@contextlib.contextmanager
def _taken(ports: Any) -> Iterator[None]:
    """Listen on ports, so that the launch finds them in use."""
    with contextlib.ExitStack() as stack:
        for port in ports:
            stack.enter_context(socket.create_server((LOOPBACK, port)))
        yield


class _Copy:
    """Copy of a folder before a launch, for repeating the launch."""

    def __init__(self, path: str) -> None:
        self._path, self._existed = path, os.path.isdir(path)
        self._files = dict(_contents(path))

    def is_finished(self, names: list[str]) -> bool:
        """Return whether all named files are new: then a failure came after the work."""
        now = dict(_contents(self._path))
        return all(now.get(name) and now[name] != self._files.get(name) for name in names)

    def restore(self) -> None:
        """Restore the folder to the copied state."""
        folder.remove(self._path)
        if self._existed:
            os.mkdir(self._path)
        for name, content in self._files.items():
            os.makedirs(os.path.dirname(f"{self._path}/{name}"), exist_ok=True)
            with open(f"{self._path}/{name}", "wb") as file:
                file.write(content)


def _contents(path: str) -> Iterator[tuple[str, bytes]]:
    """Yield the plain files of a folder and its subfolders."""
    for where, _, names in os.walk(path):
        for name in names:
            full = f"{where}/{name}"
            if os.path.isfile(full) and not os.path.islink(full):
                with contextlib.suppress(OSError), open(full, "rb") as file:
                    yield os.path.relpath(full, path), file.read()


def respond_with_launches(traffic: leader.Traffic, counter: census.Census) -> leader.Respond:
    """Return the function that answers a request with its launches."""
    importlib.import_module(_WITH_CTYPES)

    def respond(
        request: Arguments, enter: rank.Enter, sock: socket.socket, inbox: stream.Inbox
    ) -> Answer:
        launches = Launches(request, enter, inbox, traffic=traffic, counter=counter)
        return launches.answer(sock, inbox)

    return respond
