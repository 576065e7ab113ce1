"""Special functions and their derivatives: erf, lgamma, polygamma, zeta, xlogy."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.ops import erf, gamma
from torchstone.microtorch.ops.arithmetic import Function, define
from torchstone.microtorch.ops.namespace import functions, in_place, named, op
from torchstone.microtorch.ops.pointwise import into, unary
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.tensor import Array, Tensor, attach

_SQRT_PI = math.sqrt(math.pi)
_SQRT_2PI = math.sqrt(2 * math.pi)
_IN_SPECIAL = ("special",)

# Normal distribution.

unary(
    "erf",
    erf.erf,
    lambda grad, self: grad * ((2 / _SQRT_PI) * (-self * self).exp()),
    special="erf",
)
unary(
    "erfc",
    erf.erfc,
    lambda grad, self: grad * ((-2 / _SQRT_PI) * (-self * self).exp()),
    special="erfc",
)
unary(
    "erfinv",
    erf.erfinv,
    lambda grad, result: grad * ((_SQRT_PI / 2) * (result * result).exp()),
    special="erfinv",
)
_erfcx = unary(
    "erfcx",
    erf.erfcx,
    lambda grad, self, result: grad * (2 * self * result - 2 / _SQRT_PI),
    namespaces=_IN_SPECIAL,
)
unary(
    "ndtr",
    erf.ndtr,
    lambda grad, self: grad * ((self * self * -0.5).exp() / _SQRT_2PI),
    namespaces=_IN_SPECIAL,
)
unary(
    "ndtri",
    erf.ndtri,
    lambda grad, result: grad * ((result * result * 0.5).exp() * _SQRT_2PI),
    namespaces=_IN_SPECIAL,
)
unary(
    "log_ndtr",
    erf.log_ndtr,
    lambda grad, self: grad / _erfcx(self * -math.sqrt(0.5)) * math.sqrt(2 / math.pi),
    namespaces=_IN_SPECIAL,
)

# Gamma functions.

unary("lgamma", gamma.lgamma, lambda grad, self: grad * self.digamma(), special="gammaln")
unary("digamma", gamma.digamma, lambda grad, self: grad * self.polygamma(1), special="psi")
functions["special"]["digamma"] = functions["torch"]["digamma"]


@primitive(self=lambda grad, n, self: grad * self.polygamma(n + 1))
def _polygamma(n: int, self: Array) -> Array:
    return gamma.polygamma(n, self)


@op(method=False)
def polygamma(n: int, input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Return the ``n``-th derivative of digamma.

    Raises:
        RuntimeError: ``n`` is negative.
    """
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if input.array.dtype.kind in "iub":
        input = input.to(dtypes.get_default_dtype())
    return into(out, _polygamma(n, input))


functions["special"]["polygamma"] = polygamma
_method = named(lambda self, n: polygamma(n, self), "polygamma")
attach("polygamma", _method)
attach("polygamma_", in_place(_method, "polygamma_"))


@op(inplace=True)
def mvlgamma(input: Tensor, p: int, *, out: Tensor | None = None) -> Tensor:
    """Compute the logarithm of the multivariate gamma function of dimension ``p``.

    Raises:
        RuntimeError: ``p`` is less than 1.
    """
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")
    total = input.lgamma() + p * (p - 1) / 4 * math.log(math.pi)
    for each in range(1, p):
        total = total + (input - each / 2).lgamma()
    return into(out, total)


functions["special"]["multigammaln"] = mvlgamma

zeta: Function = define(
    "zeta",
    gamma.zeta,
    other=lambda grad, self, other: grad * -self * zeta(self + 1, other),
    keeps_integers=False,
    inplace=False,
    namespaces=_IN_SPECIAL,
)

# Logarithmic functions.


def _entr(x: Array) -> Any:
    return np.where(x == 0, x.dtype.type(0), np.where(x < 0, -x.dtype.type(np.inf), -x * np.log(x)))


def _xlogy(x: Array, y: Array) -> Any:
    return np.where((x == 0) & ~np.isnan(y), x.dtype.type(0), x * np.log(y))


def _xlog1py(x: Array, y: Array) -> Any:
    return np.where((x == 0) & ~np.isnan(y), x.dtype.type(0), x * np.log1p(y))


unary("entr", _entr, lambda grad, self: grad * (-self.log() - 1), namespaces=_IN_SPECIAL)
xlogy = define(
    "xlogy",
    _xlogy,
    lambda grad, self, other: grad * other.log().masked_fill(self.eq(0) & (other <= 0), 0),
    lambda grad, self, other: grad * (self / other),
    keeps_integers=False,
    refuses="c",
    special="xlogy",
)
xlog1py = define(
    "xlog1py",
    _xlog1py,
    lambda grad, self, other: grad * other.log1p().masked_fill(self.eq(0) & (other <= -1), 0),
    lambda grad, self, other: grad * (self / (other + 1)),
    keeps_integers=False,
    refuses="c",
    inplace=False,
    namespaces=_IN_SPECIAL,
)
logaddexp = define(
    "logaddexp",
    np.logaddexp,
    lambda grad, self, other: grad / (1 + (other - self).exp()),
    lambda grad, self, other: grad / (1 + (self - other).exp()),
    numbers="none",
    refuses="iub",
    inplace=False,
)
logaddexp2 = define(
    "logaddexp2",
    np.logaddexp2,
    lambda grad, self, other: grad / (1 + (other - self).exp2()),
    lambda grad, self, other: grad / (1 + (self - other).exp2()),
    numbers="none",
    refuses="iub",
    inplace=False,
)
