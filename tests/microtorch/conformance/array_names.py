"""The names that the standard has, 2024.12, how each is called, and whether ours is called so."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from inspect import Parameter
from typing import Any

from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_checks import Check, called, once

_LIKE = "x, /, *, dtype=None, device=None"
_OF_SHAPE = "shape, *, dtype=None, device=None"
_REDUCED = "x, /, *, axis=None, keepdims=False"
_TYPED = "x, /, *, axis=None, dtype=None, keepdims=False"
_SPREAD = "x, /, *, axis=None, correction=0.0, keepdims=False"
_RUNNING = "x, /, *, axis=None, dtype=None, include_initial=False"
_SORTED = "x, /, *, axis=-1, descending=False, stable=True"
_ONE = "x, /, *, n=None, axis=-1, norm='backward'"
_SEVERAL = "x, /, *, s=None, axes=None, norm='backward'"
_PAIR = "x1, x2, /"

UNARY = (
    "abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag "
    "isfinite isinf isnan log log10 log1p log2 logical_not negative positive real reciprocal "
    "round sign signbit sin sinh sqrt square tan tanh trunc"
).split()
BINARY = (
    "add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign "
    "divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and "
    "logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract"
).split()
FUNCTIONS: dict[str, dict[str, str]] = {
    "creation": {
        "arange": "start, /, stop=None, step=1, *, dtype=None, device=None",
        "asarray": "obj, /, *, dtype=None, device=None, copy=None",
        "empty": _OF_SHAPE, "empty_like": _LIKE,
        "eye": "n_rows, n_cols=None, /, *, k=0, dtype=None, device=None",
        "from_dlpack": "x, /, *, device=None, copy=None",
        "full": "shape, fill_value, *, dtype=None, device=None",
        "full_like": "x, /, fill_value, *, dtype=None, device=None",
        "linspace": "start, stop, /, num, *, dtype=None, device=None, endpoint=True",
        "meshgrid": "*arrays, indexing='xy'",
        "ones": _OF_SHAPE, "ones_like": _LIKE, "tril": "x, /, *, k=0", "triu": "x, /, *, k=0",
        "zeros": _OF_SHAPE, "zeros_like": _LIKE,
    },
    "data_type": {
        "astype": "x, dtype, /, *, copy=True, device=None", "can_cast": "from_, to, /",
        "finfo": "type, /", "iinfo": "type, /", "isdtype": "dtype, kind",
        "result_type": "*arrays_and_dtypes",
    },
    "elementwise": {
        **dict.fromkeys(UNARY, "x, /"), **dict.fromkeys(BINARY, _PAIR),
        "clip": "x, /, min=None, max=None",
    },
    "indexing": {
        "take": "x, indices, /, *, axis=None", "take_along_axis": "x, indices, /, *, axis=-1",
    },
    "linear_algebra": {
        "matmul": _PAIR, "matrix_transpose": "x, /", "tensordot": "x1, x2, /, *, axes=2",
        "vecdot": "x1, x2, /, *, axis=-1",
    },
    "manipulation": {
        "broadcast_arrays": "*arrays", "broadcast_to": "x, /, shape",
        "concat": "arrays, /, *, axis=0", "expand_dims": "x, /, *, axis=0",
        "flip": "x, /, *, axis=None", "moveaxis": "x, source, destination, /",
        "permute_dims": "x, /, axes", "repeat": "x, repeats, /, *, axis=None",
        "reshape": "x, /, shape, *, copy=None", "roll": "x, /, shift, *, axis=None",
        "squeeze": "x, /, axis", "stack": "arrays, /, *, axis=0", "tile": "x, repetitions, /",
        "unstack": "x, /, *, axis=0",
    },
    "searching": {
        "argmax": _REDUCED, "argmin": _REDUCED, "count_nonzero": _REDUCED, "nonzero": "x, /",
        "searchsorted": "x1, x2, /, *, side='left', sorter=None", "where": "condition, x1, x2, /",
    },
    "set": dict.fromkeys(
        ("unique_all", "unique_counts", "unique_inverse", "unique_values"), "x, /"),
    "sorting": {"argsort": _SORTED, "sort": _SORTED},
    "statistical": {
        "cumulative_prod": _RUNNING, "cumulative_sum": _RUNNING, "max": _REDUCED,
        "mean": _REDUCED, "min": _REDUCED, "prod": _TYPED, "std": _SPREAD, "sum": _TYPED,
        "var": _SPREAD,
    },
    "utility": {
        "all": _REDUCED, "any": _REDUCED,
        "diff": "x, /, *, axis=-1, n=1, prepend=None, append=None",
    },
}  # fmt: skip
EXTENSIONS: dict[str, dict[str, str]] = {
    "linalg": {
        **FUNCTIONS["linear_algebra"],
        **dict.fromkeys(("det", "eigh", "eigvalsh", "inv", "slogdet", "svdvals"), "x, /"),
        "cholesky": "x, /, *, upper=False", "cross": "x1, x2, /, *, axis=-1",
        "diagonal": "x, /, *, offset=0", "matrix_norm": "x, /, *, keepdims=False, ord='fro'",
        "matrix_power": "x, n, /", "matrix_rank": "x, /, *, rtol=None", "outer": _PAIR,
        "pinv": "x, /, *, rtol=None", "qr": "x, /, *, mode='reduced'", "solve": _PAIR,
        "svd": "x, /, *, full_matrices=True", "trace": "x, /, *, offset=0, dtype=None",
        "vector_norm": "x, /, *, axis=None, keepdims=False, ord=2",
    },
    "fft": {
        **dict.fromkeys(("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"), _ONE),
        **dict.fromkeys(("fftn", "ifftn", "rfftn", "irfftn"), _SEVERAL),
        **dict.fromkeys(("fftfreq", "rfftfreq"), "n, /, *, d=1.0, dtype=None, device=None"),
        **dict.fromkeys(("fftshift", "ifftshift"), "x, /, *, axes=None"),
    },
}  # fmt: skip
_ALONE = "abs bool complex dlpack_device float index int invert neg pos".split()
_PAIRED = (
    "add and eq floordiv ge gt le lshift lt matmul mod mul ne or pow rshift sub truediv xor"
).split()
METHODS: dict[str, str] = {
    **{f"__{name}__": "" for name in _ALONE},
    **{f"__{name}__": "other, /" for name in _PAIRED},
    "__array_namespace__": "*, api_version=None",
    "__dlpack__": "*, stream=None, max_version=None, dl_device=None, copy=None",
    "__getitem__": "key, /", "__setitem__": "key, value, /",
    "to_device": "device, /, *, stream=None",
}  # fmt: skip
ATTRIBUTES = "T device dtype mT ndim shape size".split()
INFO: dict[str, str] = {
    "capabilities": "", "default_device": "", "default_dtypes": "*, device=None", "devices": "",
    "dtypes": "*, device=None, kind=None",
}  # fmt: skip


def expect_signature(function: Callable[..., Any], wanted: str) -> None:
    """Fail if a call that the standard allows would not bind, or a default is another."""
    # The text is a constant of this file; Python itself reads best what Python has written.
    asked = inspect.signature(eval(f"lambda {wanted}: None")).parameters.values()
    given = list(inspect.signature(function).parameters.values())
    by_name = {each.name: each for each in given}
    for number, each in enumerate(asked):
        if each.kind is Parameter.KEYWORD_ONLY:
            assert each.name in by_name, f"no argument {each.name}"
            found = by_name[each.name]
            assert found.kind in (Parameter.KEYWORD_ONLY, Parameter.POSITIONAL_OR_KEYWORD)
        else:
            assert number < len(given), f"no place for {each.name}"
            found = given[number]
            if each.kind is Parameter.POSITIONAL_OR_KEYWORD:
                assert found.name == each.name, f"{found.name} for {each.name}"
            if each.kind is Parameter.POSITIONAL_ONLY:
                assert found.kind is not Parameter.KEYWORD_ONLY, f"{each.name} is keyword-only"
            else:
                assert found.kind is each.kind, f"{each.name} is {found.kind.description}"
        if each.default is not Parameter.empty and each.kind is not Parameter.KEYWORD_ONLY:
            assert found.default == each.default, f"{each.name} is {found.default!r} by default"


def _has(owner: Callable[[], Any], name: str) -> None:
    assert hasattr(owner(), name), f"no {name}"


def _sample(name: str) -> Any:
    """Make an array that has the method; some are for numbers alone."""
    return xp.ones(() if name in ("__bool__", "__int__", "__index__") else (3, 3), dtype=xp.int64)


def _places() -> Iterator[tuple[str, str, str, Callable[[], Any], str]]:
    """Return category, name, test, what has it, and signature of everything that is called."""
    for category, functions in FUNCTIONS.items():
        for name, signature in functions.items():
            yield category, name, f"func_signature[{name}]", lambda: xp, signature
    for category, functions in EXTENSIONS.items():
        for name, signature in functions.items():
            test = f"extension_func_signature[{category}.{name}]"
            owner = functools.partial(getattr, xp, category)
            yield category, name, test, owner, signature
    for name, signature in METHODS.items():
        owner = functools.partial(_sample, name)
        yield "array_method", name, f"array_method_signature[{name}]", owner, signature


def checks() -> Iterator[Check]:
    """Return each name, and each signature."""
    for category, name, test, owner, signature in _places():
        yield Check(
            file="has_names",
            name=f"has_names[{category}-{name}]",
            run=once(lambda owner=owner, name=name: _has(owner, name)),
        )
        yield _of_signature(test, owner, name, signature)
    for name in ATTRIBUTES:
        yield Check(
            file="has_names",
            name=f"has_names[array_attribute-{name}]",
            run=once(lambda name=name: _has(lambda: xp.ones((1, 1)), name)),
        )
    for name, signature in INFO.items():
        test, info = f"info_func_signature[{name}]", called("__array_namespace_info__")
        yield _of_signature(test, info, name, signature)


def _of_signature(test: str, owner: Callable[[], Any], name: str, signature: str) -> Check:
    return Check(
        file="signatures",
        name=test,
        run=once(lambda: expect_signature(getattr(owner(), name), signature)),
    )
