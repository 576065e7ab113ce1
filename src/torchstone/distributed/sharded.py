"""``Sharded``: the parameters of stage 3, gathered unit by unit when the passes need them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import Parameter
from torch.utils._pytree import tree_leaves

from torchstone.distributed.comm.protocol import Comm
from torchstone.distributed.layout import Layout
from torchstone.distributed.shards import Shard
from torchstone.distributed.units import Gathered, Gatherer, Unit


def default_units(module: nn.Module) -> list[nn.Module]:
    """Return the layers of the largest list of modules, or else the children of the module.

    Without a list, embeddings are left to the root, because an output layer that is no module of
    its own may read their table, too.
    """
    lists = [each for each in module.modules() if isinstance(each, (nn.ModuleList, nn.Sequential))]
    largest = max(lists, key=_num_elements, default=None)
    if largest is not None:
        return [each for each in largest.children() if _num_elements(each)]
    return [
        each
        for each in module.children()
        if _num_elements(each) and not isinstance(each, nn.Embedding)
    ]


class Sharded:
    """Units of a module with their shards, and the hooks that gather and free them.

    Parameters outside of the units, and those that several units share, form the root. It is
    gathered when the module is called, and freed when the backward pass ends.

    Attributes:
        shards: The shards in the order in which their gradients are exchanged.
    """

    def __init__(
        self,
        module: nn.Module,
        units: Sequence[nn.Module],
        comm: Comm,
        *,
        prefetch: int,
        order: str,
        divide_by: int | None,
    ) -> None:
        self._comm, self._order, self._divide_by = comm, order, divide_by
        groups = _divide(module, units)
        self._channel = comm.duplicate()
        built = [self._build(named) for named in groups]
        self._root, roots = built[0]
        self._units = [unit for unit, _ in built[1:]]
        self._members = {
            unit: {parameter for _, parameter in named}
            for named, (unit, _) in zip(groups, built, strict=True)
        }
        self._unit_of = {each: unit for unit, members in self._members.items() for each in members}
        self._missing = {unit: set(members) for unit, members in self._members.items()}
        self._gatherer = Gatherer(self._units, prefetch, self._channel)
        self.shards = [shard for _, shards in reversed(built[1:]) for shard in shards] + roots
        self._has_order = False
        self._is_training = False
        self._is_whole = False
        module.register_forward_pre_hook(self._begin, prepend=True)
        module.register_forward_hook(self._end, always_call=True)
        for part, unit in zip(units, self._units, strict=True):
            part.register_forward_pre_hook(_Before(self, unit))
            part.register_forward_hook(_After(self, unit))

    def taken(self, parameter: Parameter) -> None:
        """Free a unit after its last gradient has been computed."""
        unit = self._unit_of[parameter]
        if unit is not self._root:
            self._missing[unit].discard(parameter)
            if not self._missing[unit]:
                unit.free()

    def skip(self) -> None:
        """Run the gathers of a forward and a backward pass that other ranks run."""
        self._root.launch()
        self._gatherer.begin_forward()
        self._gatherer.end(is_kept=True)
        self._agree_on_order()
        self.end_backward()

    def end_backward(self) -> None:
        """Run the gathers that the backward pass has left out, and free all units."""
        self._gatherer.begin_backward()
        self._gatherer.end(is_kept=False)
        self._free()
        self._missing = {unit: set(members) for unit, members in self._members.items()}

    @contextmanager
    def gathered(self) -> Iterator[None]:
        """Gather all units within the context, and keep what is written to them."""
        everything = [self._root, *self._units]
        for unit in everything:
            unit.launch()
        for unit in everything:
            unit.wait()
        self._is_whole = True
        try:
            yield
        finally:
            self._is_whole = False
            for unit in everything:
                unit.keep()
                unit.free()

    def before(self, unit: Unit) -> None:
        """Gather a unit for its forward pass or its recomputation."""
        if not self._is_whole:
            self._gatherer.need(unit)

    def after(self, unit: Unit, output: Any) -> None:
        """Free a unit after its forward pass, and register its gathering for the backward pass."""
        if self._is_whole:
            return
        self._watch(output, unit)
        if not self._gatherer.is_backward:
            self._gatherer.leave(unit, is_kept=self._is_training)

    def backward(self, unit: Unit) -> None:
        """Gather a unit for its backward pass."""
        if self._is_whole:
            return
        self._gatherer.begin_backward()
        if unit is self._root:
            # Another forward pass may have freed the root in the meantime.
            unit.launch()
            unit.wait()
        else:
            self._gatherer.need(unit)

    def _build(self, named: Sequence[tuple[str, Parameter]]) -> tuple[Unit, list[Shard]]:
        by_dtype: dict[torch.dtype, list[tuple[str, Parameter]]] = {}
        for name, parameter in named:
            by_dtype.setdefault(parameter.dtype, []).append((name, parameter))
        gathered: list[Gathered] = []
        shards: list[Shard] = []
        for each in by_dtype.values():
            layout = Layout(each, self._comm.size)
            values = _cut(layout, self._comm.rank)
            gathered.append(Gathered(layout, values, self._channel))
            shards.append(
                Shard(
                    layout,
                    self._comm,
                    order=self._order,
                    divide_by=self._divide_by,
                    is_transient=True,
                    values=values,
                )
            )
        return Unit(gathered), shards

    def _begin(self, module: nn.Module, inputs: Any) -> None:
        if self._is_whole or self._gatherer.is_backward:
            return
        self._is_training = torch.is_grad_enabled()
        self._root.launch()
        self._gatherer.begin_forward()
        self._root.wait()

    def _end(self, module: nn.Module, inputs: Any, output: Any) -> None:
        if self._is_whole or self._gatherer.is_backward:
            return
        self._gatherer.end(is_kept=self._is_training)
        self._agree_on_order()
        self._watch(output, self._root)
        if not self._is_training:
            self._free()

    def _watch(self, output: Any, unit: Unit) -> None:
        """Register the gathering of a unit for when the gradient of its output is computed."""
        if torch.is_grad_enabled():
            for tensor in tree_leaves(output):
                if isinstance(tensor, Tensor) and tensor.requires_grad:
                    tensor.register_hook(_Backward(self, unit))

    def _agree_on_order(self) -> None:
        """Adopt the order in which the last rank used the units in the first pass.

        If the numbers of micro-batches differ, the last rank skips none.
        """
        if not self._has_order and self._units:
            numbers = torch.tensor(self._gatherer.numbers())
            self._channel.broadcast(numbers, self._channel.size - 1).wait()
            self._gatherer.reorder(numbers.tolist())
            self._has_order = True

    def _free(self) -> None:
        for unit in (self._root, *self._units):
            unit.free()


class _Before:
    def __init__(self, sharded: Sharded, unit: Unit) -> None:
        self._sharded, self._unit = sharded, unit

    def __call__(self, module: nn.Module, inputs: Any) -> None:
        self._sharded.before(self._unit)


class _After:
    def __init__(self, sharded: Sharded, unit: Unit) -> None:
        self._sharded, self._unit = sharded, unit

    def __call__(self, module: nn.Module, inputs: Any, output: Any) -> None:
        self._sharded.after(self._unit, output)


class _Backward:
    def __init__(self, sharded: Sharded, unit: Unit) -> None:
        self._sharded, self._unit = sharded, unit

    def __call__(self, grad: Tensor) -> None:
        self._sharded.backward(self._unit)


def _num_elements(module: nn.Module) -> int:
    return sum(each.numel() for each in module.parameters() if each.requires_grad)


def _divide(module: nn.Module, units: Sequence[nn.Module]) -> list[list[tuple[str, Parameter]]]:
    """Return the named parameters of the root and of each unit."""
    owners: dict[Parameter, set[int]] = {}
    for number, unit in enumerate(units, start=1):
        for parameter in unit.parameters():
            owners.setdefault(parameter, set()).add(number)
    groups: list[list[tuple[str, Parameter]]] = [[] for _ in range(len(units) + 1)]
    inside = {id(each) for unit in units for each in unit.modules()}
    outside = {
        parameter
        for each in module.modules()
        if id(each) not in inside
        for parameter in each.parameters(recurse=False)
    }
    for name, parameter in module.named_parameters():
        if parameter.requires_grad:
            found = owners.get(parameter, set())
            is_shared = len(found) != 1 or parameter in outside
            groups[0 if is_shared else next(iter(found))].append((name, parameter))
    return groups


@torch.no_grad()
def _cut(layout: Layout, rank: int) -> Tensor:
    """Return a copy of the shard of one rank."""
    shard = torch.zeros(layout.shard_size, dtype=layout.dtype, device=layout.device)
    for piece in layout.pieces(rank):
        flat = piece.member.parameter.reshape(-1)
        piece.of(shard).copy_(flat[piece.start : piece.stop])
    return shard
