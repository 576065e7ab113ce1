"""``Unit``: parameters that stage 3 gathers before their use and frees after it.

Every rank runs the same gathers in the same order, whichever branches it computes: forward in the
order in which the last rank has used the units, backward in the opposite one. A unit that a rank
does not use is gathered there, too. At the end of a forward pass the ranks ask each other whether
one has freed a unit that it uses again; then all gather it again, and keep it in later passes.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchstone.distributed.comm.protocol import Comm, Work
from torchstone.distributed.layout import Layout


class Gathered:
    """The whole buffer of a layout, which has memory only while it is gathered.

    Views of parameters that autograd has saved point to its storage. So that is emptied and filled
    again, and is always the same.
    """

    def __init__(self, layout: Layout, shard: Tensor, comm: Comm) -> None:
        self._layout, self._shard, self._comm = layout, shard, comm
        self._allocate()
        self._num_bytes = self._flat.untyped_storage().nbytes()
        self._nothing = self._flat.new_empty(0)
        self._work: Work | None = None
        self.is_there = True
        self.free()

    @property
    def is_away(self) -> bool:
        """Whether it is neither there nor on its way."""
        return not self.is_there and self._work is None

    def launch(self) -> None:
        """Begin to gather, unless it is there or on its way."""
        if not self.is_away:
            return
        self._flat.untyped_storage().resize_(self._num_bytes)
        with self._comm.ledger.labelled(f"gather {self._layout.members[0].name}"):
            self._work = self._comm.all_gather(self._flat, self._shard)

    def wait(self) -> None:
        """Return when the parameters have their values."""
        if self._work is not None:
            self._work.wait()
            self._work = None
            self.is_there = True
            for member, view in zip(self._layout.members, self._views, strict=True):
                member.parameter.data = view

    def keep(self) -> None:
        """Take what was changed in the gathered parameters of this rank's part into the shard."""
        self._shard.copy_(self._layout.shard(self._flat, self._comm.rank))

    def free(self) -> None:
        """Give the memory back; the parameters are empty until they are gathered again."""
        self.wait()
        if self.is_there:
            self.is_there = False
            for member in self._layout.members:
                # To read one of them now gives nothing, where the emptied storage would be a crash.
                member.parameter.data = self._nothing
            if not self._flat.untyped_storage().resizable():
                # Somebody has made an array of it, which keeps the memory as it is.
                self._allocate()
            self._flat.untyped_storage().resize_(0)

    def _allocate(self) -> None:
        layout = self._layout
        self._flat = torch.empty(layout.num_elements, dtype=layout.dtype, device=layout.device)
        self._views = [
            self._flat[member.start : member.stop].view(member.shape) for member in layout.members
        ]


class Unit:
    """Parameters that are gathered together, one buffer for each dtype."""

    def __init__(self, buffers: Sequence[Gathered]) -> None:
        self._buffers = buffers

    @property
    def is_there(self) -> bool:
        """Whether the parameters have their values."""
        return all(each.is_there for each in self._buffers)

    @property
    def is_away(self) -> bool:
        """Whether the parameters are neither there nor on their way."""
        return any(each.is_away for each in self._buffers)

    def launch(self) -> None:
        """Begin to gather."""
        for each in self._buffers:
            each.launch()

    def wait(self) -> None:
        """Return when the parameters have their values."""
        for each in self._buffers:
            each.wait()

    def keep(self) -> None:
        """Take what was changed in the gathered parameters into the shard."""
        for each in self._buffers:
            each.keep()

    def free(self) -> None:
        """Give the memory back."""
        for each in self._buffers:
            each.free()


class Gatherer:
    """Gathers the units of a module in one order, which is that of all ranks.

    Args:
        units: In the order in which they are used; the last one stays between the passes.
        prefetch: How many units are gathered ahead.
        comm: The ranks, on the channel of the gathers.
    """

    def __init__(self, units: Sequence[Unit], prefetch: int, comm: Comm) -> None:
        self._comm = comm
        self._units = list(units)
        self._next = self._units
        self._prefetch = prefetch
        self._used: list[Unit] = []
        # What a rank has used again after it was freed stays to the end of a forward pass.
        self._kept: set[Unit] = set()
        self._cursor = 0
        self._step = 1

    def begin_forward(self) -> None:
        """Begin a forward pass; what is left of another one is freed."""
        for unit in self._units:
            unit.free()
        self._units, self._next = self._next, self._next
        self._used = []
        self._cursor, self._step = 0, 1

    def begin_backward(self) -> None:
        """Begin a backward pass, unless one runs."""
        if self._step == 1:
            self._cursor, self._step = len(self._units) - 1, -1

    @property
    def is_backward(self) -> bool:
        """Whether a backward pass runs."""
        return self._step == -1

    def numbers(self) -> list[int]:
        """Return the numbers of all units, in the order of their first use in this pass."""
        unused = [unit for unit in self._units if unit not in self._used]
        return [self._units.index(unit) for unit in (*self._used, *unused)]

    def reorder(self, numbers: Sequence[int]) -> None:
        """Gather in another order from the next forward pass on."""
        self._next = [self._units[number] for number in numbers]

    def need(self, unit: Unit) -> None:
        """Return when a unit is there; those that come before it are launched first."""
        number = self._units.index(unit)
        if unit not in self._used:
            self._used.append(unit)
        self._advance(number + self._step * self._prefetch)
        if unit.is_away and not self.is_backward:
            # It was freed in this pass, and is used again. The others are asked at their end.
            self._advance(len(self._units) - 1)
            self._gather_again(number)
        unit.launch()
        unit.wait()

    def end(self, *, is_kept: bool) -> None:
        """Launch what is left of a pass, so that the next one begins alike on all ranks."""
        while 0 <= self._cursor < len(self._units):
            self._launch_next()
        if self._units and not self.is_backward:
            while self._gather_again(None):
                pass
        # Also what this rank has gathered for others: else they gather it in the next pass alone.
        for unit in self._units:
            self.done(unit, is_kept=is_kept)
        self._cursor, self._step = len(self._units), 1

    def done(self, unit: Unit, *, is_kept: bool) -> None:
        """Free a unit after its use, unless it is the one that the backward pass begins with."""
        if not (is_kept and unit is self._units[-1]):
            unit.free()

    def leave(self, unit: Unit, *, is_kept: bool) -> None:
        """Free a unit after a use in a forward pass, unless it will be used again."""
        if unit not in self._kept:
            self.done(unit, is_kept=is_kept)

    def _gather_again(self, number: int | None) -> bool:
        """Gather what any rank has freed too early; return whether one has.

        Args:
            number: The unit that this rank needs; ``None`` if it is at the end of the pass.
        """
        asked = torch.tensor([-1 if number is None else number])
        answers = asked.new_empty(self._comm.size)
        self._comm.all_gather(answers, asked).wait()
        numbers = sorted(set(answers.tolist()) - {-1})
        for each in numbers:
            unit = self._units[each]
            # Where it is still there it is gathered as well: a gather needs all ranks.
            unit.free()
            unit.launch()
            unit.wait()
            self._kept.add(unit)
        return bool(numbers)

    def _advance(self, target: int) -> None:
        while 0 <= self._cursor < len(self._units) and self._step * (target - self._cursor) >= 0:
            self._launch_next()

    def _launch_next(self) -> None:
        self._units[self._cursor].launch()
        self._cursor += self._step
