"""``Unit``: parameters that stage 3 gathers before their use and frees after it.

Every rank runs the same gathers in the same order, whichever branches it computes: forward in the
order in which the last rank has used the units, backward in the reverse order. This includes units
that a rank does not use. At the end of a forward pass the ranks check whether one of them needs a
unit again that it has freed; then all gather it again, and keep it in later passes.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from torchstone.distributed.comm.protocol import Comm, Work
from torchstone.distributed.layout import Layout


class Gathered:
    """Whole buffer of a layout, which has memory only while it is gathered.

    Views of parameters that autograd has saved refer to its storage. So the storage is always the
    same one, which is resized.
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
        """Return whether it is neither gathered nor being gathered."""
        return not self.is_there and self._work is None

    def launch(self) -> None:
        """Start to gather, unless it is gathered or being gathered."""
        if not self.is_away:
            return
        self._flat.untyped_storage().resize_(self._num_bytes)
        with self._comm.ledger.labelled(f"gather {self._layout.members[0].name}"):
            self._work = self._comm.all_gather(self._flat, self._shard)

    def wait(self) -> None:
        """Block until the parameters have their values."""
        if self._work is not None:
            self._work.wait()
            self._work = None
            self.is_there = True
            for member, view in zip(self._layout.members, self._views, strict=True):
                member.parameter.data = view

    def keep(self) -> None:
        """Copy this rank's part of the gathered parameters to the shard."""
        self._shard.copy_(self._layout.shard(self._flat, self._comm.rank))

    def free(self) -> None:
        """Free the memory; the parameters are empty until they are gathered again."""
        self.wait()
        if self.is_there:
            self.is_there = False
            for member in self._layout.members:
                # Reading a parameter now gives an empty tensor; the emptied storage would crash.
                member.parameter.data = self._nothing
            if not self._flat.untyped_storage().resizable():
                # A NumPy array shares the storage, which keeps it from being resized.
                self._allocate()
            self._flat.untyped_storage().resize_(0)

    def _allocate(self) -> None:
        layout = self._layout
        self._flat = torch.empty(layout.num_elements, dtype=layout.dtype, device=layout.device)
        self._views = [
            self._flat[member.start : member.stop].view(member.shape) for member in layout.members
        ]


class Unit:
    """Parameters that are gathered together, in one buffer for each dtype."""

    def __init__(self, buffers: Sequence[Gathered]) -> None:
        self._buffers = buffers

    @property
    def is_there(self) -> bool:
        """Return whether the parameters have their values."""
        return all(each.is_there for each in self._buffers)

    @property
    def is_away(self) -> bool:
        """Return whether the parameters are neither gathered nor being gathered."""
        return any(each.is_away for each in self._buffers)

    def launch(self) -> None:
        """Start to gather."""
        for each in self._buffers:
            each.launch()

    def wait(self) -> None:
        """Block until the parameters have their values."""
        for each in self._buffers:
            each.wait()

    def keep(self) -> None:
        """Copy this rank's part of the gathered parameters to the shards."""
        for each in self._buffers:
            each.keep()

    def free(self) -> None:
        """Free the memory."""
        for each in self._buffers:
            each.free()


class Gatherer:
    """Scheduler that gathers the units of a module in the same order on all ranks.

    Args:
        units: The units in the order of their use; the last one is kept between the passes.
        prefetch: The number of units to gather ahead.
        comm: The communicator of the gathers.
    """

    def __init__(self, units: Sequence[Unit], prefetch: int, comm: Comm) -> None:
        self._comm = comm
        self._units = list(units)
        self._next = self._units
        self._prefetch = prefetch
        self._used: list[Unit] = []
        # Units that a rank used again after they were freed; they are kept until the forward pass
        # ends.
        self._kept: set[Unit] = set()
        self._cursor = 0
        self._step = 1

    def begin_forward(self) -> None:
        """Start a forward pass, and free the units of an unfinished one."""
        for unit in self._units:
            unit.free()
        self._units, self._next = self._next, self._next
        self._used = []
        self._cursor, self._step = 0, 1

    def begin_backward(self) -> None:
        """Start a backward pass, unless one is running."""
        if self._step == 1:
            self._cursor, self._step = len(self._units) - 1, -1

    @property
    def is_backward(self) -> bool:
        """Return whether a backward pass is running."""
        return self._step == -1

    def numbers(self) -> list[int]:
        """Return the numbers of all units, in the order of their first use in this pass."""
        unused = [unit for unit in self._units if unit not in self._used]
        return [self._units.index(unit) for unit in (*self._used, *unused)]

    def reorder(self, numbers: Sequence[int]) -> None:
        """Change the order of gathers from the next forward pass on."""
        self._next = [self._units[number] for number in numbers]

    def need(self, unit: Unit) -> None:
        """Block until a unit is gathered; launch the gathers of those before it first."""
        number = self._units.index(unit)
        if unit not in self._used:
            self._used.append(unit)
        self._advance(number + self._step * self._prefetch)
        if unit.is_away and not self.is_backward:
            # It was freed in this pass, and is used again. Other ranks learn this at the end of
            # their pass.
            self._advance(len(self._units) - 1)
            self._gather_again(number)
        unit.launch()
        unit.wait()

    def end(self, *, is_kept: bool) -> None:
        """Launch the remaining gathers, so that the next pass starts alike on all ranks."""
        while 0 <= self._cursor < len(self._units):
            self._launch_next()
        if self._units and not self.is_backward:
            while self._gather_again(None):
                pass
        # Include units gathered only for other ranks, which would otherwise gather them alone
        # later.
        for unit in self._units:
            self.done(unit, is_kept=is_kept)
        self._cursor, self._step = len(self._units), 1

    def done(self, unit: Unit, *, is_kept: bool) -> None:
        """Free a unit after its use, unless the backward pass starts with it."""
        if not (is_kept and unit is self._units[-1]):
            unit.free()

    def leave(self, unit: Unit, *, is_kept: bool) -> None:
        """Free a unit after its use in a forward pass, unless it will be used again."""
        if unit not in self._kept:
            self.done(unit, is_kept=is_kept)

    def _gather_again(self, number: int | None) -> bool:
        """Gather the units that any rank has freed too early; return whether there are any.

        Args:
            number: The unit that this rank needs; None at the end of the pass.
        """
        asked = torch.tensor([-1 if number is None else number])
        answers = asked.new_empty(self._comm.size)
        self._comm.all_gather(answers, asked).wait()
        numbers = sorted(set(answers.tolist()) - {-1})
        for each in numbers:
            unit = self._units[each]
            # Gather it even where it is available, because a gather needs all ranks.
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
