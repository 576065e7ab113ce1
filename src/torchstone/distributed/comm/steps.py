"""``Steps``: collectives implemented with messages of ``torch.distributed``.

The reduce-scatter is an all-to-all and a sum in rank order. That of gloo is an all-reduce
internally, and sends twice the bytes. Parts are sent directly from tensor to tensor: the all-gather
of gloo takes three times the CPU time for the same bytes, because it copies them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import ClassVar

import torch
import torch.distributed as dist
from torch import Tensor

from torchstone.distributed.comm.calls import MAX_TAG, Call
from torchstone.distributed.comm.effects import flat_of
from torchstone.distributed.comm.ordered import combine, divide
from torchstone.distributed.comm.queued import QueuedWork

# Collectives that send before they have received, unless the backend reduces.
OVERLAPPING = ("all_reduce", "reduce_scatter", "all_gather")
_FAST = {
    "sum": dist.ReduceOp.SUM,
    "mean": dist.ReduceOp.SUM,
    "product": dist.ReduceOp.PRODUCT,
    "min": dist.ReduceOp.MIN,
    "max": dist.ReduceOp.MAX,
}
# Other dtypes are reduced in rank order, because gloo does not support them, or sums booleans.
_FAST_DTYPES = (
    torch.float16,
    torch.bfloat16,
    torch.float32,
    torch.float64,
    torch.int8,
    torch.uint8,
    torch.int32,
    torch.int64,
)
# The tags of collectives are above those of users, and depend on operation and number. So ranks in
# different collectives wait for each other; gloo aborts a process that receives more than expected.
_OPS = (*OVERLAPPING, "all_to_all")
_FIRST_TAG, _NUM_NUMBERS = MAX_TAG + 1, 1 << 26
_PIECE_BYTES = 1 << 18

# Function that completes a collective whose sends have been started.
Rest = Callable[[], None]


class Steps:
    """Collectives of one axis.

    Args:
        rank: This rank within the axis.
        ranks: The ranks of the world that belong to the axis.
        group: The process group of these ranks.
        finish_before: Finishes the previous collective; called once this one has sent what it can.
    """

    def __init__(
        self,
        rank: int,
        ranks: Sequence[int],
        group: dist.ProcessGroup,
        finish_before: Callable[[], None],
    ) -> None:
        self.rank, self.ranks, self.size = rank, tuple(ranks), len(ranks)
        self._group, self._finish_before = group, finish_before
        # State of the running collective.
        self._tag, self._half = _FIRST_TAG, 0
        self._joined = threading.Event()
        self._spaces: dict[tuple[str, int, torch.dtype, torch.device], Tensor] = {}

    def pass_on(self, call: Call) -> None:
        """Send or receive a message."""
        self._steps[call.op](self, call)

    def begin(self, work: QueuedWork, half: int) -> Rest | None:
        """Start a collective; return the function that completes it, or None if it is complete.

        Args:
            work: The collective.
            half: Which of the two scratch buffers to use, 0 or 1; the previous collective may
                still use the other.
        """
        call = work.call
        if call.op in _OPS:
            place = work.number % _NUM_NUMBERS * len(_OPS) + _OPS.index(call.op)
            self._tag, self._joined = _FIRST_TAG + place, work.joined
        self._half = half
        return self._steps[call.op](self, call)

    def _space(self, name: str, num_elements: int, like: Tensor) -> Tensor:
        """Return scratch memory, which is reused."""
        space = self._spaces.get(key := (name, self._half, like.dtype, like.device))
        if space is None or space.numel() < num_elements:
            space = self._spaces[key] = like.new_empty(num_elements)
        return space[:num_elements]

    def _all_reduce(self, call: Call) -> Rest:
        flat = flat_of(call.tensor)
        whole, works = flat, list[dist.Work]()
        if is_fast(call):
            dist.all_reduce(flat, op=_FAST[call.reduction], group=self._group)
            if call.reduction == "mean":
                divide(flat, self.size)
        else:
            # All parts have equal size, so pad a tensor that does not divide evenly.
            part = -(-flat.numel() // self.size)
            if part * self.size != flat.numel():
                whole = self._space("whole", part * self.size, flat)
                whole[: flat.numel()] = flat
                whole[flat.numel() :] = 0
            works = self._sum_and_gather(whole, self._space("total", part, flat), call)

        def end() -> None:
            _wait(works)
            if whole is not flat:
                flat.copy_(whole[: flat.numel()])
            if flat.data_ptr() != call.out.data_ptr():
                call.out.copy_(flat.view(call.out.shape))

        return end

    def _reduce_scatter(self, call: Call) -> Rest:
        flat, total = flat_of(call.tensor), call.out
        if total.is_contiguous() and memory_of(total) != memory_of(flat):
            total = flat_of(total)
        else:
            total = self._space("total", total.numel(), total)
        # Add most of it now. The last piece arrives while the next collective sends.
        *sums, last = self._sums(flat, total, call)
        for each in sums:
            each()

        def end() -> None:
            last()
            if total.data_ptr() != call.out.data_ptr():
                call.out.copy_(total.view(call.out.shape))

        return end

    def _sum_and_gather(self, whole: Tensor, total: Tensor, call: Call) -> list[dist.Work]:
        """Start to write the sum to ``whole``, sending pieces while others are summed."""
        parts = whole.view(self.size, -1)
        works: list[dist.Work] = []
        for add in self._sums(whole, total, call):
            piece = add()
            # Each rank sends this piece of its sum after it has received the input that is
            # overwritten.
            parts[self.rank, piece] = total[piece]
            works += self._exchange([total[piece]] * self.size, [*parts[:, piece]])
        return works

    def _sums(self, whole: Tensor, total: Tensor, call: Call) -> list[Callable[[], slice]]:
        """Send each rank its part; return functions that sum the pieces in rank order."""
        sent, came = whole.view(self.size, -1), self._space("came", whole.numel(), whole)
        came = came.view(self.size, -1)
        step = _PIECE_BYTES // whole.element_size()
        pieces = [slice(start, start + step) for start in range(0, total.numel(), step)]
        works = [self._exchange([*sent[:, piece]], [*came[:, piece]]) for piece in pieces]
        joined = self._joined
        self._finish_before()

        def add(piece: slice, those: list[dist.Work]) -> slice:
            _wait(those)
            joined.set()
            parts = [*came[:, piece]]
            parts[self.rank] = sent[self.rank, piece]
            combine(parts, op=call.reduction, order=call.order, out=total[piece])
            return piece

        return [partial(add, piece, those) for piece, those in zip(pieces, works, strict=True)]

    def _gather(self, whole: Tensor, part: Tensor) -> list[dist.Work]:
        """Start to send the part of this rank to all, and to write all parts to ``whole``."""
        parts = [*whole.view(self.size, -1)]
        if parts[self.rank].data_ptr() != part.data_ptr():
            parts[self.rank].copy_(part)
        return self._exchange([part] * self.size, parts)

    def _exchange(self, sent: Sequence[Tensor], came: Sequence[Tensor]) -> list[dist.Work]:
        """Start to send a tensor to each other rank, and to receive one from each.

        A gloo connection either sends or receives until a message is complete. So large messages
        are split, which uses both directions of a link.
        """
        messages: list[dist.P2POp] = []
        for step in range(1, self.size):
            # Each rank starts with its neighbour, so that no rank is contacted by all others at
            # once.
            following, before = (self.rank + step) % self.size, (self.rank - step) % self.size
            outgoing, incoming = _pieces_of(sent[following]), _pieces_of(came[before])
            for out, into in zip(outgoing, incoming, strict=True):
                for operation, tensor, peer in (
                    (dist.isend, out, following),
                    (dist.irecv, into, before),
                ):
                    rank = self.ranks[peer]
                    messages.append(dist.P2POp(operation, tensor, rank, self._group, self._tag))
        works: list[dist.Work] = dist.batch_isend_irecv(messages)
        return works

    def _all_gather(self, call: Call) -> Rest:
        into = _Contiguous(call.out)
        works = self._gather(into.flat, flat_of(call.tensor))
        self._finish_before()

        def end() -> None:
            _wait(works)
            into.write_back()

        return end

    def _all_to_all(self, call: Call) -> None:
        flat, into = flat_of(call.tensor), _Contiguous(call.out)
        parts, sent = [*into.flat.view(self.size, -1)], [*flat.view(self.size, -1)]
        _wait(self._exchange(sent, parts))
        parts[self.rank].copy_(sent[self.rank])
        into.write_back()

    def _broadcast(self, call: Call) -> None:
        into = _Contiguous(call.out, is_read=True)
        dist.broadcast(_bytes_of(into.flat), self.ranks[call.peer], group=self._group)
        into.write_back()

    def _send(self, call: Call) -> None:
        flat = _bytes_of(flat_of(call.tensor))
        dist.send(flat, self.ranks[call.peer], group=self._group, tag=call.tag)

    def _recv(self, call: Call) -> None:
        into = _Contiguous(call.out)
        dist.recv(_bytes_of(into.flat), self.ranks[call.peer], group=self._group, tag=call.tag)
        into.write_back()

    def _barrier(self, call: Call) -> None:
        dist.barrier(group=self._group)

    _steps: ClassVar[dict[str, Callable[[Steps, Call], Rest | None]]] = {
        "all_reduce": _all_reduce,
        "reduce_scatter": _reduce_scatter,
        "all_gather": _all_gather,
        "all_to_all": _all_to_all,
        "broadcast": _broadcast,
        "send": _send,
        "recv": _recv,
        "barrier": _barrier,
    }


def _wait(works: Iterable[dist.Work]) -> None:
    for work in works:
        work.wait()


class _Contiguous:
    """Flat, contiguous tensor to be written in place of another one.

    Attributes:
        flat: That tensor; a view of the other one if it is contiguous.
    """

    def __init__(self, out: Tensor, *, is_read: bool = False) -> None:
        self._out = out
        is_flat = out.is_contiguous()
        self.flat = flat_of(out) if is_flat else out.new_empty(out.numel())
        if is_read and not is_flat:
            self.flat.copy_(out.reshape(-1))

    def write_back(self) -> None:
        """Copy to the other tensor, unless they share memory."""
        if self.flat.data_ptr() != self._out.data_ptr():
            self._out.copy_(self.flat.view(self._out.shape))


def is_fast(call: Call) -> bool:
    """Return whether the backend reduces, in its own order."""
    return call.op == "all_reduce" and call.order == "fast" and call.tensor.dtype in _FAST_DTYPES


def memory_of(tensor: Tensor) -> int:
    """Return the address of the storage of a tensor."""
    return tensor.untyped_storage().data_ptr()


def _pieces_of(flat: Tensor) -> Sequence[Tensor]:
    return tuple(_bytes_of(flat).split(_PIECE_BYTES))


def _bytes_of(flat: Tensor) -> Tensor:
    """Return the bytes of a tensor, because gloo does not support all dtypes."""
    return flat.view(torch.uint8)
