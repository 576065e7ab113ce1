"""Padding: pad with the modes constant, reflect, replicate and circular."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, wrap

# For each dimension, first to last, the number of elements added before and after.
Pads = tuple[tuple[int, int], ...]


def _pads_of(ndim: int, pad: Sequence[int]) -> Pads:
    """Convert PyTorch's order, pairs from the last dimension to the first."""
    pairs = [(pad[place], pad[place + 1]) for place in range(0, len(pad), 2)]
    return ((0, 0),) * (ndim - len(pairs)) + tuple(reversed(pairs))


def _cut(grad: Tensor, pads: Pads) -> Any:
    return _constant_pad(grad, tuple((-before, -after) for before, after in pads), 0)


@primitive(self=_cut)
def _constant_pad(self: Array, pads: Pads, value: Any) -> Array:
    sizes = [size + sum(pair) for size, pair in zip(self.shape, pads, strict=True)]
    result = np.full(sizes, value, self.dtype)
    into, out_of = [], []
    for (before, after), size in zip(pads, self.shape, strict=True):
        into.append(slice(max(before, 0), max(before, 0) + size + min(before, 0) + min(after, 0)))
        out_of.append(slice(max(-before, 0), size - max(-after, 0)))
    result[tuple(into)] = self[tuple(out_of)]
    return result


@op()
def constant_pad_nd(input: Tensor, pad: Sequence[int], value: Any = 0) -> Tensor:
    """Pad with a constant; negative sizes crop.

    Args:
        input: Any tensor.
        pad: Sizes before and after the last dimension, then the one before it, and so on.
        value: The constant.
    """
    ndim = input.array.ndim
    if len(pad) % 2:
        raise RuntimeError(f"Length of pad must be even but instead it equals {len(pad)}")
    if len(pad) > 2 * ndim:
        raise RuntimeError(
            f"Length of pad should be no more than twice the number of dimensions of the input. "
            f"Pad length is {len(pad)} while the input has {ndim} dimensions."
        )
    dtypes.refuse_loss(value, input.dtype)
    pads = _pads_of(ndim, pad)
    for dim, (size, pair) in enumerate(zip(input.array.shape, pads, strict=True)):
        if size + sum(min(each, 0) for each in pair) < 0:
            raise RuntimeError(
                f"The input size {size}, plus negative padding {pair[0]} and {pair[1]} resulted in "
                f"a negative output size, which is invalid. Check dimension {dim} of your input."
            )
    return _constant_pad(input, pads, value)


def _reflected(places: Array, size: int) -> Array:
    places = np.abs(places)
    return np.where(places >= size, 2 * (size - 1) - places, places)


_SOURCES: dict[str, Callable[[Array, int], Array]] = {
    "reflect": _reflected,
    "replicate": lambda places, size: np.clip(places, 0, size - 1),
    "circular": lambda places, size: places % size,
}


def _check_borders(mode: str, shape: tuple[int, ...], pads: Pads) -> None:
    """Raise an error for padding that a mode cannot take from the input."""
    for dim, (size, (before, after)) in enumerate(zip(shape, pads, strict=True)):
        largest = max(before, after)
        if not largest and not min(before, after):
            continue
        if mode == "reflect" and largest >= size:
            raise RuntimeError(
                "Argument #4: Padding size should be less than the corresponding input dimension, "
                f"but got: padding ({before}, {after}) at dimension {dim} of input {list(shape)}"
            )
        if mode == "circular" and largest > size:
            raise RuntimeError("Padding value causes wrapping around more than once.")
        if size + before + after < (1 if mode != "circular" else 0) or not size:
            raise RuntimeError(
                f"Expected the padded size of dimension {dim} to be positive, but input "
                f"{list(shape)} with padding ({before}, {after}) gives {size + before + after}"
            )


@op("nn.functional")
def pad(
    input: Tensor, pad: Sequence[int], mode: str = "constant", value: float | None = None
) -> Tensor:
    """Pad the last dimensions.

    Args:
        input: Any tensor; modes other than "constant" need one or two leading dimensions.
        pad: Sizes before and after the last dimension, then the one before it, and so on.
        mode: "constant", "reflect", "replicate" or "circular".
        value: The constant of mode "constant"; 0 by default.
    """
    if mode == "constant":
        return constant_pad_nd(input, pad, 0 if value is None else value)
    if value is not None and value != 0:
        raise RuntimeError(f'Padding mode "{mode}" doesn\'t take in value argument')
    source, ndim = _SOURCES.get(mode), input.array.ndim
    if source is None:
        raise NotImplementedError(f"Unrecognised padding mode {mode}")
    if len(pad) % 2 or ndim - len(pad) // 2 not in (1, 2):
        raise NotImplementedError(
            "Only 2D, 3D, 4D, 5D padding with non-constant padding are supported for now"
        )
    pads = _pads_of(ndim, pad)
    _check_borders(mode, input.array.shape, pads)
    if mode == "circular" and min(pad) < 0:
        # Crop first: only the elements that remain wrap around.
        input = constant_pad_nd(input, [min(each, 0) for each in pad])
        pads = tuple((max(before, 0), max(after, 0)) for before, after in pads)
    for dim, (before, after) in enumerate(pads):
        if before or after:
            size = input.array.shape[dim]
            places = source(np.arange(-before, size + after), size)
            input = input.index_select(dim, wrap(places))
    return input
