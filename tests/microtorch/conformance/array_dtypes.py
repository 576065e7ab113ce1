"""Types of elements: casts, promotion, kinds, and what is told of each."""

from __future__ import annotations

from collections.abc import Iterator
from functools import reduce
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_checks import (
    COMPLEX,
    FLOATS,
    INTS,
    KINDS,
    SHAPES,
    Check,
    Draw,
    array,
    checks_of,
    dtype_of,
    keywords,
    meets,
    once,
    ours,
    same,
    two_dtypes,
)

KIND_NAMES = {
    "bool": ("bool",), "signed integer": INTS[:4], "unsigned integer": INTS[4:], "integral": INTS,
    "real floating": FLOATS, "complex floating": COMPLEX, "numeric": KINDS["numeric"],
}  # fmt: skip


def _astype(draw: Draw) -> None:
    x, to = array(draw, "any"), dtype_of(draw, "any")
    if x.dtype.kind == "c" and to not in COMPLEX:
        x = x.real.copy()
    if x.dtype.kind == "f" and to in INTS:
        # Only what the other type can hold has a meaning there.
        x = np.clip(np.nan_to_num(x, posinf=0, neginf=0), 0, 100)
    options = keywords(draw, copy=st.booleans())
    start = ours(x)
    found = xp.astype(start, getattr(xp, to), **options)
    same(found, x.astype(to))
    if x.dtype.name == to and x.size:
        first = (0,) * x.ndim
        start[first] = 1 - int(bool(x[first]))
        same(found, np.asarray(start.array) if options.get("copy") is False else x)


def _broadcast_arrays(draw: Draw) -> None:
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=draw(st.integers(1, 5)), max_dims=3))
    arrays = [array(draw, "any", shape) for shape in shapes.input_shapes]
    same(xp.broadcast_arrays(*ours(arrays)), list(np.broadcast_arrays(*arrays)))


def _broadcast_to(draw: Draw) -> None:
    x = array(draw, "any")
    shape = draw(hnp.broadcastable_shapes(x.shape, max_dims=4, max_side=3))
    shape = np.broadcast_shapes(x.shape, shape)
    same(xp.broadcast_to(ours(x), shape), np.broadcast_to(x, shape))


def _can_cast(draw: Draw) -> None:
    from_, to = dtype_of(draw, "any"), dtype_of(draw, "any")
    # Where no promotion leads, the standard leaves open whether a cast is allowed.
    found = xp.can_cast(getattr(xp, from_), getattr(xp, to))
    assert isinstance(found, bool)
    if meets(from_, to):
        assert found == np.can_cast(from_, to), f"{from_} to {to}: {found}"


def _isdtype(draw: Draw) -> None:
    dtype = dtype_of(draw, "any")
    one = st.sampled_from([*KIND_NAMES, *(np.dtype(each) for each in KINDS["any"])])
    kind = draw(one | st.lists(one, min_size=1, max_size=3).map(tuple))
    wanted = any(
        dtype in KIND_NAMES[each] if isinstance(each, str) else each.name == dtype
        for each in (kind if isinstance(kind, tuple) else (kind,))
    )
    assert xp.isdtype(getattr(xp, dtype), ours(kind)) is wanted


def _several(draw: Draw, most: int = 4) -> list[str]:
    """Draw types that meet, all together."""
    left, right = two_dtypes(draw, "any")
    found = draw(st.lists(st.sampled_from([left, right]), min_size=1, max_size=most))
    return [left, right, *found] if draw(st.booleans()) else found


def _expect(operands: Any, dtypes: list[str]) -> None:
    wanted = reduce(np.promote_types, dtypes)
    found = xp.result_type(*operands)
    assert found is getattr(xp, np.dtype(wanted).name), f"{found}, not {wanted}"


def _result_type(draw: Draw) -> None:
    dtypes = _several(draw)
    _expect([getattr(xp, each) for each in dtypes], dtypes)


def _shuffled(draw: Draw) -> None:
    dtypes = [getattr(xp, each) for each in _several(draw)]
    assert xp.result_type(*dtypes) is xp.result_type(*draw(st.permutations(dtypes)))


def _arrays_and_dtypes(draw: Draw) -> None:
    dtypes = _several(draw)
    operands = [
        xp.empty(draw(SHAPES), dtype=getattr(xp, each))
        if draw(st.booleans())
        else getattr(xp, each)
        for each in dtypes
    ]
    _expect(draw(st.permutations(operands)), dtypes)


def _with_scalars(draw: Draw) -> None:
    dtypes = _several(draw)
    kind = np.dtype(reduce(np.promote_types, dtypes)).kind
    numbers: list[Any] = [1, 1.0, 1j]
    scalars = {"b": [True], "i": [1], "u": [1], "f": numbers[:2], "c": numbers}
    for operands in (
        [getattr(xp, each) for each in dtypes],
        [xp.empty(1, dtype=getattr(xp, each)) for each in dtypes],
    ):
        with_one = [*operands, draw(st.sampled_from(scalars[kind]))]
        _expect(draw(st.permutations(with_one)), dtypes)


def _finfo(name: str) -> None:
    dtype, exact = getattr(xp, name), np.finfo(name)
    for asked in (dtype, xp.ones((), dtype=dtype)):
        found = xp.finfo(asked)
        assert found.bits == exact.bits
        for each in ("eps", "max", "min", "smallest_normal"):
            assert type(getattr(found, each)) is float
            assert getattr(found, each) == float(getattr(exact, each)), each


def _finfo_dtype(name: str) -> None:
    real = {"complex64": "float32", "complex128": "float64"}.get(name, name)
    found = xp.finfo(getattr(xp, name)).dtype
    assert found is getattr(xp, real), f"{found!r} is no type"


def _iinfo(name: str) -> None:
    dtype, exact = getattr(xp, name), np.iinfo(name)
    for asked in (dtype, xp.ones((), dtype=dtype)):
        found = xp.iinfo(asked)
        assert (found.bits, found.min, found.max) == (exact.bits, exact.min, exact.max)
        assert type(found.max) is int


def _iinfo_dtype(name: str) -> None:
    found = xp.iinfo(getattr(xp, name)).dtype
    assert found is getattr(xp, name), f"{found!r} is no type"


def checks() -> Iterator[Check]:
    """Return all names about dtypes."""
    yield from checks_of("data_type_functions", {
        "astype": _astype, "broadcast_arrays": _broadcast_arrays, "broadcast_to": _broadcast_to,
        "can_cast": _can_cast, "isdtype": _isdtype, "result_type": _result_type,
        "result_type_shuffled": _shuffled, "result_type_arrays_and_dtypes": _arrays_and_dtypes,
        "result_type_with_scalars": _with_scalars,
    })  # fmt: skip
    for body, names in (
        (_finfo, KINDS["inexact"]), (_finfo_dtype, KINDS["inexact"]), (_iinfo, INTS),
        (_iinfo_dtype, INTS),
    ):  # fmt: skip
        for name in names:
            yield Check(
                file="data_type_functions",
                name=f"{body.__name__[1:]}[{name}]",
                run=once(lambda body=body, name=name: body(name)),
            )
