"""Dropout modules: Dropout, Dropout1d to Dropout3d, AlphaDropout, FeatureAlphaDropout."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.functional_module import Functional
from torchstone.microtorch.tensor import Tensor


class _DropoutNd(Functional, call="", p=0.5, inplace=False):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not 0.0 <= self.p <= 1.0:
            raise ValueError(f"dropout probability has to be between 0 and 1, but got {self.p}")

    def forward(self, input: Tensor) -> Tensor:
        """Zero elements or channels at random."""
        return getattr(F, self._call)(input, self.p, self.training, self.inplace)

    def extra_repr(self) -> str:
        """Return the probability."""
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd, call="dropout", p=0.5, inplace=False):
    """Dropout of elements."""


class Dropout1d(_DropoutNd, call="dropout1d", p=0.5, inplace=False):
    """Dropout of channels of shape (length,)."""


class Dropout2d(_DropoutNd, call="dropout2d", p=0.5, inplace=False):
    """Dropout of channels of shape (height, width)."""


class Dropout3d(_DropoutNd, call="dropout3d", p=0.5, inplace=False):
    """Dropout of channels of shape (depth, height, width)."""


class AlphaDropout(_DropoutNd, call="alpha_dropout", p=0.5, inplace=False):
    """Dropout of elements for SELU networks, preserving mean and variance."""


class FeatureAlphaDropout(_DropoutNd, call="feature_alpha_dropout", p=0.5, inplace=False):
    """Dropout of channels for SELU networks, preserving mean and variance."""
