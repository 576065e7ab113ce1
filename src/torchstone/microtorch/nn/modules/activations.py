"""Activation modules: ReLU, GELU, SiLU, Sigmoid, Tanh, Softmax, PReLU and others."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import constant_, unset
from torchstone.microtorch.nn.modules.functional_module import REQUIRED, Functional
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.tensor import Tensor


class ReLU(Functional, call="relu", inplace=False):
    """Set negative elements to zero."""


class ReLU6(Functional, call="relu6", inplace=False):
    """Clamp elements to [0, 6]."""


class Hardtanh(Functional, call="hardtanh", min_val=-1.0, max_val=1.0, inplace=False):
    """Clamp elements to two bounds."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )


class ELU(Functional, call="elu", alpha=1.0, inplace=False):
    """Replace negative x by ``alpha * (exp(x) - 1)``."""


class CELU(Functional, call="celu", alpha=1.0, inplace=False):
    """Replace negative x by ``alpha * (exp(x / alpha) - 1)``."""


class SELU(Functional, call="selu", inplace=False):
    """Scale an ELU so that mean 0 and variance 1 are kept."""


class LeakyReLU(Functional, call="leaky_relu", negative_slope=0.01, inplace=False):
    """Multiply negative elements by a small slope."""


class RReLU(Functional, call="rrelu", lower=1 / 8, upper=1 / 3, inplace=False):
    """Multiply negative elements by a small slope, which is random during training."""

    def forward(self, input: Tensor) -> Tensor:
        """Multiply negative elements by a slope."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Threshold(Functional, call="threshold", threshold=REQUIRED, value=REQUIRED, inplace=False):
    """Replace elements that are not above a threshold."""


class GELU(Functional, call="gelu", approximate="none"):
    """Weight each number by the share of normal numbers below it."""


class SiLU(Functional, call="silu", inplace=False):
    """Weight each number by its sigmoid."""


class Mish(Functional, call="mish", inplace=False):
    """Weight each number by the hyperbolic tangent of its softplus."""


class Sigmoid(Functional, call="sigmoid"):
    """Bring numbers into (0, 1)."""


class Tanh(Functional, call="tanh"):
    """Bring numbers into (-1, 1)."""


class LogSigmoid(Functional, call="logsigmoid"):
    """Take the logarithm of the sigmoid."""


class Hardsigmoid(Functional, call="hardsigmoid", shown=(), inplace=False):
    """Draw the sigmoid with three straight lines."""


class Hardswish(Functional, call="hardswish", shown=(), inplace=False):
    """Weight each number by its hard sigmoid."""


class Softplus(Functional, call="softplus", beta=1.0, threshold=20.0):
    """Draw ReLU smoothly."""


class Softsign(Functional, call="softsign"):
    """Divide each number by one more than its size."""


class Tanhshrink(Functional, call="tanhshrink"):
    """Subtract the hyperbolic tangent."""


class Hardshrink(Functional, call="hardshrink", lambd=0.5):
    """Set elements of small magnitude to zero."""

    def extra_repr(self) -> str:
        """Return the bound."""
        return f"{self.lambd}"


class Softshrink(Functional, call="softshrink", lambd=0.5):
    """Bring numbers nearer to zero, by as much."""

    def extra_repr(self) -> str:
        """Return the distance."""
        return f"{self.lambd}"


class GLU(Functional, call="glu", dim=-1):
    """Weight one half by the sigmoid of the other."""


class Softmax(Functional, call="softmax", dim=None):
    """Turn scores into probabilities along one dimension."""


class LogSoftmax(Functional, call="log_softmax", dim=None):
    """Turn scores into logarithms of probabilities along one dimension."""


class Softmin(Functional, call="softmin", dim=None):
    """Turn costs into probabilities along one dimension."""


class Softmax2d(Functional, call="softmax"):
    """Turn scores into probabilities, over the channels of each pixel."""

    def forward(self, input: Tensor) -> Tensor:
        """Turn scores into probabilities."""
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return F.softmax(input, -3)


class PReLU(Module):
    """Multiply negative elements by a learned slope: one, or one for each channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = unset(num_parameters, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the factor to ``init``."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Multiply negative elements by the slope."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of factors."""
        return f"num_parameters={self.num_parameters}"
