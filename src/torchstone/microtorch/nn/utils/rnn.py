"""Sequences of different lengths: PackedSequence, pack_padded_sequence, pad_sequence.

A packed batch contains the first elements of all sequences, then the second elements of those that
have one, and so on, with the longest sequence first. No computation is spent on padding.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from torchstone.microtorch.ops.joining import stack
from torchstone.microtorch.tensor import Tensor, wrap

_CHANGES = ("double", "float", "half", "long", "int", "short", "char", "byte", "cpu")


class _Packed(NamedTuple):
    data: Tensor
    batch_sizes: Tensor
    sorted_indices: Tensor | None = None
    unsorted_indices: Tensor | None = None


class PackedSequence(_Packed):
    """Sequences of different lengths without padding.

    Attributes:
        data: The elements.
        batch_sizes: For each step, the number of sequences that have an element there.
        sorted_indices: The order of the given sequences, by descending length.
        unsorted_indices: The position of each given sequence in that order.
    """

    __slots__ = ()

    def __new__(
        cls,
        data: Tensor,
        batch_sizes: Tensor,
        sorted_indices: Tensor | None = None,
        unsorted_indices: Tensor | None = None,
    ) -> PackedSequence:
        """Create a packed batch; ``unsorted_indices`` is computed if missing."""
        if unsorted_indices is None:
            unsorted_indices = invert_permutation(sorted_indices)
        return super().__new__(cls, data, batch_sizes, sorted_indices, unsorted_indices)

    def to(self, *args: Any, **kwargs: Any) -> PackedSequence:
        """Convert the elements to another dtype."""
        return PackedSequence(self.data.to(*args, **kwargs), *self[1:])

    def __getattr__(self, name: str) -> Any:
        """Resolve conversion methods of the elements, such as ``double()``."""
        if name in _CHANGES:
            return lambda: PackedSequence(getattr(self.data, name)(), *self[1:])
        raise AttributeError(f"'PackedSequence' object has no attribute '{name}'")

    is_cuda = False

    def is_pinned(self) -> bool:
        """Return False: there is no pinned memory."""
        return False


def invert_permutation(permutation: Tensor | None) -> Tensor | None:
    """Return the inverse of a permutation."""
    return None if permutation is None else wrap(np.argsort(permutation.array))


def pack_padded_sequence(
    input: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True
) -> PackedSequence:
    """Pack padded sequences.

    Args:
        input: The padded sequences: (length, batch, ...), or (batch, length, ...).
        lengths: The length of each sequence.
        batch_first: Whether the batch is the first dimension.
        enforce_sorted: Require sequences sorted by descending length, instead of sorting them.
    """
    sizes = np.asarray(getattr(lengths, "array", lengths), np.int64)
    order = None
    if not enforce_sorted:
        order = wrap(np.argsort(-sizes, kind="stable"))
        sizes = sizes[order.array]
        input = input.index_select(0 if batch_first else 1, order)
    steps = input.transpose(0, 1) if batch_first else input
    _check_lengths(sizes, steps.array.shape)
    counts = (sizes > np.arange(int(sizes[0]))[:, None]).sum(axis=1)
    number, row = np.nonzero(np.arange(len(sizes)) < counts[:, None])
    return PackedSequence(steps[wrap(number), wrap(row)], wrap(counts), order)


def _check_lengths(sizes: Any, shape: tuple[int, ...]) -> None:
    if 0 in shape:
        raise RuntimeError("Cannot pack empty tensors.")
    if sizes.shape != shape[1:2]:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {sizes.size} "
            f"(batch_size={shape[1]})"
        )
    if (np.diff(sizes) > 0).any():
        raise RuntimeError(
            "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You "
            "can pass `enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to "
            "sidestep this requirement if you do not need ONNX exportability."
        )
    if sizes[-1] <= 0:
        raise RuntimeError(
            "Length of all samples has to be greater than 0, but found an element in 'lengths' "
            "that is <= 0"
        )


def pad_packed_sequence(
    sequence: PackedSequence,
    batch_first: bool = False,
    padding_value: float = 0.0,
    total_length: int | None = None,
) -> tuple[Tensor, Tensor]:
    """Pad packed sequences; return them and their lengths."""
    counts = sequence.batch_sizes.array
    longest = len(counts)
    if total_length is not None and total_length < longest:
        raise ValueError(
            "Expected total_length to be at least the length of the longest sequence in input, "
            f"but got total_length={total_length} and max sequence length being {longest}"
        )
    number, row = np.nonzero(np.arange(counts[0]) < counts[:, None])
    shape = (total_length or longest, int(counts[0]), *sequence.data.array.shape[1:])
    padded = sequence.data.new_full(shape, padding_value)
    padded = padded.index_put((wrap(number), wrap(row)), sequence.data)
    lengths = wrap((counts[:, None] > np.arange(counts[0])).sum(axis=0))
    if batch_first:
        padded = padded.transpose(0, 1)
    if sequence.unsorted_indices is not None:
        padded = padded.index_select(0 if batch_first else 1, sequence.unsorted_indices)
        lengths = lengths[sequence.unsorted_indices]
    return padded, lengths


def pad_sequence(
    sequences: Iterable[Tensor],
    batch_first: bool = False,
    padding_value: float = 0.0,
    padding_side: str = "right",
) -> Tensor:
    """Stack sequences, padding the shorter ones."""
    if not isinstance(sequences, Iterable):
        raise RuntimeError(
            "pad_sequence: Expected iterable for input sequences, but got arg of type: "
            f"{type(sequences)}"
        )
    given = list(sequences)
    if not given:
        raise RuntimeError("received an empty list of sequences")
    if padding_side not in ("left", "right"):
        raise RuntimeError(
            f"Expected padding_side to be one of left or right, but got {padding_side}."
        )
    longest = max(len(each) for each in given)
    rows = []
    for each in given:
        missing = longest - len(each)
        row = given[0].new_full((longest, *each.array.shape[1:]), padding_value)
        start = missing if padding_side == "left" else 0
        rows.append(row.slice_scatter(each.to(row.dtype), 0, start, start + len(each)))
    return stack(rows, 0 if batch_first else 1)


def unpad_sequence(
    padded_sequences: Tensor, lengths: Tensor, batch_first: bool = False
) -> list[Tensor]:
    """Split padded sequences into separate tensors without padding."""
    rows = padded_sequences if batch_first else padded_sequences.transpose(0, 1)
    return [row[:length].clone() for row, length in zip(rows, lengths.tolist(), strict=True)]


def pack_sequence(sequences: Sequence[Tensor], enforce_sorted: bool = True) -> PackedSequence:
    """Pack a list of sequences."""
    lengths = [len(each) for each in sequences]
    return pack_padded_sequence(pad_sequence(sequences), lengths, enforce_sorted=enforce_sorted)


def unpack_sequence(packed_sequences: PackedSequence) -> list[Tensor]:
    """Split packed sequences into separate tensors."""
    return unpad_sequence(
        *pad_packed_sequence(packed_sequences, batch_first=True), batch_first=True
    )
