"""``Layout``: parameters in one flat buffer, divided into equal shards, one for each rank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import Parameter

# Shard boundaries are multiples of this, whatever the parameters are.
CHUNK = 1024
# Alignment of each parameter, as in torch's allocator. The bits of a matrix product depend on the
# alignment of its operands on some processors.
ALIGNMENT_BYTES = 64


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Member:
    """Parameter in a flat buffer.

    Attributes:
        name: The name in the module; for a tied parameter the first one.
        parameter: The parameter.
        shape: The shape, which the parameter does not have while it is not gathered.
        start: The offset of its first element in the buffer.
    """

    name: str
    parameter: Parameter
    shape: torch.Size
    start: int

    @property
    def stop(self) -> int:
        """Return the end of its range, exclusive."""
        return self.start + self.shape.numel()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Piece:
    """Part of a parameter in a shard: a range of its flattened elements.

    Attributes:
        member: The parameter.
        start: The first element, within the parameter.
        stop: The end of the range, exclusive.
        place: The offset of the range in the shard.
    """

    member: Member
    start: int
    stop: int
    place: int

    def of(self, shard: Tensor) -> Tensor:
        """Return this range of a tensor that is laid out like the shard."""
        return shard[self.place : self.place + self.stop - self.start]


class Layout:
    """Layout of parameters in a buffer, and their division into shards.

    Attributes:
        members: The parameters in buffer order; all of one dtype and device. Each begins at a
            multiple of ``ALIGNMENT_BYTES``.
        num_elements: The length of the buffer, a multiple of ``size * CHUNK``.
        shard_size: The length of a shard.
    """

    def __init__(self, named: Sequence[tuple[str, Parameter]], size: int) -> None:
        members: list[Member] = []
        stop = 0
        for name, parameter in named:
            step = ALIGNMENT_BYTES // parameter.element_size()
            start = -(-stop // step) * step
            members.append(
                Member(name=name, parameter=parameter, shape=parameter.shape, start=start)
            )
            stop = members[-1].stop
        self.members = tuple(members)
        self.dtype, self.device = named[0][1].dtype, named[0][1].device
        self.num_elements = -(-stop // (size * CHUNK)) * size * CHUNK
        self.shard_size = self.num_elements // size

    def empty(self) -> Tensor:
        """Return a new buffer with zeros in the gaps between parameters."""
        flat = torch.empty(self.num_elements, dtype=self.dtype, device=self.device)
        starts = [member.start for member in self.members[1:]]
        for member, start in zip(self.members, [*starts, self.num_elements], strict=True):
            flat[member.stop : start] = 0
        return flat

    def shard(self, flat: Tensor, rank: int) -> Tensor:
        """Return the shard of a rank in a buffer."""
        return flat[rank * self.shard_size : (rank + 1) * self.shard_size]

    def whole_pieces(self) -> Iterator[Piece]:
        """Yield each parameter as a whole, for a rank that has the whole buffer."""
        for member in self.members:
            yield Piece(member=member, start=0, stop=member.shape.numel(), place=member.start)

    def pieces(self, rank: int) -> Iterator[Piece]:
        """Yield the parts of parameters in the shard of a rank, in buffer order."""
        first, last = rank * self.shard_size, (rank + 1) * self.shard_size
        for member in self.members:
            start, stop = max(first, member.start), min(last, member.stop)
            if start < stop:
                yield Piece(
                    member=member,
                    start=start - member.start,
                    stop=stop - member.start,
                    place=start - first,
                )
