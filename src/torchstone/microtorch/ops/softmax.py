"""Softmax: softmax, log_softmax, softmin."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.primitive import Primitive, primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.tensor import Array, Tensor, wrap_dim


def _softmax_rule(grad: Tensor, probs: Tensor, dim: int) -> Tensor:
    return _softmax_grad(grad, probs, dim)


def _softmax_probs_rule(grad: Tensor, self: Tensor, probs: Tensor, dim: int) -> Tensor:
    inner = (self * probs).sum(dim, True)
    return grad * (self - inner) - self * (grad * probs).sum(dim, True)


@primitive(self=_softmax_rule, probs=_softmax_probs_rule)
def _softmax_grad(self: Array, probs: Array, dim: int) -> Any:
    out = self * probs
    inner = np.add.reduce(out, dim, keepdims=True) if out.ndim else out.copy()
    inner = probs * inner
    out -= inner
    return out


@primitive(self=lambda grad, result, dim: _softmax_grad(grad, result, dim))
def _softmax(self: Array, dim: int) -> Any:
    out = _shifted(self, dim)
    np.exp(out, out=out)
    if out.size and out.ndim:
        out /= np.add.reduce(out, dim, keepdims=True)
    return out


def _shifted(array: Array, dim: int) -> Array:
    """Subtract the maximum of each row, so that no exponent is positive."""
    if not array.size:
        return array.copy()
    if not array.ndim:
        return np.asarray(array - array)
    return array - np.maximum.reduce(array, dim, keepdims=True)


@primitive(
    self=lambda grad, log_probs, dim: grad - (grad * log_probs.exp()).sum(dim, True),
    log_probs=lambda grad, self, log_probs, dim: -grad * log_probs.exp() * self.sum(dim, True),
)
def _log_softmax_grad(self: Array, log_probs: Array, dim: int) -> Any:
    if not self.ndim:
        return self - np.exp(log_probs) * self
    out = np.exp(log_probs)
    out *= np.add.reduce(self, dim, keepdims=True)
    return np.subtract(self, out, out=out)


@primitive(self=lambda grad, result, dim: _log_softmax_grad(grad, result, dim))
def _log_softmax(self: Array, dim: int) -> Any:
    out = _shifted(self, dim)
    if out.size and out.ndim:
        out -= np.log(np.add.reduce(np.exp(out), dim, keepdims=True))
    return out


def _along(made: Primitive, input: Tensor, dim: int, dtype: Dtype | None) -> Tensor:
    if dtype is not None:
        input = input.to(dtype)
    expect(made.__name__, input, "f")
    return made(input, wrap_dim(dim, input.array.ndim))


@op()
@op("special")
def softmax(input: Tensor, dim: int, dtype: Dtype | None = None) -> Tensor:
    """Apply softmax along one dimension."""
    return _along(_softmax, input, dim, dtype)


@op()
@op("special")
def log_softmax(input: Tensor, dim: int, dtype: Dtype | None = None) -> Tensor:
    """Apply log-softmax along one dimension."""
    return _along(_log_softmax, input, dim, dtype)


def _define(name: str, compute: Callable[..., Tensor], what: str) -> None:
    """Register a function of ``nn.functional`` whose ``dim`` may be omitted."""

    def function(
        input: Tensor, dim: int | None = None, _stacklevel: int = 3, dtype: Dtype | None = None
    ) -> Tensor:
        if dim is None:
            warnings.warn(
                f"Implicit dimension choice for {name} has been deprecated. Change the call to "
                "include dim=X as an argument.",
                stacklevel=_stacklevel,
            )
            dim = 0 if input.array.ndim in (0, 1, 3) else 1
        return compute(input, dim, dtype)

    op("nn.functional")(named(function, name, f"Apply {what} along one dimension."))


_define("softmax", softmax, "softmax")
_define("log_softmax", log_softmax, "log-softmax")
_define("softmin", lambda input, dim, dtype: softmax(-input, dim, dtype), "``softmax(-input)``")
