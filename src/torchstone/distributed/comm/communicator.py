"""``Communicator``: the base class of the backends, with argument checks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import torch
from torch import Tensor

from torchstone.distributed.comm.calls import (
    Call,
    check_rank,
    check_reduction,
    check_tag,
    check_tensors,
)
from torchstone.distributed.comm.ledger import Ledger
from torchstone.distributed.comm.protocol import Comm, Work


class Communicator(ABC):
    """Collectives of the ranks of one axis; a backend only runs validated calls.

    Attributes:
        rank: This rank within the axis.
        size: The number of ranks of the axis.
        ranks: The ranks of the world that belong to the axis.
        axis: The name of the axis.
        ledger: The collectives of this rank on this axis.
    """

    def __init__(self, rank: int, ranks: Sequence[int], axis: str) -> None:
        self.rank = rank
        self.ranks = tuple(ranks)
        self.size = len(self.ranks)
        self.axis = axis
        self.ledger = Ledger()
        self._counts: dict[tuple[int, ...], int] = {}

    def _count(self, call: Call) -> tuple[tuple[int, ...], int]:
        """Return the channel of a call, and its number there, which is the same on all its ranks.

        All collectives of an axis share one channel. Messages have one channel per sender, receiver
        and tag, because the other ranks do not see them.
        """
        channel: tuple[int, ...] = ()
        if call.is_message:
            pair = (self.rank, call.peer) if call.op == "send" else (call.peer, self.rank)
            channel = (*pair, call.tag)
        number = self._counts.get(channel, 0)
        self._counts[channel] = number + 1
        return channel, number

    def members(self, call: Call) -> tuple[int, ...]:
        """Return the ranks of the world in a call; for a message the sender is first."""
        if not call.is_message:
            return self.ranks
        pair = (self.rank, call.peer) if call.op == "send" else (call.peer, self.rank)
        return tuple(self.ranks[rank] for rank in pair)

    @abstractmethod
    def _launch(self, call: Call) -> Work:
        """Launch a validated collective."""

    @abstractmethod
    def duplicate(self) -> Comm:
        """Return a communicator of the same ranks with its own queue."""

    def all_reduce(self, tensor: Tensor, *, op: str = "sum", order: str = "rank") -> Work:
        """Reduce a tensor over the ranks, in place."""
        check_reduction("all_reduce", op, order, tensor)
        check_tensors("all_reduce", tensor, tensor, out_parts=1, parts=1)
        tensor = tensor.detach()
        return self._launch(
            Call(op="all_reduce", tensor=tensor, out=tensor, reduction=op, order=order)
        )

    def reduce_scatter(
        self, out: Tensor, tensor: Tensor, *, op: str = "sum", order: str = "rank"
    ) -> Work:
        """Reduce a tensor over the ranks; rank r keeps the r-th of N equal parts."""
        check_reduction("reduce_scatter", op, order, tensor)
        check_tensors("reduce_scatter", out, tensor, out_parts=1, parts=self.size)
        return self._launch(
            Call(
                op="reduce_scatter",
                tensor=tensor.detach(),
                out=out.detach(),
                reduction=op,
                order=order,
            )
        )

    def all_gather(self, out: Tensor, tensor: Tensor) -> Work:
        """Write the tensors of all ranks to ``out``, in rank order."""
        check_tensors("all_gather", out, tensor, out_parts=self.size, parts=1)
        return self._launch(Call(op="all_gather", tensor=tensor.detach(), out=out.detach()))

    def all_to_all(self, out: Tensor, tensor: Tensor) -> Work:
        """Send the r-th of N equal parts to rank r; write those received to ``out`` in order."""
        check_tensors("all_to_all", out, tensor, out_parts=self.size, parts=self.size)
        return self._launch(Call(op="all_to_all", tensor=tensor.detach(), out=out.detach()))

    def broadcast(self, tensor: Tensor, src: int = 0) -> Work:
        """Overwrite a tensor by that of rank ``src`` of the axis."""
        check_rank("broadcast", "src", src, self.size)
        check_tensors("broadcast", tensor, tensor, out_parts=1, parts=1)
        tensor = tensor.detach()
        return self._launch(Call(op="broadcast", tensor=tensor, out=tensor, peer=src))

    def send(self, tensor: Tensor, dst: int, tag: int = 0) -> Work:
        """Send a tensor to rank ``dst`` of the axis."""
        return self._message("send", "dst", tensor, dst, tag)

    def recv(self, tensor: Tensor, src: int, tag: int = 0) -> Work:
        """Overwrite a tensor by one received from rank ``src`` of the axis."""
        return self._message("recv", "src", tensor, src, tag)

    def _message(self, op: str, name: str, tensor: Tensor, peer: int, tag: int) -> Work:
        check_rank(op, name, peer, self.size)
        check_tag(op, tag)
        if peer == self.rank:
            raise ValueError(
                f"{op}: {name} is {peer}, which is this rank; copy the tensor instead."
            )
        check_tensors(op, tensor, tensor, out_parts=1, parts=1)
        tensor = tensor.detach()
        return self._launch(Call(op=op, tensor=tensor, out=tensor, peer=peer, tag=tag))

    def barrier(self) -> None:
        """Block until all ranks of the axis have called this."""
        nothing = torch.empty(0)
        self._launch(Call(op="barrier", tensor=nothing, out=nothing)).wait()
