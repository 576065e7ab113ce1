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
# Maximum size of all buffers, in units of the largest one: two, and small ones between them.
_MOST_BUFFERS = 2 + 1 / 128


class ShardParameter(Parameter):
    """Flat range of a parameter, as the optimizer of one rank sees it.

    Attributes:
        whole: The whole parameter.
        whole_name: The name of the whole parameter in the module.
        whole_shape: The shape of the whole parameter.
        piece: The range, and its offset in the shard.
    """

    whole: Parameter
    whole_name: str
    whole_shape: torch.Size
    piece: Piece


class Shard:
    """Buffer of parameters and gradients, and the part of this rank.

    Attributes:
        layout: The layout of the parameters in the buffer.
        is_whole: Whether the part of this rank is the whole buffer, as in stage 0.
        values: The part of this rank, in the dtype of the parameters.
        master: A float32 copy of ``values`` for 16-bit parameters; otherwise ``values`` itself.
        pieces: The parameters of the optimizer: ranges of ``master``.
        grad: The averaged gradients of the part, in the dtype of ``master``.
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
        # The whole parameters, if this rank keeps them between steps.
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
        # Parameters whose float64 buffer contains a sum since the last exchange.
        self._added: set[Parameter] = set()
        self._views: dict[Parameter, tuple[int, int]] = {
            member.parameter: (member.start, member.stop) for member in layout.members
        }

    @property
    def is_full(self) -> bool:
        """Return whether all gradients are in the buffer."""
        return self._missing == 0

    @property
    def is_begun(self) -> bool:
        """Return whether at least one gradient is in the buffer, for the exchange."""
        return self._missing < len(self.layout.members)

    @property
    def num_bytes(self) -> int:
        """Return the number of bytes of the gradients of the whole buffer."""
        return self.layout.num_elements * self.values.element_size()

    def is_joined(self, *, timeout_s: float) -> bool:
        """Return whether every rank is known to have launched the exchange."""
        return all(is_joined(work, timeout_s=timeout_s) for work in self._works)

    def holds(self, parameter: Parameter) -> bool:
        """Return whether a parameter is still a view of the buffer, if the buffer is kept."""
        if self._flat is None:
            return True
        storages = (parameter.untyped_storage(), self._flat.untyped_storage())
        return storages[0].data_ptr() == storages[1].data_ptr()

    def take(self, parameter: Parameter) -> None:
        """Move the gradient of a parameter to the buffer for the exchange; zeros for none."""
        self._missing -= 1
        if parameter.grad is not None:
            self.add(parameter)
        elif parameter not in self._added:
            self._part_of(parameter).zero_()

    def fill(self, taken: Collection[Parameter]) -> None:
        """Call ``take`` for the remaining parameters, most of which have no gradient."""
        for member in self.layout.members:
            if member.parameter not in taken:
                self.take(member.parameter)

    def add(self, parameter: Parameter) -> None:
        """Move the gradient of a parameter to the buffer; in float64, add it."""
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
        """Start to average the gradients over the ranks."""
        assert self._sum is not None, "a bucket is reduced before it has a gradient"
        if self.is_wide and self._comm.size == 1:
            # `finish` copies it when it rounds.
            self._came = self._sum
            return
        self._came = torch.empty_like(self.master, dtype=torch.float64 if self.is_wide else None)
        op = "mean" if self._divide_by is None else "sum"
        part = self.layout.shard(self._came, self._comm.rank) if self.is_whole else self._came
        with self._comm.ledger.labelled(f"reduce {self.layout.members[0].name}"):
            self._works = [self._comm.reduce_scatter(part, self._sum, op=op, order=self._order)]
            if self.is_whole:
                # The gather runs after the reduction, whose results it distributes.
                self._works.append(self._comm.all_gather(self._came, part))

    def finish(self) -> None:
        """Add the averaged gradients to ``grad``; free the buffer if it is transient."""
        assert self._came is not None, "a bucket was not launched"
        for work in self._works:
            work.wait()
        if self.is_wide:
            # Divide and round in one pass over the memory.
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
        """Discard all gradients."""
        self.grad = None
        self._added.clear()
        if self._is_transient:
            self._sum = None

    def publish(self) -> Work | None:
        """Start to send the updated values to all ranks; return None if they stay in shards."""
        if self.is_apart:
            self.values.copy_(self.master)
        if self._flat is None or self.is_whole:
            return None
        with self._comm.ledger.labelled(f"publish {self.layout.members[0].name}"):
            return self._comm.all_gather(self._flat, self.values)

    def take_over(self) -> None:
        """Copy values that were modified to the master."""
        if self.is_apart:
            is_other = self.master.to(self.values.dtype) != self.values
            self.master[is_other] = self.values[is_other].to(self.master.dtype)

    def nothing(self) -> ShardParameter:
        """Return an empty range of the first parameter, for a rank without any elements."""
        return self._parameter(Piece(member=self.layout.members[0], start=0, stop=0, place=0))

    def counted_grads(self) -> Iterator[Tensor]:
        """Yield the ranges of ``grad`` such that over all ranks each element occurs once."""
        if self.grad is None:
            return
        whole = self.is_whole
        grad = self.layout.shard(self.grad, self._comm.rank) if whole else self.grad
        for piece in self.layout.pieces(self._comm.rank):
            yield piece.of(grad)

    def gradients(self) -> Iterator[Tensor]:
        """Yield the allocated gradient buffers."""
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
    """Return whether there is room for one more buffer: all are at most two of the largest.

    Args:
        shard: The shard that needs a buffer.
        shards: All shards, in the order of their exchange.
        first: The first one whose exchange is not finished.
        stop: The first one whose exchange is not launched.
    """
    most = _MOST_BUFFERS * max(each.num_bytes for each in shards)
    return shard.num_bytes + sum(each.num_bytes for each in shards[first:stop]) <= most


def require_unchanged(module: nn.Module, shard_of: Mapping[Parameter, Shard]) -> None:
    """Raise an error if no step updates some parameter of a module.

    Raises:
        RuntimeError: A parameter was moved, converted, added or replaced after sharding.
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
    """Return the number of bytes of the storages of some tensors; shared ones count once."""
    storages = {}
    for tensor in tensors:
        storage = tensor.untyped_storage()
        if storage.nbytes():
            storages[storage.data_ptr()] = storage.nbytes()
    return sum(storages.values())


@torch.no_grad()
def _move(layout: Layout, flat: Tensor) -> None:
    """Make the parameters views of a buffer."""
    for member in layout.members:
        view = flat[member.start : member.stop].view(member.shape)
        view.copy_(member.parameter)
        member.parameter.data = view
