"""Weight initialization: xavier, kaiming, orthogonal, trunc_normal, as in ``torch.nn.init``.

Source:
    Glorot and Bengio, Understanding the difficulty of training deep networks (2010): ``xavier_``.
    He et al., Delving deep into rectifiers (2015): ``kaiming_``.
    Saxe et al., Exact solutions to the dynamics of learning (2013): ``orthogonal_``.
    Martens, Deep learning via Hessian-free optimization (2010): ``sparse_``.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np

from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.generator import Generator, default_generator
from torchstone.microtorch.grad_mode import no_grad
from torchstone.microtorch.nn.parameter import Parameter
from torchstone.microtorch.ops.creation import numpy_dtype, sizes
from torchstone.microtorch.tensor import Tensor, wrap

# Gain of each nonlinearity, by which the weights are scaled to preserve the variance.
_GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4, "sigmoid": 1, "linear": 1} | {
    f"conv{kind}{dims}d": 1 for kind in ("", "_transpose") for dims in (1, 2, 3)
}


def unset(*shape: int, dtype: Dtype | None = None) -> Parameter:
    """Create an uninitialized parameter."""
    return Parameter(wrap(np.empty(sizes(shape), numpy_dtype(dtype))))


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """Return the gain that preserves the variance through a nonlinearity."""
    if nonlinearity == "leaky_relu":
        if param is None:
            param = 0.01
        elif isinstance(param, bool) or not isinstance(param, int | float):
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + param**2))
    if nonlinearity not in _GAINS:
        raise ValueError(f"Unsupported nonlinearity {nonlinearity}")
    return _GAINS[nonlinearity]


def _calculate_fan_in_and_fan_out(tensor: Tensor) -> tuple[int, int]:
    shape = tensor.array.shape
    if len(shape) < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 dimensions"
        )
    field = math.prod(shape[2:])
    return shape[1] * field, shape[0] * field


def _fan(tensor: Tensor, mode: str) -> int:
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(f"Mode {mode.lower()} not supported, please use one of {modes}")
    return _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]


@no_grad()
def uniform_(
    tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with samples of the uniform distribution on [a, b)."""
    return tensor.uniform_(a, b, generator=generator)


@no_grad()
def normal_(
    tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with samples of a normal distribution."""
    return tensor.normal_(mean, std, generator=generator)


@no_grad()
def trunc_normal_(
    tensor: Tensor,
    mean: float = 0.0,
    std: float = 1.0,
    a: float = -2.0,
    b: float = 2.0,
    generator: Generator | None = None,
) -> Tensor:
    """Fill with samples of a normal distribution truncated to [a, b]."""
    if mean < a - 2 * std or mean > b + 2 * std:
        warnings.warn(
            "mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
            "The distribution of values may be incorrect.",
            stacklevel=2,
        )
    below = [(1 + math.erf((bound - mean) / std / math.sqrt(2))) / 2 for bound in (a, b)]
    if below[1] - below[0] > 0.3:
        _redraw_outside(tensor, mean, std, a, b, generator)
    else:
        _draw_by_density(tensor, mean, std, a, b, generator)
    return tensor


def _redraw_outside(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> None:
    values = tensor.normal_(mean, std, generator=generator).array
    low, high = values.dtype.type(a), values.dtype.type(b)
    while (outside := (values < low) | (values > high)).any():
        again = wrap(np.empty_like(values)).normal_(mean, std, generator=generator)
        np.copyto(values, again.array, where=outside)


def _draw_by_density(
    tensor: Tensor, mean: float, std: float, a: float, b: float, generator: Generator | None
) -> None:
    """Draw from [a, b) by rejection sampling with the normal density."""
    values = tensor.uniform_(a, b, generator=generator).array
    candidates, chances = wrap(values.copy()), wrap(np.empty_like(values))
    peak = -0.5 * ((max(a, min(mean, b)) - mean) / std) ** 2
    pending = np.ones(values.shape, bool)
    while True:
        density = -0.5 * ((candidates.array - mean) / std) ** 2 - peak
        pending &= np.log(chances.uniform_(generator=generator).array) > density
        if not pending.any():
            return
        candidates.uniform_(a, b, generator=generator)
        np.copyto(values, candidates.array, where=pending)


@no_grad()
def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with a value."""
    return tensor.fill_(val)


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones."""
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros."""
    return constant_(tensor, 0.0)


@no_grad()
def eye_(tensor: Tensor) -> Tensor:
    """Set a matrix to the identity."""
    if tensor.array.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    return _set(tensor, np.eye(*tensor.array.shape))


@no_grad()
def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Set the kernel of a convolution so that it preserves its input channels."""
    shape = tensor.array.shape
    if len(shape) not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if shape[0] % groups:
        raise ValueError("dim 0 must be divisible by groups")
    values, middle = np.zeros(shape), tuple(size // 2 for size in shape[2:])
    per_group = shape[0] // groups
    for group in range(groups):
        for channel in range(min(per_group, shape[1])):
            values[(group * per_group + channel, channel, *middle)] = 1
    return _set(tensor, values)


def _set(tensor: Tensor, values: Any) -> Tensor:
    return tensor.copy_(wrap(values.astype(tensor.array.dtype)))


def xavier_uniform_(
    tensor: Tensor, gain: float = 1.0, generator: Generator | None = None
) -> Tensor:
    """Fill with Xavier uniform samples, which preserve the variance forward and backward."""
    bound = math.sqrt(3.0) * _xavier_std(tensor, gain)
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Fill with Xavier normal samples, which preserve the variance forward and backward."""
    return normal_(tensor, 0.0, _xavier_std(tensor, gain), generator)


def _xavier_std(tensor: Tensor, gain: float) -> float:
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return gain * math.sqrt(2.0 / float(fan_in + fan_out))


def kaiming_uniform_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with Kaiming uniform samples; ``a`` is the negative slope of the rectifier."""
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    bound = math.sqrt(3.0) * std
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor: Tensor,
    a: float = 0,
    mode: str = "fan_in",
    nonlinearity: str = "leaky_relu",
    generator: Generator | None = None,
) -> Tensor:
    """Fill with Kaiming normal samples; ``a`` is the negative slope of the rectifier."""
    if _is_empty(tensor):
        return tensor
    std = calculate_gain(nonlinearity, a) / math.sqrt(_fan(tensor, mode))
    return normal_(tensor, 0.0, std, generator)


def _is_empty(tensor: Tensor) -> bool:
    if 0 in tensor.array.shape:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
        return True
    return False


@no_grad()
def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a random semi-orthogonal matrix: rows or columns are orthonormal."""
    if tensor.array.ndim < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if not tensor.array.size:
        return tensor
    rows = tensor.array.shape[0]
    flat = wrap(np.empty((rows, tensor.array.size // rows), tensor.array.dtype))
    values = flat.normal_(generator=generator).array
    is_wide = rows < values.shape[1]
    q, r = np.linalg.qr(values.T if is_wide else values)
    # Without this the distribution is not uniform: Mezzadri (2007), section 5.
    q *= np.sign(np.diag(r))
    return _set(tensor, (q.T if is_wide else q).reshape(tensor.array.shape) * gain)


@no_grad()
def sparse_(
    tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None
) -> Tensor:
    """Fill with normal samples, with a fraction of each column set to zero."""
    if tensor.array.ndim != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    values = tensor.normal_(0, std, generator=generator).array
    rows, columns = values.shape
    for column in range(columns):
        chosen = default_generator.permutation(rows)[: math.ceil(sparsity * rows)]
        values[chosen, column] = 0
    return tensor


def __getattr__(name: str) -> Any:
    """Return the deprecated alias of a function, without the underscore."""
    function = globals().get(f"{name}_")
    if function is None or name.startswith("_"):
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")

    def of_old(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(
            f"`nn.init.{name}` is now deprecated in favor of `nn.init.{name}_`.",
            FutureWarning,
            stacklevel=2,
        )
        return function(*args, **kwargs)

    return of_old
