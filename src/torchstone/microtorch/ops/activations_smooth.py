"""Smooth activations: gelu, silu, mish, elu, celu, softplus, logsigmoid, glu, gumbel_softmax."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from torchstone.microtorch.ops.activations import activate, choose, define
from torchstone.microtorch.ops.elementwise import Unary
from torchstone.microtorch.ops.erf import erf
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.ops.pointwise import sigmoid, tanh
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.rounded import rounded_once
from torchstone.microtorch.tensor import Array, Tensor, wrap, wrap_dim

# Constants for which SELU preserves mean 0 and variance 1: Klambauer et al. (2017), section 2.
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
_BLOCK = 1 << 15
# Constants of the tanh approximation of GELU: Hendrycks and Gimpel (2016).
_GELU_RATE, _GELU_CUBE = math.sqrt(2 / math.pi), 0.044715


# Exponential units: they saturate below zero.


def _decay_rule(grad: Tensor, self: Tensor, factor: float, rate: float) -> Any:
    # As in PyTorch, the second derivative is 0 at 0, where the slope may be discontinuous.
    return (grad * _decay(self, 0.0, factor * rate, rate)).masked_fill(self.eq(0), 0)


@primitive(self=_decay_rule)
def _decay(self: Array, positive: float, factor: float, rate: float) -> Any:
    return choose(self <= 0, np.exp(self * rate) * factor, positive)


@primitive(
    self=lambda grad, self, alpha, scale, rate: (
        grad * _decay(self, scale, alpha * scale * rate, rate)
    )
)
def _elu(self: Array, alpha: float, scale: float, rate: float) -> Array:
    return choose(self > 0, self * scale, np.expm1(self * rate) * (alpha * scale))


@op("nn.functional", inplace=True)
def elu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Replace negative x by ``alpha * (exp(x) - 1)``."""
    return activate(_elu, input, float(alpha), 1.0, 1.0, inplace=inplace)


define(
    "selu", _elu, SELU_ALPHA, SELU_SCALE, 1.0, namespaces=("torch", "nn.functional"),
    doc="Apply ``elu`` with a scale that keeps activations near mean 0 and variance 1.",
)  # fmt: skip


@op("torch", "nn.functional", inplace=True)
def celu(input: Tensor, alpha: float = 1.0, inplace: bool = False) -> Tensor:
    """Replace negative x by ``alpha * (exp(x / alpha) - 1)``."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return activate(_elu, input, float(alpha), 1.0, 1 / alpha, inplace=inplace)


# Smooth functions.


@primitive(self=lambda grad, self: grad * (-self).sigmoid())
def _log_sigmoid(self: Array) -> Array:
    return np.minimum(self, 0) - np.log1p(np.exp(-np.abs(self)))


@op("nn.functional")
def logsigmoid(input: Tensor) -> Tensor:
    """Compute ``log(sigmoid(input))``, accurate also where the sigmoid is nearly 0."""
    return activate(_log_sigmoid, input, inplace=False)


@primitive(self=lambda grad, beta, result: grad * result * (1 - result) * beta)
def _softplus_slope(self: Array, beta: float, threshold: float) -> Any:
    scaled = self * beta
    return choose(~(scaled > threshold), 1 / (1 + np.exp(-scaled)), 1.0)


@primitive(self=lambda grad, self, beta, threshold: grad * _softplus_slope(self, beta, threshold))
def _softplus(self: Array, beta: float, threshold: float) -> Array:
    scaled = self * beta
    # The exponent is never positive, so half precision cannot overflow below the threshold.
    smooth = np.maximum(scaled, 0) + np.log1p(np.exp(-np.abs(scaled)))
    return choose(scaled > threshold, self, smooth / beta)


@op("nn.functional")
def softplus(input: Tensor, beta: float = 1.0, threshold: float = 20.0) -> Tensor:
    """Compute ``log(1 + exp(beta * input)) / beta``; the identity above ``threshold``."""
    return activate(_softplus, input, beta, threshold, inplace=False)


def _normal_cdf(self: Array) -> Array:
    # The computation takes some thirty steps, so it is done in blocks that fit in the cache.
    flat = self.reshape(-1)
    out = np.empty_like(flat)
    for start in range(0, flat.size, _BLOCK):
        block = flat[start : start + _BLOCK]
        out[start : start + _BLOCK] = 0.5 * (1 + erf(block * self.dtype.type(math.sqrt(0.5))))
    return out.reshape(self.shape)


_cdf = Unary(
    "normal_cdf",
    _normal_cdf,
    {"self": lambda grad, self: grad * (self * self * -0.5).exp() / math.sqrt(2 * math.pi)},
    keeps_integers=False,
)


def _gelu_tanh_slope(self: Tensor) -> Tensor:
    inner = (_GELU_RATE * (self + _GELU_CUBE * self * self * self)).tanh()
    through = _GELU_RATE * (1 + 3 * _GELU_CUBE * self * self)
    return 0.5 * (1 + inner + self * (1 - inner * inner) * through)


@primitive(self=lambda grad, self: grad * _gelu_tanh_slope(self))
def _gelu_tanh(self: Array) -> Array:
    return 0.5 * self * (1 + np.tanh(_GELU_RATE * (self + _GELU_CUBE * self * self * self)))


@op("nn.functional")
@rounded_once
def gelu(input: Tensor, *, approximate: str = "none") -> Tensor:
    """Multiply the input by the standard normal cumulative distribution function of itself."""
    if approximate == "tanh":
        return activate(_gelu_tanh, input, inplace=False)
    if approximate != "none":
        raise RuntimeError("approximate argument must be either none or tanh.")
    return input * activate(_cdf, input, inplace=False)


def _silu_slope(self: Tensor) -> Tensor:
    gate = self.sigmoid()
    return gate * (1 + self * (1 - gate))


@primitive(self=lambda grad, self: grad * _silu_slope(self))
def _silu(self: Array) -> Array:
    return self / (1 + np.exp(-self))


define("silu", _silu, kinds="fc", doc="Compute ``x * sigmoid(x)``.")


def _mish_slope(self: Tensor) -> Tensor:
    inner = softplus(self).tanh()
    return inner + self * self.sigmoid() * (1 - inner * inner)


@primitive(self=lambda grad, self: grad * _mish_slope(self))
def _mish(self: Array) -> Array:
    return self * np.tanh(np.logaddexp(self, self.dtype.type(0)))


define("mish", _mish, doc="Compute ``x * tanh(softplus(x))``.")


@op("nn.functional")
def softsign(input: Tensor) -> Tensor:
    """Compute ``input / (1 + abs(input))``."""
    return input / (input.abs() + 1)


@op("nn.functional")
def tanhshrink(input: Tensor) -> Tensor:
    """Compute ``input - tanh(input)``."""
    return input - input.tanh()


@op("nn.functional")
def glu(input: Tensor, dim: int = -1) -> Tensor:
    """Multiply the first half along a dimension by the sigmoid of the second half."""
    if input.array.ndim == 0:
        raise RuntimeError("glu does not support scalars because halving size must be even")
    dim = wrap_dim(dim, input.array.ndim)
    size = input.array.shape[dim]
    if size % 2:
        raise RuntimeError(f"Halving dimension must be even, but dimension {dim} is size {size}")
    half = size // 2
    return input.narrow(dim, 0, half) * input.narrow(dim, half, half).sigmoid()


op("nn.functional")(sigmoid)
op("nn.functional")(tanh)


@op("nn.functional")
def gumbel_softmax(
    logits: Tensor, tau: float = 1, hard: bool = False, eps: float = 1e-10, dim: int = -1
) -> Tensor:
    """Sample from the Gumbel-softmax distribution, which approximates a categorical one.

    With ``hard`` the result is one-hot, and the gradient is that of the soft sample.

    Source:
        Jang et al. (2017); Maddison et al. (2017).
    """
    if eps != 1e-10:
        warnings.warn("`eps` parameter is deprecated and has no effect.", stacklevel=2)
    noise = -wrap(np.empty(logits.array.shape, logits.array.dtype)).exponential_().log()
    soft: Tensor = ((logits + noise) / tau).softmax(dim)
    if not hard:
        return soft
    index = soft.argmax(dim, keepdim=True)
    drawn = soft.new_zeros(soft.array.shape).scatter(dim, index, 1.0)
    return drawn - soft.detach() + soft
