"""``Shard``: one buffer of parameters, of which this rank updates a part."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import torch
from torch import Tensor, nn
from torch.nn import Parameter

from torchstone.distributed.comm.protocol import Comm, Work
from torchstone.distributed.comm.waiting import is_joined
from torchstone.distributed.layout import Layout, Piece

_HALVES = (torch.bfloat16, torch.float16)
# Of the largest buffer, how much is there at most: two, and what is small between them.
_MOST_BUFFERS = 2 + 1 / 128


class ShardParameter(Parameter):
    """A range of a parameter, flat, as the optimiser of one rank sees it.

    Attributes:
        whole: The parameter.
        whole_name: Its name in the module.
        whole_shape: Its shape.
        piece: Which range it is, and where it lies in the shard.
    """

    whole: Parameter
    whole_name: str
    whole_shape: torch.Size
    piece: Piece


class Shard:
    """One buffer of parameters and gradients, and the part of this rank.

    Attributes:
        layout: Where each parameter lies in the buffer.
        is_whole: Whether the part of this rank is all of it, as in stage 0.
        values: The part of this rank, in the dtype of the parameters.
        master: The same in float32, where that is another dtype; otherwise ``values``.
        pieces: What the optimiser updates: ranges of ``master``.
        grad: The mean of the gradients of the part, in the dtype of ``master``.
    """

    def __init__(
        self,
        layout: Layout,
        comm: Comm,
        *,
        order: str,
        is_transient: bool,
        divide_by: int | None = None,
        is_whole: bool = False,
        values: Tensor | None = None,
    ) -> None:
        self.layout = layout
        self._comm, self._order = comm, order
        self._is_transient, self._divide_by = is_transient, divide_by
        self.is_wide = order == "float64"
        self.is_whole = is_whole
        # The whole parameters, where this rank has them between the steps.
        self._flat = layout.empty() if values is None else None
        if self._flat is not None:
            _move(layout, self._flat)
            values = self._flat if is_whole else layout.shard(self._flat, comm.rank)
        assert values is not None
        self.values = values
        self.is_apart = layout.dtype in _HALVES
        self.master = values.float() if self.is_apart else values
        pieces = layout.whole_pieces() if is_whole else layout.pieces(comm.rank)
        self.pieces = [self._parameter(piece) for piece in pieces]
        self.grad: Tensor | None = None
        self._sum = None if is_transient else self._buffer()
        self._came: Tensor | None = None
        self._works: list[Work] = []
        self._missing = len(layout.members)
        # Whose part of a buffer in float64 has a sum since the last exchange.
        self._added: set[Parameter] = set()
        self._views: dict[Parameter, tuple[int, int]] = {
            member.parameter: (member.start, member.stop) for member in layout.members
        }

    @property
    def is_full(self) -> bool:
        """Whether all gradients are in the buffer."""
        return self._missing == 0

    @property
    def is_begun(self) -> bool:
        """Whether some gradient is in the buffer, for the exchange."""
        return self._missing < len(self.layout.members)

    @property
    def num_bytes(self) -> int:
        """Of its gradients, on all ranks together."""
        return self.layout.num_elements * self.values.element_size()

    def is_joined(self, *, timeout_s: float) -> bool:
        """Return whether every rank has launched the exchange, as far as this one knows."""
        return all(is_joined(work, timeout_s=timeout_s) for work in self._works)

    def holds(self, parameter: Parameter) -> bool:
        """Return whether a parameter still lies in the buffer, where that is kept."""
        if self._flat is None:
            return True
        storages = (parameter.untyped_storage(), self._flat.untyped_storage())
        return storages[0].data_ptr() == storages[1].data_ptr()

    def take(self, parameter: Parameter) -> None:
        """Move the gradient of a parameter to the buffer, for the exchange; of none, zeros."""
        self._missing -= 1
        if parameter.grad is not None:
            self.add(parameter)
        elif parameter not in self._added:
            self._part_of(parameter).zero_()

    def fill(self, taken: Collection[Parameter]) -> None:
        """Take what has not been taken; of most of it there is no gradient."""
        for member in self.layout.members:
            if member.parameter not in taken:
                self.take(member.parameter)

    def add(self, parameter: Parameter) -> None:
        """Move the gradient of a parameter to the buffer, in float64 to what is there."""
        assert parameter.grad is not None, "there is no gradient to move"
        part = self._part_of(parameter).view(parameter.grad.shape)
        if parameter in self._added:
            part.add_(parameter.grad)
        else:
            part.copy_(parameter.grad)
        if self.is_wide:
            self._added.add(parameter)
        parameter.grad = None

    def reduce(self) -> None:
        """Begin to average the gradients over the ranks."""
        assert self._sum is not None, "a bucket is reduced before it has a gradient"
        if self.is_wide and self._comm.size == 1:
            # It is copied when it is rounded.
            self._came = self._sum
            return
        self._came = torch.empty_like(self.master, dtype=torch.float64 if self.is_wide else None)
        op = "mean" if self._divide_by is None else "sum"
        part = self.layout.shard(self._came, self._comm.rank) if self.is_whole else self._came
        with self._comm.ledger.labelled(f"reduce {self.layout.members[0].name}"):
            self._works = [self._comm.reduce_scatter(part, self._sum, op=op, order=self._order)]
            if self.is_whole:
                # It begins after the one before it, of which it gathers what each rank got.
                self._works.append(self._comm.all_gather(self._came, part))

    def finish(self) -> None:
        """Add to ``grad`` what came; free the buffer if it is not kept."""
        assert self._came is not None, "a bucket was not launched"
        for work in self._works:
            work.wait()
        if self.is_wide:
            # Divided and rounded in one pass over the memory.
            came = torch.empty_like(self.master)
            torch.div(self._came, self._divide_by or 1, out=came)
        else:
            came = self._came.to(self.master.dtype)
            if self._divide_by is not None:
                came.div_(self._divide_by)
        self.grad = came if self.grad is None else self.grad.add_(came)
        self._works, self._came = [], None
        self._missing = len(self.layout.members)
        self._added.clear()
        if self._is_transient:
            self._sum = None

    def forget(self) -> None:
        """Forget all gradients."""
        self.grad = None
        self._added.clear()
        if self._is_transient:
            self._sum = None

    def publish(self) -> Work | None:
        """Begin to give every rank the updated values; return nothing where they stay in shards."""
        if self.is_apart:
            self.values.copy_(self.master)
        if self._flat is None or self.is_whole:
            return None
        with self._comm.ledger.labelled(f"publish {self.layout.members[0].name}"):
            return self._comm.all_gather(self._flat, self.values)

    def take_over(self) -> None:
        """Let the master have what was written to the values."""
        if self.is_apart:
            is_other = self.master.to(self.values.dtype) != self.values
            self.master[is_other] = self.values[is_other].to(self.master.dtype)

    def nothing(self) -> ShardParameter:
        """Return no element of the first parameter, for a rank that has none of any."""
        return self._parameter(Piece(member=self.layout.members[0], start=0, stop=0, place=0))

    def counted_grads(self) -> Iterator[Tensor]:
        """Yield the ranges of ``grad`` that this rank counts where each element counts once."""
        if self.grad is None:
            return
        whole = self.is_whole
        grad = self.layout.shard(self.grad, self._comm.rank) if whole else self.grad
        for piece in self.layout.pieces(self._comm.rank):
            yield piece.of(grad)

    def gradients(self) -> Iterator[Tensor]:
        """Yield the buffers of gradients that are held."""
        for each in (self._sum, self._came, self.grad):
            if each is not None:
                yield each

    def _buffer(self) -> Tensor:
        if not self.is_wide:
            return self.layout.empty()
        shape = self.layout.num_elements
        return torch.zeros(shape, dtype=torch.float64, device=self.layout.device)

    def _part_of(self, parameter: Parameter) -> Tensor:
        if self._sum is None:
            self._sum = self._buffer()
        start, stop = self._views[parameter]
        return self._sum[start:stop]

    def _parameter(self, piece: Piece) -> ShardParameter:
        parameter = ShardParameter(piece.of(self.master))
        parameter.piece = piece
        parameter.whole = piece.member.parameter
        parameter.whole_name, parameter.whole_shape = piece.member.name, piece.member.shape
        return parameter


def has_room(shard: Shard, shards: Sequence[Shard], first: int, stop: int) -> bool:
    """Return whether the buffers under way and one more are not more than two of the largest.

    Args:
        shard: What the buffer is for.
        shards: All of them, in the order in which they travel.
        first: The first one that is under way.
        stop: The first one behind it that is not launched yet.
    """
    most = _MOST_BUFFERS * max(each.num_bytes for each in shards)
    return shard.num_bytes + sum(each.num_bytes for each in shards[first:stop]) <= most


def require_unchanged(module: nn.Module, shard_of: Mapping[Parameter, Shard]) -> None:
    """Refuse a module with parameters that no step updates.

    Raises:
        RuntimeError: One was moved, converted, added or replaced after the module was cut.
    """
    for name, parameter in module.named_parameters():
        shard = shard_of.get(parameter)
        if shard is not None and not shard.holds(parameter):
            raise RuntimeError(
                f"Zero: {name} was moved or converted after the module was cut; do that before."
            )
        if shard is None and parameter.requires_grad:
            raise RuntimeError(
                f"Zero: {name} was added, replaced, or no longer frozen, after the module was "
                "cut; make Zero again."
            )


def num_bytes(tensors: Iterable[Tensor]) -> int:
    """Return the bytes of memory behind some tensors; what they share counts once."""
    storages = {}
    for tensor in tensors:
        storage = tensor.untyped_storage()
        if storage.nbytes():
            storages[storage.data_ptr()] = storage.nbytes()
    return sum(storages.values())


@torch.no_grad()
def _move(layout: Layout, flat: Tensor) -> None:
    """Let the parameters lie in a buffer."""
    for member in layout.members:
        view = flat[member.start : member.stop].view(member.shape)
        view.copy_(member.parameter)
        member.parameter.data = view
