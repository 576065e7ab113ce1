"""Checks that ranks agree on the module and on values before they train together."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Sequence
from itertools import zip_longest

import torch
from torch import Tensor, nn
from torch.nn import Parameter

from torchstone.distributed.comm.effects import flat_of
from torchstone.distributed.comm.protocol import Comm
from torchstone.distributed.refusal import Phrase, Refusal, packed, unpacked

_DIGEST_BYTES = 32
_BROADCAST_BYTES = 16 << 20


def begin_alike(module: nn.Module, comm: Comm) -> None:
    """Copy the parameters and buffers of rank 0 to all ranks.

    Raises:
        Refusal: The modules of the ranks differ.
    """
    require_equal_modules(module, comm)
    copy_from_first([*module.parameters(), *module.buffers()], comm)


@torch.no_grad()
def copy_from_first(tensors: Sequence[Tensor], comm: Comm) -> None:
    """Overwrite tensors by those of rank 0, with one broadcast per 16 MiB of a dtype and device.

    Equal tensors are not written: a backward pass may still need them, and raises an error for a
    tensor that was modified in place.
    """
    for group in _groups(tensors):
        flat = torch.cat([each.reshape(-1) for each in group])
        comm.broadcast(flat).wait()
        for tensor, part in zip(group, flat.split([each.numel() for each in group]), strict=True):
            value = part.view(tensor.shape)
            if not torch.equal(_bits(tensor), _bits(value)):
                tensor.copy_(value)


def _groups(tensors: Sequence[Tensor]) -> list[list[Tensor]]:
    """Group tensors of one dtype and device, up to the size of one broadcast."""
    groups: list[list[Tensor]] = []
    open_groups: dict[tuple[torch.dtype, torch.device], tuple[list[Tensor], int]] = {}
    for tensor in tensors:
        kind, size = (tensor.dtype, tensor.device), tensor.numel() * tensor.element_size()
        group, held = open_groups.get(kind, ([], 0))
        if not group or held + size > _BROADCAST_BYTES:
            group, held = [], 0
            groups.append(group)
        group.append(tensor)
        open_groups[kind] = (group, held + size)
    return groups


def _bits(tensor: Tensor) -> Tensor:
    return flat_of(tensor).view(torch.uint8)


def require_equal_modules(module: nn.Module, comm: Comm) -> None:
    """Raise an error if parameters or buffers differ in name, shape, dtype or ``requires_grad``.

    All ranks raise the same error, which names the first rank that differs and its first
    difference.

    Raises:
        Refusal: The module of a rank differs from that of rank 0.
    """
    lines = _describe(module)
    digest = hashlib.sha256("\n".join(lines).encode()).digest()
    mine = torch.frombuffer(bytearray(digest), dtype=torch.uint8)
    heard = torch.empty(comm.size * _DIGEST_BYTES, dtype=torch.uint8)
    comm.all_gather(heard, mine).wait()
    digests = heard.view(comm.size, -1)
    other = next((rank for rank in range(comm.size) if not digests[rank].equal(digests[0])), None)
    if other is None:
        return
    first = gather_texts(comm, "\n".join(lines))[0].split("\n")
    pairs = zip_longest(first, lines, fillvalue=Phrase("nothing"))
    mine_first = next((pair for pair in pairs if pair[0] != pair[1]), ("", ""))
    wanted, came = unpacked(json.loads(gather_texts(comm, json.dumps(packed(mine_first)))[other]))
    raise Refusal("models_differ", rank=other, came=came, wanted=wanted)


def require_equal_values(comm: Comm, **values: int | float | str) -> None:
    """Raise an error on all ranks if their data or options differ.

    Args:
        comm: The ranks.
        **values: The values to compare, by name: the number of samples, the batch size, the seed of
            the order, a digest of the data.

    Raises:
        Refusal: A value of some rank differs from that of rank 0; the error names the first one.
    """
    first, *others = [json.loads(each) for each in gather_texts(comm, json.dumps(values))]
    for rank, given in enumerate(others, start=1):
        for name in sorted(first.keys() | given.keys()):
            wanted, came = (each.get(name, Phrase("nothing")) for each in (first, given))
            if came != wanted:
                raise Refusal("data_differ", rank=rank, name=name, came=came, wanted=wanted)


def _describe(module: nn.Module) -> list[str]:
    return [
        f"{name} {tuple(each.shape)} {str(each.dtype).removeprefix('torch.')}"
        + ("" if each.requires_grad else " requires_grad=False")
        for name, each in (*module.named_parameters(), *module.named_buffers())
    ]


def gather_texts(comm: Comm, text: str) -> list[str]:
    """Return the texts of all ranks, in rank order."""
    letters = torch.frombuffer(bytearray(text.encode() + b"\0"), dtype=torch.uint8)
    lengths = torch.zeros(comm.size, dtype=torch.int64)
    comm.all_gather(lengths, torch.tensor([letters.numel()])).wait()
    padded = torch.zeros(int(lengths.max()), dtype=torch.uint8)
    padded[: letters.numel()] = letters
    heard = torch.empty(comm.size * padded.numel(), dtype=torch.uint8)
    comm.all_gather(heard, padded).wait()
    rows = heard.view(comm.size, -1)
    return [
        bytes(row[: length - 1].tolist()).decode()
        for row, length in zip(rows, lengths.tolist(), strict=True)
    ]


def used_somewhere(
    used: Collection[Parameter], parameters: Collection[Parameter], comm: Comm
) -> set[Parameter]:
    """Return the parameters that at least one rank has used."""
    flags = torch.tensor([each in used for each in parameters])
    comm.all_reduce(flags, op="max").wait()
    return {each for each, flag in zip(parameters, flags.tolist(), strict=True) if flag}
