"""``Comm`` and ``Work``: what every backend of collectives offers, and the errors it raises."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from torch import Tensor

from torchstone.distributed.comm.ledger import Ledger


class Deadlock(RuntimeError):
    """Raised when ranks wait for each other for ever; the message says where each one stands."""


class Mismatch(RuntimeError):
    """Raised when ranks take part in one collective with unlike sizes, dtypes or arguments."""


class RankLost(RuntimeError):
    """Raised when a rank left, or said nothing until the timeout, while others waited for it."""


@runtime_checkable
class Work(Protocol):
    """A collective that has been launched."""

    def wait(self) -> None:
        """Return when the tensors hold the result; a second call returns at once.

        Raises:
            Deadlock: The ranks wait for each other for ever.
            Mismatch: The ranks gave unlike tensors or arguments.
            RankLost: A rank left, or the timeout passed.
        """


@runtime_checkable
class Comm(Protocol):
    """The ranks of one axis, seen from one of them.

    Every rank calls the same collectives in the same order, and they run in that order: one may use
    what the one before it writes. A tensor may be of any dtype and
    strides, 0-d or empty. It must not be read or written between the launch and ``wait``.

    The operation of a reduction is ``"sum"``, ``"mean"``, ``"product"``, ``"min"`` or ``"max"``.
    Its order is

    - ``"rank"``: ((t0 + t1) + t2) + …, in the dtype of the tensors, for every number of ranks and
      every size: the bits of one process that adds in this order;
    - ``"float64"``: the same in float64, rounded once at the end, so that in practice no order and
      no number of ranks shows in the bits;
    - ``"fast"``: whatever the backend does.

    Attributes:
        rank: This rank within the axis.
        size: The number of ranks of the axis.
        ranks: The ranks of the world that belong to the axis, by their rank within it.
        axis: The name of the axis.
        ledger: What this rank has sent and received here.
    """

    rank: int
    size: int
    ranks: tuple[int, ...]
    axis: str
    ledger: Ledger

    def all_reduce(self, tensor: Tensor, *, op: str = "sum", order: str = "rank") -> Work:
        """Reduce a tensor over the ranks, in place.

        Complexity:
            Each rank sends 2 (N - 1) / N bytes for every byte of the tensor, in every order.
        """

    def reduce_scatter(
        self, out: Tensor, tensor: Tensor, *, op: str = "sum", order: str = "rank"
    ) -> Work:
        """Reduce a tensor over the ranks; rank r keeps the r-th of N equal parts, in ``out``.

        Numbers of 16 bits may be added in a float32 ``out``; they travel with 16 bits.

        Complexity:
            Each rank sends (N - 1) / N bytes for every byte of ``tensor``.
        """

    def all_gather(self, out: Tensor, tensor: Tensor) -> Work:
        """Write the tensors of all ranks to ``out``, one behind the other, in rank order."""

    def all_to_all(self, out: Tensor, tensor: Tensor) -> Work:
        """Send the r-th of N equal parts to rank r; write what came to ``out``, in rank order."""

    def broadcast(self, tensor: Tensor, src: int = 0) -> Work:
        """Overwrite a tensor by that of one rank of the axis."""

    def send(self, tensor: Tensor, dst: int, tag: int = 0) -> Work:
        """Send a tensor to a rank of the axis, which receives it with the same tag."""

    def recv(self, tensor: Tensor, src: int, tag: int = 0) -> Work:
        """Overwrite a tensor by one that a rank of the axis sends with the same tag."""

    def duplicate(self) -> Comm:
        """Return the same ranks with a queue of their own.

        Collectives of the one may be in any order relative to those of the other. Both write to one
        ledger. Every rank of the axis duplicates it.
        """

    def barrier(self) -> None:
        """Return when all ranks of the axis have come here."""
