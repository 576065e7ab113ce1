"""Arrays themselves: indexing, casts to Python, how they are made and exchanged; and constants."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_checks import (
    COMPLEX,
    FLOATS,
    INTS,
    KINDS,
    SHAPES,
    SOME,
    Check,
    Draw,
    array,
    checks_of,
    drawn,
    dtype_of,
    elements,
    keywords,
    once,
    ours,
    refuses,
    same,
    same_form,
    two_dtypes,
)
from torchstone.microtorch import Tensor


def _getitem(draw: Draw) -> None:
    x = array(draw, "any")
    backwards = (slice(None, None, -1),) * x.ndim
    for key in (draw(hnp.basic_indices(x.shape, allow_newaxis=True)), backwards):
        same(ours(x)[key], np.asarray(x[key]))


def _setitem(draw: Draw) -> None:
    left, right = two_dtypes(draw, "any", left_wins=True)
    x = array(draw, left)
    key = draw(hnp.basic_indices(x.shape))
    place = np.asarray(x[key])
    value = array(draw, right, place.shape)
    if place.ndim == 0 and draw(st.booleans()):
        value = value.astype(left).item()
    found = ours(x)
    found[key] = ours(value)
    x[key] = value
    same(found, x)


def _getitem_masking(draw: Draw) -> None:
    x = array(draw, "any", SHAPES | SOME)
    # A mask may have no size where the array has one: it takes nothing.
    emptied = tuple(draw(st.sampled_from([0, side])) for side in x.shape)
    for shape in (x.shape, (), x.shape[:1], emptied, (0,) * x.ndim, draw(SHAPES)):
        _expect_masked(x, array(draw, "bool", shape))


def _expect_masked(x: Any, mask: Any) -> None:
    fits = mask.ndim <= x.ndim and all(
        side in (other, 0) for side, other in zip(mask.shape, x.shape, strict=False)
    )
    if not fits:
        return refuses(lambda: ours(x)[ours(mask)], IndexError)
    found = ours(x)[ours(mask)]
    if mask.shape == x.shape[: mask.ndim]:
        return same(found, x[mask])
    return same_form(found, x.dtype, (0, *x.shape[mask.ndim :]))


def _setitem_masking(draw: Draw) -> None:
    x = array(draw, "any")
    mask = array(draw, "bool", x.shape)
    value = array(draw, x.dtype.name, ())
    found = ours(x)
    found[ours(mask)] = value.item() if draw(st.booleans()) else ours(value)
    x[mask] = value
    same(found, x)


def _getitem_arrays_and_ints(min_dims: int, index_dims: int) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, "int32", hnp.array_shapes(min_dims=min_dims, max_dims=3, max_side=4))
        which = draw(st.lists(st.booleans(), min_size=x.ndim, max_size=x.ndim))
        assume(any(which))
        shapes = hnp.mutually_broadcastable_shapes(
            num_shapes=x.ndim, min_dims=1, max_dims=index_dims, min_side=1, max_side=3
        )
        key: list[Any] = []
        for side, is_array, shape in zip(x.shape, which, draw(shapes).input_shapes, strict=True):
            places = st.integers(0, side - 1)
            key.append(
                draw(hnp.arrays("int32", shape, elements=places))
                if is_array
                else draw(st.integers(-side, side - 1))
            )
        same(ours(x)[ours(tuple(key))], x[tuple(key)])

    return body


def _casts() -> Iterator[Check]:
    for kind, dtypes in {
        bool: ("bool",), int: INTS, "index": INTS, float: FLOATS, complex: COMPLEX
    }.items():  # fmt: skip
        for dtype in dtypes:
            name = kind.__name__ if isinstance(kind, type) else str(kind)

            def cast(draw: Draw, name: str = name, dtype: str = dtype) -> None:
                x = array(draw, dtype, ())
                found = getattr(ours(x), f"__{name}__")()
                assert type(found) is type(x.item())
                assert found == x.item() or x.item() != x.item()

            test = f"scalar_casting[__{name}__({dtype})]"
            yield Check(file="array_object", name=test, run=drawn(cast))


def _constant(name: str, value: float) -> Callable[[], None]:
    def body() -> None:
        found = getattr(xp, name)
        assert found == value or (math.isnan(found) and math.isnan(value))
        x = xp.asarray(found)
        assert xp.isdtype(x.dtype, "real floating")
        assert float(x) == np.float32(value) or math.isnan(value)
        assert bool(xp.isinf(x)) == math.isinf(value)
        assert bool(xp.isnan(x)) == math.isnan(value)

    return body


def _newaxis() -> None:
    assert xp.newaxis is None


def _default(value: Any) -> str:
    return {bool: "bool", int: "int64", float: "float32", complex: "complex64"}[type(value)]


def _asarray_scalars(draw: Draw) -> None:
    dtype = draw(st.none() | st.sampled_from(KINDS["any"]))
    like = dtype or draw(st.sampled_from(["bool", "int64", "float32"]))
    x = array(draw, like, hnp.array_shapes(min_dims=0, max_dims=3, max_side=3))
    options = {"dtype": np.dtype(dtype)} if dtype else {}
    same(xp.asarray(x.tolist(), **ours(options), **keywords(draw, copy=st.none())), x)


def _asarray_arrays(draw: Draw) -> None:
    left, right = two_dtypes(draw, "any", left_wins=True)
    x, copy = array(draw, right, SOME), draw(st.sampled_from([None, True, False]))
    options = {"dtype": getattr(xp, right)} if draw(st.booleans()) else {}
    start = ours(x)
    found = xp.asarray(start, copy=copy, **options)
    same(found, x)
    start[(0,) * x.ndim] = 1 - int(bool(x[(0,) * x.ndim]))
    if copy is not None:
        same(found, x if copy else np.asarray(start.array))
    same(xp.asarray(ours(x), dtype=getattr(xp, left)), x.astype(left))


def _made(name: str) -> Callable[[Draw], None]:
    """Return the check of ``empty``, ``ones`` or ``zeros``."""

    def body(draw: Draw) -> None:
        shape = draw(SHAPES | st.integers(0, 4))
        options = keywords(draw, dtype=st.none() | st.sampled_from(KINDS["any"]))
        dtype = options.get("dtype")
        found = getattr(xp, name)(
            shape, **({"dtype": dtype and getattr(xp, dtype)} if options else {})
        )
        wanted = getattr(np, name)(shape, dtype=dtype or "float32")
        if name == "empty":
            same_form(found, wanted.dtype, wanted.shape)
        else:
            same(found, wanted)

    return body


def _made_like(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x, dtype = array(draw, "any"), draw(st.none() | st.sampled_from(KINDS["any"]))
        found = getattr(xp, name)(ours(x), dtype=dtype and getattr(xp, dtype))
        if name == "empty_like":
            same_form(found, dtype or x.dtype, x.shape)
        else:
            same(found, getattr(np, name)(x, dtype=dtype))

    return body


def _full(draw: Draw) -> None:
    shape, dtype = draw(SHAPES), draw(st.none() | st.sampled_from(KINDS["any"]))
    value = draw(
        elements(dtype or draw(st.sampled_from(["bool", "int64", "float32", "complex64"])))
    )
    value = value.item() if isinstance(value, np.generic) else value
    found = xp.full(shape, value, dtype=dtype and getattr(xp, dtype))
    same(found, np.full(shape, value, dtype=dtype or _default(value)))


def _full_like(draw: Draw) -> None:
    x, dtype = array(draw, "any"), draw(st.none() | st.sampled_from(KINDS["any"]))
    value = draw(elements(dtype or x.dtype.name))
    value = value.item() if isinstance(value, np.generic) else value
    found = xp.full_like(ours(x), value, dtype=dtype and getattr(xp, dtype))
    same(found, np.full_like(x, value, dtype=dtype))


def _arange(draw: Draw) -> None:
    dtype = draw(st.none() | st.sampled_from(KINDS["real"]))
    low = 0 if dtype and dtype.startswith("u") else -100
    whole = st.integers(low, 100)
    numbers = whole
    if dtype is None or dtype in FLOATS:
        numbers = whole | st.integers(-400, 400).map(lambda n: n / 4)
    start, stop = draw(numbers), draw(numbers | st.none())
    step = draw(numbers.filter(lambda n: n not in (0, 0.0)))
    args = (start,) if stop is None else (start, stop)
    named = draw(st.booleans()) or stop is None
    options = {"dtype": dtype and getattr(xp, dtype)}
    found = xp.arange(*args, step=step, **options) if named else xp.arange(*args, step, **options)
    is_whole = all(isinstance(each, int) for each in (*args, step))
    begin, end = (0, start) if stop is None else args
    wanted = np.arange(begin, end, step)
    same(found, wanted.astype(dtype or ("int64" if is_whole else "float32")))


def _linspace(draw: Draw) -> None:
    dtype = draw(st.none() | st.sampled_from(KINDS["inexact"]))
    numbers = st.integers(-50, 50) | st.integers(-400, 400).map(lambda n: n / 8)
    start, stop, num = draw(numbers), draw(numbers), draw(st.integers(0, 9))
    if dtype in COMPLEX:
        stop = complex(stop, draw(numbers))
    options = keywords(draw, endpoint=st.booleans())
    found = xp.linspace(start, stop, num, dtype=dtype and getattr(xp, dtype), **options)
    same(found, np.linspace(start, stop, num, **options).astype(dtype or "float32"))


def _eye(draw: Draw) -> None:
    rows, columns = draw(st.integers(0, 5)), draw(st.none() | st.integers(0, 5))
    # An offset may lie far outside.
    options = keywords(
        draw, k=st.integers(-9, 9) | st.integers(), dtype=st.sampled_from(KINDS["numeric"])
    )
    dtype = options.pop("dtype", None)
    found = xp.eye(rows, columns, dtype=dtype and getattr(xp, dtype), **options)
    offset = max(-10, min(10, options.get("k", 0)))
    same(found, np.eye(rows, columns, k=offset, dtype=dtype or "float32"))


def _meshgrid(draw: Draw) -> None:
    dtype = dtype_of(draw, "any")
    count = draw(st.integers(1, 3))
    x = [array(draw, dtype, draw(st.integers(1, 3))) for _ in range(count)]
    options = keywords(draw, indexing=st.sampled_from(["xy", "ij"]))
    same(xp.meshgrid(*ours(x), **options), list(np.meshgrid(*x, **options)))


def _triangle(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, "any", hnp.array_shapes(min_dims=2, max_dims=3, max_side=4))
        options = keywords(draw, k=st.integers(-5, 5))
        same(getattr(xp, name)(ours(x), **options), getattr(np, name)(x, **options))

    return body


def _dlpack_device(draw: Draw) -> None:
    kind, number = xp.empty(3, dtype=getattr(xp, dtype_of(draw, "any"))).__dlpack_device__()
    assert (int(kind), number) == (1, 0)


def _dunder_dlpack(draw: Draw) -> None:
    options = keywords(
        draw,
        copy=st.booleans() | st.none(),
        max_version=st.sampled_from([(0, 0), (1, 0), (2, 0)]),
        dl_device=st.just((1, 0)),
    )
    x = array(draw, "any", SOME)
    assert type(ours(x).__dlpack__(**options)).__name__ == "PyCapsule"


def _from_dlpack(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    options = keywords(draw, copy=st.booleans(), device=st.just(ours(x).device))
    start = ours(x)
    found = xp.from_dlpack(start, **options)
    assert found.device == start.device
    same(found, x)
    if "copy" in options:
        first = (0,) * x.ndim
        start[first] = 1 - int(bool(x[first]))
        same(found, x if options["copy"] else np.asarray(start.array))


def _capabilities() -> None:
    found = xp.__array_namespace_info__().capabilities()
    assert found["boolean indexing"] is True
    assert found["data-dependent shapes"] is True
    most = found["max dimensions"]
    assert xp.ones((1,) * most).ndim == most


def _devices() -> None:
    info = xp.__array_namespace_info__()
    assert isinstance(info.devices(), list)
    assert info.default_device() in info.devices()
    for each in info.devices():
        assert xp.ones(2, device=each).device == each


def _default_dtypes() -> None:
    info = xp.__array_namespace_info__()
    for device in (None, *info.devices()):
        found = info.default_dtypes(device=device)
        assert found["real floating"] is xp.asarray(1.0).dtype
        assert found["complex floating"] is xp.asarray(1j).dtype
        assert found["integral"] is xp.asarray(1).dtype
        assert found["indexing"] is xp.argmax(xp.ones(2)).dtype


def _dtypes(draw: Draw) -> None:
    info = xp.__array_namespace_info__()
    single = ["bool", "signed integer", "unsigned integer", "real floating", "complex floating"]
    kind = draw(
        st.none()
        | st.sampled_from([*single, "integral", "numeric"])
        | st.lists(st.sampled_from(single), min_size=1, unique=True).map(tuple)
    )
    found = info.dtypes(kind=kind, device=draw(st.sampled_from([None, *info.devices()])))
    assert found
    for name, dtype in found.items():
        assert dtype is getattr(xp, name)
        assert kind is None or xp.isdtype(dtype, kind)
        assert isinstance(xp.empty(1, dtype=dtype), Tensor)


def checks() -> Iterator[Check]:
    """Return arrays, constants, how arrays are made and exchanged, and what can be asked."""
    yield from checks_of("array_object", {
        "getitem": _getitem, "setitem": _setitem, "getitem_masking": _getitem_masking,
        "setitem_masking": _setitem_masking,
        "getitem_arrays_and_ints_1[1]": _getitem_arrays_and_ints(2, 1),
        "getitem_arrays_and_ints_1[None]": _getitem_arrays_and_ints(2, 3),
        "getitem_arrays_and_ints_2[1]": _getitem_arrays_and_ints(1, 1),
        "getitem_arrays_and_ints_2[None]": _getitem_arrays_and_ints(1, 3),
    })  # fmt: skip
    yield from _casts()
    for name in ("e", "pi", "inf", "nan"):
        test = f"irrational_numbers[{name}]" if name in ("e", "pi") else name
        body = once(_constant(name, getattr(math, name)))
        yield Check(file="constants", name=test, run=body)
    yield Check(file="constants", name="newaxis", run=once(_newaxis))
    yield from checks_of("creation_functions", {
        "arange": _arange, "asarray_scalars": _asarray_scalars, "asarray_arrays": _asarray_arrays,
        "eye": _eye, "full": _full, "full_like": _full_like, "linspace": _linspace,
        "meshgrid": _meshgrid, "tril": _triangle("tril"), "triu": _triangle("triu"),
        **{name: _made(name) for name in ("empty", "ones", "zeros")},
        **{name: _made_like(name) for name in ("empty_like", "ones_like", "zeros_like")},
    })  # fmt: skip
    yield from checks_of("dlpack", {
        "dlpack_device": _dlpack_device, "dunder_dlpack": _dunder_dlpack,
        "from_dlpack": _from_dlpack,
    })  # fmt: skip
    for body in (_capabilities, _devices, _default_dtypes):
        name = body.__name__.lstrip("_")
        yield Check(file="inspection_functions", name=name, run=once(body))
    yield from checks_of("inspection_functions", {"array_namespace_info_dtypes": _dtypes})
