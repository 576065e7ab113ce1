"""Saved state of ``Zero``: ranges of the parameters and of the optimizer states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from torchstone.distributed.refusal import Refusal
from torchstone.distributed.shards import Shard, ShardParameter
from torchstone.distributed.state import ShardedState, add_part, part_of

# Prefixes of optimizer states: elementwise, other tensors, and numbers.
_OF_OPTIMIZER = ("optimizer", "scalar", "number")


def state_of(
    module: nn.Module, shards: Sequence[Shard], optimizer: Optimizer, step: int
) -> ShardedState:
    """Return the state of a rank.

    Args:
        module: The module; its parameters without a gradient and its buffers are saved whole.
        shards: The shards that the optimizer updates.
        optimizer: The optimizer.
        step: The number of completed steps.
    """
    state = ShardedState(step=step)
    for name, tensor in _replicated(module):
        add_part(state, name, tensor.detach().reshape(-1), tensor.shape, is_replicated=True)
    for shard in shards:
        for member in shard.layout.members:
            state.declare(
                f"parameter.{member.name}",
                member.shape,
                shard.master.dtype,
                is_replicated=shard.is_whole,
            )
        for piece in shard.pieces:
            _add(state, f"parameter.{piece.whole_name}", piece, piece, shard)
            for key, value in optimizer.state.get(piece, {}).items():
                if isinstance(value, Tensor) and value.shape == piece.shape:
                    name = f"optimizer.{key}.{piece.whole_name}"
                    _add(state, name, piece, value, shard)
                elif piece.piece.start == 0:
                    _add_scalar(state, key, piece, value, shard)
    state.values["optimizer"] = type(optimizer).__name__
    state.values["groups"] = [
        {key: value for key, value in group.items() if key != "params"}
        for group in optimizer.param_groups
    ]
    return state


@torch.no_grad()
def put_back(
    state: ShardedState, module: nn.Module, shards: Sequence[Shard], optimizer: Optimizer
) -> None:
    """Load the state of a rank.

    Raises:
        Refusal: The state is of another optimizer.
    """
    kind = type(optimizer).__name__
    came = state.values.get("optimizer", kind)
    if came != kind:
        raise Refusal("optimizer_kind", came=came, wanted=kind)
    groups = state.values.get("groups", [])
    if len(groups) != len(optimizer.param_groups):
        raise Refusal("optimizer_other", came=len(groups), wanted=len(optimizer.param_groups))
    for name, tensor in _replicated(module):
        tensor.copy_(part_of(state, name, 0, tensor.numel()).view(tensor.shape))
    pieces: dict[str, ShardParameter] = {}
    for shard in shards:
        for piece in shard.pieces:
            pieces[piece.whole_name] = piece
            piece.copy_(_part(state, f"parameter.{piece.whole_name}", piece))
    for group, saved in zip(optimizer.param_groups, groups, strict=True):
        group.update({key: _like(group.get(key), value) for key, value in saved.items()})
    optimizer.state.clear()
    for name in state.tensors:
        kind, _, rest = name.partition(".")
        key, _, owner = rest.partition(".")
        if owner in pieces and kind in _OF_OPTIMIZER:
            optimizer.state[pieces[owner]][key] = _value(state, name, pieces[owner])


def _value(state: ShardedState, name: str, piece: ShardParameter) -> Tensor | int | float:
    """Return the optimizer state of a piece, by its name in a training state."""
    kind = name.partition(".")[0]
    if kind == "optimizer":
        return _part(state, name, piece).clone()
    held = state.tensors[name]
    value = held.parts[0][1].view(held.shape)
    return value.clone() if kind == "scalar" else value.item()


def _add(
    state: ShardedState, name: str, piece: ShardParameter, value: Tensor, shard: Shard
) -> None:
    add_part(
        state,
        name,
        value,
        piece.whole_shape,
        start=piece.piece.start,
        is_replicated=shard.is_whole,
    )


def _add_scalar(
    state: ShardedState, key: str, piece: ShardParameter, value: object, shard: Shard
) -> None:
    """Add an optimizer state that is not elementwise: a tensor, or a number as one."""
    kind = "scalar"
    if isinstance(value, int | float):
        kind = "number"
        value = torch.tensor(value, dtype=None if isinstance(value, int) else torch.float64)
    if isinstance(value, Tensor):
        name = f"{kind}.{key}.{piece.whole_name}"
        held = state.declare(name, value.shape, value.dtype, is_replicated=shard.is_whole)
        held.parts.append((0, value.reshape(-1)))


def _part(state: ShardedState, name: str, piece: ShardParameter) -> Tensor:
    """Return the range of a piece, which was loaded as one part."""
    return part_of(state, name, piece.piece.start, piece.piece.stop)


def _replicated(module: nn.Module) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors that every rank has whole, with their names in a state."""
    for name, parameter in module.named_parameters():
        if not parameter.requires_grad:
            yield f"parameter.{name}", parameter
    for name, buffer in module.named_buffers():
        yield f"buffer.{name}", buffer


def _like(now: object, saved: object) -> object:
    """Return a saved hyperparameter in the optimizer's type: JSON has no tuples."""
    return tuple(saved) if isinstance(now, tuple) and isinstance(saved, list) else saved
