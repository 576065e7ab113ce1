"""Random sampling: rand, randn, randint, randperm, normal, bernoulli, multinomial."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from torchstone.microtorch import dtypes
from torchstone.microtorch.autograd.inplace import check_writable, replace
from torchstone.microtorch.dtypes import dtype as Dtype
from torchstone.microtorch.generator import Generator, default_generator
from torchstone.microtorch.ops.broadcasting import expect_tensors, meet
from torchstone.microtorch.ops.conversion import into_apart
from torchstone.microtorch.ops.creation import dtype_of, finished, numpy_dtype, shape_of, sizes
from torchstone.microtorch.ops.namespace import named, op
from torchstone.microtorch.ops.pointwise import into
from torchstone.microtorch.ops.primitive import primitive
from torchstone.microtorch.ops.reductions import expect
from torchstone.microtorch.tensor import Array, Tensor, wrap


def _array(
    kind: str, shape: tuple[int, ...], dtype: Any, generator: Generator | None = None
) -> Array:
    """Draw an array of "normal" or "uniform" random numbers."""
    draw, count = getattr(generator or default_generator, kind), math.prod(shape)
    if dtype.kind != "c":
        return draw(count, dtype).astype(dtype, copy=False).reshape(shape)
    parts = draw(2 * count, np.empty(0, dtype).real.dtype)
    if kind == "normal":
        # The variance of both parts together is 1.
        parts = parts * np.sqrt(0.5)
    return (parts[0::2] + 1j * parts[1::2]).astype(dtype).reshape(shape)


def _drawn_tensor(
    name: str, kind: str, size: Any, dtype: Dtype | None, generator: Any, options: dict[str, Any]
) -> Tensor:
    shape, wanted = shape_of(size, options), numpy_dtype(dtype_of(dtype, options))
    if wanted.kind not in "fc":
        raise NotImplementedError(f'"{name}" not implemented for {dtypes.of_numpy(wanted).title!r}')
    return finished(_array(kind, shape, wanted, generator), options)


@op(method=False)
def rand(
    *size: Any, generator: Generator | None = None, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Draw from the uniform distribution on [0, 1)."""
    return _drawn_tensor("rand", "uniform", size, dtype, generator, options)


@op(method=False)
def randn(
    *size: Any, generator: Generator | None = None, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Draw from the standard normal distribution."""
    return _drawn_tensor("randn", "normal", size, dtype, generator, options)


@op(method=False)
def rand_like(input: Tensor, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Draw from the uniform distribution on [0, 1), with the shape of a tensor."""
    return rand(input.array.shape, dtype=dtype or input.dtype, **options)


@op(method=False)
def randn_like(input: Tensor, *, dtype: Dtype | None = None, **options: Any) -> Tensor:
    """Draw from the standard normal distribution, with the shape of a tensor."""
    return randn(input.array.shape, dtype=dtype or input.dtype, **options)


@op(method=False)
def randint(
    low: int = 0,
    high: Any = None,
    size: Any = None,
    *,
    generator: Generator | None = None,
    dtype: Dtype | None = None,
    **options: Any,
) -> Tensor:
    """Draw integers from [low, high), or from [0, low) if only one limit is given."""
    if size is None and high is not None and not isinstance(high, int):
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    wanted, shape = dtype or dtypes.int64, sizes((size,))
    drawn = _integers(int(low), int(high), math.prod(shape), wanted, generator)
    return finished(drawn.reshape(shape).astype(wanted.numpy), options)


def _integers(low: int, high: int, count: int, dtype: Dtype, generator: Generator | None) -> Array:
    """Draw integers from [low, high), which must be representable in the dtype."""
    if low >= high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}"
        )
    limits = np.iinfo(dtype.numpy if dtype.kind == dtypes.INTEGER else np.int64)
    for name, limit in (("from", low), ("to - 1", high - 1)):
        if not limits.min <= limit <= limits.max:
            raise RuntimeError(f"{name} is out of bounds for {dtype.c_name}")
    return (generator or default_generator).integers(low, high, count)


@op(method=False)
def randint_like(
    input: Tensor, low: int, high: int | None = None, *, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Draw integers, with the shape of a tensor."""
    low, high = (0, low) if high is None else (low, high)
    return randint(low, high, input.array.shape, dtype=dtype or input.dtype, **options)


@op(method=False)
def randperm(
    n: int, *, generator: Generator | None = None, dtype: Dtype | None = None, **options: Any
) -> Tensor:
    """Return a random permutation of the integers below ``n``."""
    drawn = (generator or default_generator).permutation(*sizes((n,)))
    return finished(drawn.astype((dtype or dtypes.int64).numpy), options)


@op(method=False)
def normal(
    mean: Any,
    std: Any = 1.0,
    size: Any = None,
    *,
    generator: Generator | None = None,
    **options: Any,
) -> Tensor:
    """Draw from normal distributions with given means and standard deviations."""
    if isinstance(std, Tensor) and (std.array < 0).any():
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if not isinstance(std, Tensor) and std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    source = generator or default_generator
    if size is None:
        around = mean if isinstance(mean, Tensor) else std
        expect_tensors("normal", mean=around)
        expect("normal_kernel_cpu", around, "fc")
    else:
        drawn = _array("normal", sizes((size,)), numpy_dtype(options.get("dtype")), source)
        return finished(drawn * drawn.dtype.type(std) + drawn.dtype.type(mean), options)
    return into(options.get("out"), _normal_around(mean, std, source))


# The samples count as independent of the parameters: as in PyTorch, gradients are zero.
@primitive(exact=True, mean=lambda grad: grad * 0, std=lambda grad: grad * 0)
def _normal_around(mean: Any, std: Any, generator: Generator) -> Array:
    kind = (mean if isinstance(mean, np.ndarray) else std).dtype
    shape = meet(np.shape(mean), np.shape(std))
    return (_array("normal", shape, kind, generator) * std + mean).astype(kind)


@primitive(exact=True, self=lambda grad: grad * 0)
def _bernoulli(self: Array, generator: Generator) -> Array:
    # Written so that NaN is rejected as well.
    if not ((self >= 0) & (self <= 1)).all():
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    drawn = generator.uniform(self.size, self.dtype).reshape(self.shape)
    return (drawn < self).astype(self.dtype)


@op()
def bernoulli(
    input: Tensor, p: float | None = None, *, generator: Generator | None = None, out: Any = None
) -> Tensor:
    """Draw 1 with the probability given by each element, otherwise 0."""
    if p is not None:
        return input.clone().bernoulli_(p, generator=generator)
    expect("bernoulli_tensor_cpu_p_", input, "f")
    return into_apart(out, _bernoulli(input, generator or default_generator), input)


@op()
def multinomial(
    input: Tensor,
    num_samples: int,
    replacement: bool = False,
    *,
    generator: Generator | None = None,
    out: Any = None,
) -> Tensor:
    """Draw indices with probabilities proportional to the weights."""
    if out is not None and out.dtype is not dtypes.int64:
        raise RuntimeError(f"multinomial expects Long tensor out, got: {out.dtype}")
    weights = np.atleast_2d(input.array)
    _check_weights(input, weights, num_samples, replacement)
    source = generator or default_generator
    if replacement and num_samples > 1:
        limits = np.cumsum(weights, axis=1, dtype=np.float64)
        limits /= limits[:, -1:]
        drawn = source.uniform(len(weights) * num_samples, np.float64).reshape(len(weights), -1)
        found = np.stack([np.searchsorted(*row) for row in zip(limits, drawn, strict=True)])
    else:
        # The first arrivals of exponential processes whose rates are the weights.
        waits = -np.log1p(-source.uniform(weights.size, np.float64)).reshape(weights.shape)
        rates = weights / waits.astype(weights.dtype)
        found = np.argsort(-rates, axis=1, kind="stable")[:, :num_samples]
    return into(out, wrap(found.reshape(*input.array.shape[:-1], num_samples).astype(np.int64)))


def _check_weights(input: Tensor, weights: Array, num_samples: int, replacement: bool) -> None:
    if input.array.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if input.array.dtype.kind != "f":
        raise RuntimeError(
            f"multinomial only supports floating-point dtypes for input, got: {input.dtype}"
        )
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > weights.shape[1]:
        raise RuntimeError(
            "cannot sample n_sample > prob_dist.size(-1) samples without replacement"
        )
    if not np.isfinite(weights).all() or (weights < 0).any():
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if (weights.sum(axis=1) <= 0).any():
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")


def _drawn(self: Tensor, values: Array) -> Tensor:
    check_writable(self)
    return replace(
        self, wrap(values.reshape(self.array.shape).astype(self.array.dtype, copy=False))
    )


def _fused(x: Array, scale: Any, shift: Any) -> Array:
    """Return ``x * scale + shift`` with one rounding, like PyTorch's compiled loops."""
    if x.dtype != np.float64:
        wide = np.complex128 if x.dtype.kind == "c" else np.float64
        total: Any = x.astype(wide)
        total *= wide(scale)
        total += wide(shift)
        return total.astype(x.dtype)
    # Add the rounding errors of product and sum: Dekker (1971) and Knuth, TAOCP 4.2.2.
    product = x * scale
    (x_high, x_low), (scale_high, scale_low) = _halves(x), _halves(scale)
    lost = x_high * scale_high - product + x_high * scale_low + x_low * scale_high
    lost = lost + x_low * scale_low
    total = product + shift
    part = total - product
    return total + (lost + ((product - (total - part)) + (shift - part)))


def _halves(x: Any) -> tuple[Any, Any]:
    """Split 53-bit numbers into two 26-bit halves, whose products are exact."""
    moved = x * (2.0**27 + 1)
    high = moved - (moved - x)
    return high, x - high


@op()
def uniform_(
    self: Tensor, from_: float = 0.0, to: float = 1.0, *, generator: Any = None, **limits: Any
) -> Tensor:
    """Fill with samples of the uniform distribution on [from, to)."""
    low = _lower("uniform_", from_, limits)
    expect("check_uniform_bounds", self, "fc")
    if low > to:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low} > to={to}"
        )
    limit = dtypes.finfo(self.dtype).max
    for name, each in (("from", low), ("to", to)):
        if not -limit <= each <= limit:
            raise RuntimeError(f"{name} is out of bounds for {self.dtype.c_name}")
    drawn = _array("uniform", self.array.shape, self.array.dtype, generator)
    kind = drawn.dtype.type
    return _drawn(self, _fused(drawn, kind(to) - kind(low), kind(low)))


def _lower(name: str, from_: Any, limits: dict[str, Any]) -> Any:
    """Return the lower limit, whose name ``from`` is a Python keyword."""
    low = limits.pop("from", from_)
    if limits:
        raise TypeError(f"{name}() got an unexpected keyword argument '{min(limits)}'")
    return low


@op()
def normal_(
    self: Tensor, mean: float = 0.0, std: float = 1.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with samples of a normal distribution."""
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    expect("normal_kernel_cpu", self, "fc")
    kind, source = self.array.dtype, generator or default_generator
    # Up to 15 numbers are drawn in double precision, then rounded.
    is_real = kind.kind != "c"
    drawn = (
        source.normal(self.array.size, kind)
        if is_real
        else _array("normal", self.array.shape, kind, source)
    )
    return _drawn(self, _fused(drawn, drawn.dtype.type(std), drawn.dtype.type(mean)))


@op()
def bernoulli_(self: Tensor, p: Any = 0.5, *, generator: Generator | None = None) -> Tensor:
    """Fill with 1 with probability ``p``, otherwise 0."""
    source = generator or default_generator
    if isinstance(p, Tensor):
        return _drawn(self, _bernoulli(p.expand(self.array.shape), source).array)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p}")
    return _drawn(self, source.uniform(self.array.size, np.float64) < p)


@op()
def random_(
    self: Tensor, from_: int = 0, to: int | None = None, *, generator: Any = None, **limits: Any
) -> Tensor:
    """Fill with integers drawn from [from, to); by default from all representable ones >= 0."""
    low = _lower("random_", from_, limits)
    kind = self.array.dtype
    if to is None and low:
        low, to = 0, low
    elif to is None and kind.kind == "f":
        to = 2 ** (np.finfo(kind).nmant + 1) + 1
    elif to is None:
        to = 2 if kind.kind == "b" else int(np.iinfo(kind).max) + 1
    return _drawn(self, _integers(low, to, self.array.size, self.dtype, generator))


def _define_fillers() -> None:
    """Register the distributions that transform one uniform number each."""

    def filler(name: str, transform: Callable[..., Array]) -> None:
        def fill(self: Tensor, *args: float, generator: Any = None, **named: float) -> Tensor:
            if name != "geometric_":
                expect(name, self, "f")
            uniform = (generator or default_generator).uniform(self.array.size, np.float64)
            return _drawn(self, transform(uniform, *args, **named))

        what = f"Fill with samples of the {name[:-1]} distribution."
        op()(named(fill, name, what))

    def exponential(u: Array, lambd: float = 1.0) -> Array:
        return -np.log1p(-u) / _positive("exponential_", lambd)

    def cauchy(u: Array, median: float = 0.0, sigma: float = 1.0) -> Array:
        return median + _positive("cauchy_", sigma) * np.tan(np.pi * (u - 0.5))

    filler("exponential_", exponential)
    filler("cauchy_", cauchy)
    filler("geometric_", lambda u, p: np.ceil(np.log(u) / np.log1p(-_share(p))))


def _positive(name: str, value: float) -> float:
    if value <= 0.0:
        raise RuntimeError(f"{name} expects a parameter > 0.0, but found {value}")
    return value


def _share(p: float) -> float:
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p}")
    return p


_define_fillers()


@op()
def log_normal_(
    self: Tensor, mean: float = 1.0, std: float = 2.0, *, generator: Generator | None = None
) -> Tensor:
    """Fill with samples of a log-normal distribution."""
    if std <= 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std}")
    expect("log_normal_cpu", self, "f")
    source = generator or default_generator
    drawn = np.array([source._one_normal() for _ in range(self.array.size)])
    return _drawn(self, np.exp(mean + std * drawn))
