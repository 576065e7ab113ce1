"""Collectives on ``torch.distributed``: gloo between processes, NCCL between GPUs.

A thread runs the collectives of an axis in launch order, which is the same on every rank. So a
launch returns at once, the backward pass continues meanwhile, and nothing depends on which of two
collectives is ready first. The messages from one rank to another with one tag have their own
thread: two ranks that both send first would otherwise wait for each other.

The link is not idle between two collectives: the next one starts to send before the previous one
has received everything. They complete in order.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import torch
import torch.distributed as dist

from torchstone.distributed.comm.calls import Call, num_bytes
from torchstone.distributed.comm.communicator import Communicator
from torchstone.distributed.comm.effects import perform
from torchstone.distributed.comm.ledger import Entry
from torchstone.distributed.comm.positions import Position
from torchstone.distributed.comm.protocol import Mismatch, Work
from torchstone.distributed.comm.queued import Line, QueuedWork
from torchstone.distributed.comm.steps import OVERLAPPING, Rest, Steps, is_fast, memory_of
from torchstone.distributed.comm.watch import Watch

# Signatures are padded to this size, so that all ranks send equally many bytes.
_SIGNATURE_BYTES = 256


@dataclass(frozen=True, slots=True)
class _Left:
    work: QueuedWork
    rest: Rest
    half: int


class TorchComm(Communicator):
    """Communicator of ranks that are processes of ``torch.distributed``."""

    def __init__(
        self,
        rank: int,
        ranks: Sequence[int],
        axis: str,
        *,
        group: dist.ProcessGroup,
        watch: Watch,
        is_checked: bool,
        again: Callable[[TorchComm], TorchComm],
    ) -> None:
        super().__init__(rank, ranks, axis)
        self._group = group
        self._watch = watch
        self._is_checked = is_checked
        self._again = again
        self._error: BaseException | None = None
        self._steps = Steps(rank, ranks, group, self._finish_before)
        # The previous collective, if it is not finished.
        self._left: _Left | None = None
        self._is_closed = False
        # The threads, by channel.
        self._lines: dict[tuple[int, ...], Line] = {}

    def close(self) -> None:
        """End the threads after all launched works, and release the sockets."""
        if self._is_closed:
            return
        self._is_closed = True
        for line in self._lines.values():
            line.close()
        # Break the reference cycle, which would keep the sockets open until garbage collection.
        self._lines.clear()
        del self._group, self._steps

    def _launch(self, call: Call) -> Work:
        if self._is_closed:
            raise RuntimeError(f"{call.op}: the world of this axis is closed; call init() again.")
        channel, number = self._count(call)
        work = QueuedWork(call, number, self.ledger.label)
        if channel not in self._lines:
            name = f"{call.op} on {self.axis}" if channel else f"collectives of {self.axis}"
            finish = _do_nothing if channel else self._finish
            self._lines[channel] = Line(self._run, finish, name)
        self._lines[channel].put(work)
        return work

    def _run(self, work: QueuedWork) -> None:
        """Start a work; complete it if it is a message or leaves nothing to wait for."""
        # After an error all later calls fail too: the ranks no longer agree on what comes next.
        if self._error is not None or not self._guard(work, self._begin):
            work.end(self._error)

    def _finish(self) -> None:
        """Finish the previous collective, if it is not finished."""
        if self._left is not None:
            left, self._left = self._left, None
            if not self._guard(left.work, lambda work: self._end_rest(work, left.rest)):
                left.work.end(self._error)

    def _guard(self, work: QueuedWork, step: Callable[[QueuedWork], None]) -> bool:
        """Run a step of a work; return whether it succeeded. Errors fail all later works."""
        try:
            with torch.no_grad():
                step(work)
        except Mismatch as error:
            self._error = error
        except RuntimeError as error:
            # If the previous collective fails, the wait is attributed to its position.
            if not work.call.is_message:
                self._finish()
            self._error = self._error or self._watch.explain(self._position(work), error)
        except BaseException as error:  # noqa: BLE001 (it is raised where it is waited for)
            self._error = error
        else:
            return True
        return False

    def _position(self, work: QueuedWork) -> Position:
        return Position.of(work.call, work.number, self.axis)

    def _begin(self, work: QueuedWork) -> None:
        call, rest = work.call, None
        half = 0 if self._left is None else 1 - self._left.half
        with self._watch.waiting(self._position(work)):
            work.begin_on_card()
            if call.is_message:
                self._steps.pass_on(call)
            else:
                rest = self._begin_collective(work, half)
        if rest is None:
            self._end(work)
        else:
            self._left = _Left(work, rest, half)

    def _begin_collective(self, work: QueuedWork, half: int) -> Rest | None:
        call = work.call
        if self._is_checked or not self._may_begin(call):
            self._finish_before()
        if self._is_checked:
            self._check(work)
        if self.size > 1 and (call.tensor.numel() or call.op == "barrier"):
            return self._steps.begin(work, half)
        self._finish_before()
        if self.size == 1:
            perform([call])
        return None

    def _may_begin(self, call: Call) -> bool:
        """Return whether a collective may send before the previous one is finished."""
        if self._left is None:
            return True
        if call.op not in OVERLAPPING or is_fast(call):
            return False
        before = self._left.work.call
        memory = {memory_of(each) for each in (before.tensor, before.out)}
        return not memory & {memory_of(each) for each in (call.tensor, call.out)}

    def _finish_before(self) -> None:
        """Finish the previous collective; if it failed, raise its error for this one as well."""
        self._finish()
        if self._error is not None:
            raise self._error

    def _end_rest(self, work: QueuedWork, rest: Rest) -> None:
        with self._watch.waiting(self._position(work)):
            rest()
        self._end(work)

    def _end(self, work: QueuedWork) -> None:
        call = work.call
        work.end_on_card()
        sent, received = num_bytes(call.op, call.tensor, self.size, rank=self.rank, src=call.peer)
        self.ledger.entries.append(
            Entry(
                op=call.op,
                axis=self.axis,
                bytes_sent=sent,
                bytes_received=received,
                number=work.number,
                start_s=work.start_s,
                end_s=time.perf_counter(),
                label=work.label,
                ranks=self.members(call),
            )
        )
        work.end(None)

    def _check(self, work: QueuedWork) -> None:
        """Compare the call with those of the other ranks before any data is sent."""
        mine = f"{self._position(work).words()}: {work.call.signature()}"
        told = torch.zeros(_SIGNATURE_BYTES, dtype=torch.uint8)
        letters = mine.encode()[:_SIGNATURE_BYTES]
        told[: len(letters)] = torch.frombuffer(bytearray(letters), dtype=torch.uint8)
        heard = torch.empty(self.size * _SIGNATURE_BYTES, dtype=torch.uint8)
        dist.all_gather_single(heard, told, group=self._group)
        rows = heard.view(self.size, -1).numpy()
        said = [bytes(row).rstrip(b"\0").decode() for row in rows]
        if len(set(said)) > 1:
            raise Mismatch("; ".join(f"rank {rank} is in {each}" for rank, each in enumerate(said)))

    def duplicate(self) -> TorchComm:
        """Return a communicator of the same ranks with its own queue."""
        comm = self._again(self)
        comm.ledger = self.ledger
        return comm


def _do_nothing() -> None:
    """Do nothing, because messages need no finishing."""
