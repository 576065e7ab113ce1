"""Activation modules: ReLU, GELU, SiLU, Sigmoid, Tanh, Softmax, PReLU and others."""

from __future__ import annotations

from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import constant_, unset
from torchstone.microtorch.nn.modules.functional_module import REQUIRED, Functional
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.tensor import Tensor


class ReLU(Functional, call="relu", inplace=False):
    """ReLU: sets negative elements to zero."""


class ReLU6(Functional, call="relu6", inplace=False):
    """ReLU6: clamps elements to [0, 6]."""


class Hardtanh(Functional, call="hardtanh", min_val=-1.0, max_val=1.0, inplace=False):
    """Hard tanh: clamps elements to [min_val, max_val]."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.max_val <= self.min_val:
            raise AssertionError(
                f"max_val ({self.max_val}) must be greater than min_val ({self.min_val})"
            )


class ELU(Functional, call="elu", alpha=1.0, inplace=False):
    """Exponential linear unit: ``alpha * (exp(x) - 1)`` for negative x."""


class CELU(Functional, call="celu", alpha=1.0, inplace=False):
    """Continuously differentiable ELU: ``alpha * (exp(x / alpha) - 1)`` for negative x."""


class SELU(Functional, call="selu", inplace=False):
    """Scaled ELU, which preserves mean 0 and variance 1."""


class LeakyReLU(Functional, call="leaky_relu", negative_slope=0.01, inplace=False):
    """Leaky ReLU: multiplies negative elements by a small slope."""


class RReLU(Functional, call="rrelu", lower=1 / 8, upper=1 / 3, inplace=False):
    """Randomized leaky ReLU: the negative slope is random during training."""

    def forward(self, input: Tensor) -> Tensor:
        """Multiply negative elements by a slope."""
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


class Threshold(Functional, call="threshold", threshold=REQUIRED, value=REQUIRED, inplace=False):
    """Threshold: replaces elements that are not above it by a value."""


class GELU(Functional, call="gelu", approximate="none"):
    """Gaussian error linear unit: x times the normal CDF of x."""


class SiLU(Functional, call="silu", inplace=False):
    """Sigmoid linear unit: x times the sigmoid of x."""


class Mish(Functional, call="mish", inplace=False):
    """Mish: x times the tanh of the softplus of x."""


class Sigmoid(Functional, call="sigmoid"):
    """Logistic sigmoid, with values in (0, 1)."""


class Tanh(Functional, call="tanh"):
    """Hyperbolic tangent, with values in (-1, 1)."""


class LogSigmoid(Functional, call="logsigmoid"):
    """Logarithm of the sigmoid."""


class Hardsigmoid(Functional, call="hardsigmoid", shown=(), inplace=False):
    """Piecewise linear approximation of the sigmoid."""


class Hardswish(Functional, call="hardswish", shown=(), inplace=False):
    """Hard swish: x times the hard sigmoid of x."""


class Softplus(Functional, call="softplus", beta=1.0, threshold=20.0):
    """Softplus: a smooth approximation of ReLU."""


class Softsign(Functional, call="softsign"):
    """Softsign: ``x / (1 + abs(x))``."""


class Tanhshrink(Functional, call="tanhshrink"):
    """Tanhshrink: ``x - tanh(x)``."""


class Hardshrink(Functional, call="hardshrink", lambd=0.5):
    """Hard shrinkage: sets elements of small magnitude to zero."""

    def extra_repr(self) -> str:
        """Return ``lambd``."""
        return f"{self.lambd}"


class Softshrink(Functional, call="softshrink", lambd=0.5):
    """Soft shrinkage: moves elements towards zero by ``lambd``."""

    def extra_repr(self) -> str:
        """Return ``lambd``."""
        return f"{self.lambd}"


class GLU(Functional, call="glu", dim=-1):
    """Gated linear unit: one half times the sigmoid of the other half."""


class Softmax(Functional, call="softmax", dim=None):
    """Softmax along one dimension."""


class LogSoftmax(Functional, call="log_softmax", dim=None):
    """Logarithm of the softmax along one dimension."""


class Softmin(Functional, call="softmin", dim=None):
    """Softmax of the negated input along one dimension."""


class Softmax2d(Functional, call="softmax"):
    """Softmax over the channels of each pixel."""

    def forward(self, input: Tensor) -> Tensor:
        """Apply softmax over the channels."""
        if input.dim() not in (3, 4):
            raise ValueError(
                f"Softmax2d: expected input to be 3D or 4D, got {input.dim()}D instead"
            )
        return F.softmax(input, -3)


class PReLU(Module):
    """Parametric ReLU: learned negative slopes, one for all or one for each channel."""

    def __init__(
        self, num_parameters: int = 1, init: float = 0.25, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.num_parameters, self.init = num_parameters, init
        self.weight = unset(num_parameters, dtype=dtype)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the slope to ``init``."""
        constant_(self.weight, self.init)

    def forward(self, input: Tensor) -> Tensor:
        """Multiply negative elements by the slope."""
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """Return the number of slopes."""
        return f"num_parameters={self.num_parameters}"
