"""Dropout: dropout, alpha_dropout, feature_alpha_dropout, dropout1d to dropout3d.

The noise is drawn as in PyTorch on the CPU, so the same seed drops the same elements.

Source:
    Srivastava et al., Dropout (2014); for ``alpha_dropout`` Klambauer et al. (2017).
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from torchstone.microtorch.ops.activations_smooth import SELU_ALPHA, SELU_SCALE
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.tensor import Array, Tensor, wrap

# Negative of the limit of SELU at -inf.
_SATURATION = SELU_ALPHA * SELU_SCALE


def _drop(
    input: Tensor, p: float, training: bool, inplace: bool, *, feature: bool, alpha: bool = False
) -> Tensor:
    """Drop elements, or whole channels, with probability ``p``."""
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if p == 0 or not training or not input.array.size:
        return input
    if p == 1:
        noise = input.new_zeros(())
    else:
        noise = _noise(input.array, 1 - p, feature)
    shift = None
    if alpha and p < 1:
        noise, shift = _saturate(noise, p)
    elif p < 1:
        noise = noise / (1 - p)
    if inplace:
        input.mul_(noise)
        return input if shift is None else input.add_(shift)
    return input * noise if shift is None else input * noise + shift


def _noise(array: Array, p: float, feature: bool) -> Any:
    """Draw Bernoulli noise with probability ``p`` of 1, for each element or each channel."""
    if feature:
        if array.ndim < 2:
            raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
        shape = array.shape[:2] + (1,) * (array.ndim - 2)
        return wrap(np.empty(shape, array.dtype)).bernoulli_(p)
    # PyTorch draws in memory order.
    noise = np.empty_like(wrap(array).lay_in_order())
    wrap(noise.ravel("K")).bernoulli_(p)
    return wrap(noise)


def _saturate(kept: Tensor, p: float) -> tuple[Tensor, Tensor]:
    """Return factors and shifts that preserve mean and variance when dropped elements saturate."""
    scale = 1 / math.sqrt((_SATURATION**2 * p + 1) * (1 - p))
    shift = (kept - 1) * (_SATURATION * scale) + _SATURATION * scale * p
    return kept * scale, shift


@op("nn.functional")
def dropout(input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False) -> Tensor:
    """Zero elements at random with probability ``p``, and scale the others by ``1 / (1 - p)``."""
    return _drop(input, p, training, inplace, feature=False)


@op("nn.functional")
def alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Set elements to SELU's negative limit at random, preserving mean and variance."""
    return _drop(input, p, training, inplace, feature=False, alpha=True)


@op("nn.functional")
def feature_alpha_dropout(
    input: Tensor, p: float = 0.5, training: bool = False, inplace: bool = False
) -> Tensor:
    """Set channels to SELU's negative limit at random, preserving mean and variance."""
    return _drop(input, p, training, inplace, feature=True, alpha=True)


# In ``torch`` itself the arguments have no defaults, and ``training`` is called ``train``.
for _made in (dropout, alpha_dropout, feature_alpha_dropout):

    def _plain(input: Tensor, p: float, train: bool, made: Any = _made) -> Any:
        return made(input, p, train)

    op(method=False)(named(_plain, _made.__name__, _made.__doc__))


def _drop_channels(
    input: Tensor, p: float, training: bool, inplace: bool, *, num_dims: int | None
) -> Tensor:
    """Drop channels; an input with ``num_dims`` dimensions is unbatched."""
    if input.array.ndim != num_dims:
        return _drop(input, p, training, inplace, feature=True)
    dropped = _drop(input.unsqueeze(0), p, training, inplace, feature=True).squeeze(0)
    return input if inplace else dropped


@op("nn.functional")
def dropout1d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero channels of shape (length,) at random."""
    ndim = input.array.ndim
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if ndim not in (2, 3):
        raise RuntimeError(
            f"dropout1d: Expected 2D or 3D input, but received a {ndim}D input. Note that "
            "dropout1d exists to provide channel-wise dropout on inputs with 1 spatial dimension, "
            "a channel dimension, and an optional batch dimension (i.e. 2D or 3D inputs)."
        )
    return _drop_channels(input, p, training, inplace, num_dims=2)


@op("nn.functional")
def dropout2d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero channels of shape (height, width) at random."""
    _warn_of_dims("dropout2d", input.array.ndim, (3, 4))
    if input.array.ndim == 3:
        warnings.warn(
            "dropout2d: Received a 3D input to dropout2d and assuming that channel-wise 1D dropout "
            "behavior is desired - input is interpreted as shape (N, C, L), where C is the channel "
            "dim. To be sure of it, use dropout1d instead.",
            stacklevel=2,
        )
    return _drop_channels(input, p, training, inplace, num_dims=None)


@op("nn.functional")
def dropout3d(
    input: Tensor, p: float = 0.5, training: bool = True, inplace: bool = False
) -> Tensor:
    """Zero channels of shape (depth, height, width) at random."""
    _warn_of_dims("dropout3d", input.array.ndim, (4, 5))
    num_dims = None if input.array.ndim == 5 else input.array.ndim
    return _drop_channels(input, p, training, inplace, num_dims=num_dims)


def _warn_of_dims(name: str, ndim: int, wanted: tuple[int, int]) -> None:
    if ndim not in wanted:
        warnings.warn(
            f"{name}: Received a {ndim}-D input to {name}, which is deprecated and will result in "
            "an error in a future release. To retain the behavior and silence this warning, please "
            f"use dropout instead. Note that {name} exists to provide channel-wise dropout on "
            f"inputs with {wanted[0] - 1} spatial dimensions, a channel dimension, and an optional "
            f"batch dimension (i.e. {wanted[0]}D or {wanted[1]}D inputs).",
            stacklevel=3,
        )
