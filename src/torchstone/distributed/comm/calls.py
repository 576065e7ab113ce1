"""``Call``: the arguments of one collective on one rank, validated before anything is sent."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from torchstone.distributed.comm.ordered import OPS, ORDERS

# Larger tags are reserved for the messages that implement collectives.
MAX_TAG = (1 << 30) - 1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Call:
    """One collective or message, as requested by one rank.

    Attributes:
        op: The name of the method.
        tensor: The input; empty for ``barrier``.
        out: The output; the same tensor for an in-place collective.
        reduction: The operation of a reduction.
        order: The order of a reduction.
        peer: The source of a broadcast, or the other rank of a message.
        tag: The tag of a message.
    """

    op: str
    tensor: Tensor
    out: Tensor
    reduction: str = "sum"
    order: str = "rank"
    peer: int = 0
    tag: int = 0

    @property
    def is_message(self) -> bool:
        """Return whether this is a message between two ranks."""
        return self.op in ("send", "recv")

    def signature(self) -> str:
        """Return the properties that must be equal on every rank, as text."""
        words = [
            f"{self.tensor.numel()} elements of {str(self.tensor.dtype).removeprefix('torch.')}"
        ]
        if self.op in ("all_reduce", "reduce_scatter"):
            words.append(f"{self.reduction} in the order {self.order!r}")
        if self.op == "broadcast":
            words.append(f"from rank {self.peer}")
        return ", ".join(words)


def num_bytes(
    op: str, tensor: Tensor, size: int, *, rank: int = 0, src: int = 0
) -> tuple[int, int]:
    """Return the bytes that a rank sends and receives, by the formula of the algorithm.

    Args:
        op: The collective.
        tensor: The input of the rank.
        size: N, the number of ranks.
        rank: The rank, for a broadcast, whose binomial tree makes ranks send different amounts.
        src: The root of the broadcast.
    """
    whole = tensor.numel() * tensor.element_size()
    # Parts have equal size, so the last one may be padded.
    part = -(-tensor.numel() // size) * tensor.element_size()
    others = size - 1
    if op == "all_reduce":
        return 2 * others * part, 2 * others * part
    if op in ("reduce_scatter", "all_to_all"):
        return others * part, others * part
    if op == "all_gather":
        return others * whole, others * whole
    if op == "broadcast":
        place = (rank - src) % size
        rounds = range(max(1, others).bit_length())
        sends = sum(place < 1 << each and place + (1 << each) < size for each in rounds)
        return sends * whole, (whole if place else 0)
    return {"send": (whole, 0), "recv": (0, whole)}.get(op, (0, 0))


def check_reduction(op: str, reduction: str, order: str, tensor: Tensor) -> None:
    """Raise an error for an unsupported reduction."""
    if reduction not in OPS:
        raise ValueError(f"{op}: op is {reduction!r}; use one of {', '.join(OPS)}.")
    if order not in ORDERS:
        raise ValueError(f"{op}: order is {order!r}; use one of {', '.join(ORDERS)}.")
    if tensor.is_complex() and reduction in ("min", "max"):
        raise ValueError(f"{op}: complex numbers have no {reduction}; reduce their magnitudes.")
    if tensor.dtype == torch.uint64 and reduction not in ("sum", "product"):
        raise ValueError(f"{op}: torch has no {reduction} of {tensor.dtype}; use torch.int64.")
    if tensor.dtype == torch.bool and reduction == "mean":
        raise ValueError(f"{op}: the mean of {tensor.dtype} is not one; convert to float32 first.")


def check_tensors(op: str, out: Tensor, tensor: Tensor, *, out_parts: int, parts: int) -> None:
    """Raise an error for tensors that do not match each other or cannot be written.

    Args:
        op: The collective, for the message.
        out: The output.
        tensor: The input.
        out_parts: The number of parts of the output.
        parts: The number of equal parts of the input.
    """
    for name, each in (("tensor", tensor), ("out", out)):
        if each.layout != torch.strided:
            raise ValueError(f"{op}: {name} has the layout {each.layout}; give a dense tensor.")
        if each.is_conj() or each.is_neg():
            raise ValueError(
                f"{op}: {name} is a view that conjugates or negates; give "
                f"{name}.resolve_conj().resolve_neg()."
            )
        if each.dtype.itemsize == 1 and each.is_floating_point():
            raise ValueError(
                f"{op}: {name} is {each.dtype}, which has no sum; send its view as torch.uint8."
            )
    is_wider = out.dtype == torch.float32 and tensor.dtype in (torch.bfloat16, torch.float16)
    if out.dtype != tensor.dtype and not (is_wider and op == "reduce_scatter"):
        raise ValueError(f"{op}: out is {out.dtype}, but tensor is {tensor.dtype}; use one dtype.")
    if out.device != tensor.device:
        raise ValueError(f"{op}: out is on {out.device}, but tensor on {tensor.device}.")
    if tensor.numel() % parts:
        raise ValueError(
            f"{op}: {tensor.numel()} elements do not divide into {parts} equal parts; pad them."
        )
    wanted = tensor.numel() // parts * out_parts
    if out.numel() != wanted:
        raise ValueError(
            f"{op}: out has {out.numel()} elements; {wanted} were expected for a tensor of "
            f"{tensor.numel()}."
        )
    if out.numel() > 1 and any(
        stride == 0 and length > 1 for stride, length in zip(out.stride(), out.shape, strict=True)
    ):
        raise ValueError(
            f"{op}: the result cannot be written to an expanded tensor; clone it first."
        )


def check_rank(op: str, name: str, rank: int, size: int) -> None:
    """Raise an error for a rank that is not in the axis."""
    if not 0 <= rank < size:
        raise ValueError(f"{op}: {name} is {rank}; the ranks of this axis are 0 to {size - 1}.")


def check_tag(op: str, tag: int) -> None:
    """Raise an error for a tag that is out of range."""
    if not 0 <= tag <= MAX_TAG:
        raise ValueError(f"{op}: tag is {tag}; use one from 0 to {MAX_TAG}.")
