"""``Comm`` and ``Work``: the interface of all backends, and the errors they raise."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

from torch import Tensor

from torchstone.distributed.comm.ledger import Ledger


class Deadlock(RuntimeError):
    """Raised when ranks wait for each other forever; the message gives the position of each."""


class Mismatch(RuntimeError):
    """Raised when the sizes, dtypes or arguments of ranks in one collective differ."""


class RankLost(RuntimeError):
    """Raised when a rank left, or timed out, while others waited for it."""


@runtime_checkable
class Work(Protocol):
    """Launched collective."""

    def wait(self) -> None:
        """Block until the tensors contain the result; later calls return at once.

        Raises:
            Deadlock: The ranks wait for each other forever.
            Mismatch: The tensors or arguments of the ranks differ.
            RankLost: A rank left, or the timeout passed.
        """


@runtime_checkable
class Comm(Protocol):
    """Communicator: the collectives of one axis, as seen by one of its ranks.

    Every rank calls the same collectives in the same order, and they run in that order, so a
    collective may use what the previous one writes. A tensor may have any dtype and strides, and be
    0-d or empty. It must not be read or written between the launch and ``wait``.

    The operation of a reduction is ``"sum"``, ``"mean"``, ``"product"``, ``"min"`` or ``"max"``.
    Its order is

    - ``"rank"``: ((t0 + t1) + t2) + …, in the dtype of the tensors, for every number of ranks and
      every size: bit-equal to one process that adds in this order;
    - ``"float64"``: the same in float64, rounded once at the end, so that in practice the bits
      depend on neither the order nor the number of ranks;
    - ``"fast"``: the order of the backend.

    Attributes:
        rank: This rank within the axis.
        size: The number of ranks of the axis.
        ranks: The ranks of the world that belong to the axis, by their rank within it.
        axis: The name of the axis.
        ledger: The collectives of this rank on this axis.
    """

    rank: int
    size: int
    ranks: tuple[int, ...]
    axis: str
    ledger: Ledger

    def all_reduce(self, tensor: Tensor, *, op: str = "sum", order: str = "rank") -> Work:
        """Reduce a tensor over the ranks, in place.

        Complexity:
            Each rank sends 2 (N - 1) / N bytes per byte of the tensor, in every order.
        """

    def reduce_scatter(
        self, out: Tensor, tensor: Tensor, *, op: str = "sum", order: str = "rank"
    ) -> Work:
        """Reduce a tensor over the ranks; rank r keeps the r-th of N equal parts, in ``out``.

        16-bit inputs may be summed into a float32 ``out``; they are transferred in 16 bits.

        Complexity:
            Each rank sends (N - 1) / N bytes per byte of ``tensor``.
        """

    def all_gather(self, out: Tensor, tensor: Tensor) -> Work:
        """Concatenate the tensors of all ranks in ``out``, in rank order."""

    def all_to_all(self, out: Tensor, tensor: Tensor) -> Work:
        """Send the r-th of N equal parts to rank r; write those received to ``out`` in order."""

    def broadcast(self, tensor: Tensor, src: int = 0) -> Work:
        """Overwrite a tensor by that of rank ``src`` of the axis."""

    def send(self, tensor: Tensor, dst: int, tag: int = 0) -> Work:
        """Send a tensor to rank ``dst`` of the axis, which receives it with the same tag."""

    def recv(self, tensor: Tensor, src: int, tag: int = 0) -> Work:
        """Overwrite a tensor by one that rank ``src`` of the axis sends with the same tag."""

    def duplicate(self) -> Comm:
        """Return a communicator of the same ranks with its own queue.

        Its collectives are not ordered relative to those of the original. Both write to one ledger.
        Every rank of the axis must call this.
        """

    def barrier(self) -> None:
        """Block until all ranks of the axis have called this."""
