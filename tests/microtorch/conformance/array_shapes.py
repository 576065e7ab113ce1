"""Shapes, indices, and what makes one number of many."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_checks import (
    INTS,
    KINDS,
    SHAPES,
    SOME,
    Check,
    Draw,
    array,
    axes,
    beside_numpy,
    checks_of,
    keywords,
    meets,
    ours,
    refuses,
    same,
    two_dtypes,
)

MATRIX = hnp.array_shapes(min_dims=2, max_dims=3, min_side=1, max_side=3)


def _take(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    side = x.shape[axis]
    places = np.array(draw(st.lists(st.integers(-side, side - 1), min_size=1, max_size=4)))
    options = {} if x.ndim == 1 and draw(st.booleans()) else {"axis": axis}
    same(xp.take(ours(x), ours(places), **options), np.take(x, places, options.get("axis", 0)))


def _take_along_axis(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    shape = list(x.shape)
    shape[axis] = draw(st.integers(0, 2 * shape[axis]))
    places = draw(hnp.arrays("int64", tuple(shape), elements=st.integers(0, x.shape[axis] - 1)))
    options = {} if axis in (-1, x.ndim - 1) and draw(st.booleans()) else {"axis": axis}
    found = xp.take_along_axis(ours(x), ours(places), **options)
    same(found, np.take_along_axis(x, places, options.get("axis", -1)))


def _of_several(draw: Draw, kind: str, shapes: list[Any]) -> list[Any]:
    left, right = two_dtypes(draw, kind)
    return [array(draw, draw(st.sampled_from([left, right])), shape) for shape in shapes]


def _concat(draw: Draw) -> None:
    base = draw(hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=3))
    axis = draw(st.none() | st.integers(-len(base), len(base) - 1))
    shapes: list[Any] = []
    for _ in range(draw(st.integers(1, 4))):
        shape = list(base)
        if axis is None:
            shape = list(draw(SHAPES))
        else:
            shape[axis] = draw(st.integers(0, 3))
        shapes.append(tuple(shape))
    arrays = _of_several(draw, "numeric", shapes)
    options = {} if axis == 0 and draw(st.booleans()) else {"axis": axis}
    same(xp.concat(ours(arrays), **options), np.concat(arrays, **options))


def _stack(draw: Draw) -> None:
    shape = draw(SHAPES)
    arrays = _of_several(draw, "any", [shape] * draw(st.integers(1, 4)))
    options = keywords(draw, axis=st.integers(-len(shape) - 1, len(shape)))
    same(xp.stack(ours(arrays), **options), np.stack(arrays, **options))


def _expand_dims(draw: Draw) -> None:
    x = array(draw, "any")
    axis = draw(st.integers(-2 * x.ndim - 2, 2 * x.ndim + 1))
    if not -x.ndim - 1 <= axis <= x.ndim:
        return refuses(lambda: xp.expand_dims(ours(x), axis=axis), IndexError)
    return same(xp.expand_dims(ours(x), axis=axis), np.expand_dims(x, axis))


def _squeeze(draw: Draw) -> None:
    x = array(draw, "any", hnp.array_shapes(min_dims=1, max_dims=4, max_side=2))
    axis = draw(st.integers(-x.ndim, x.ndim - 1) | hnp.valid_tuple_axes(x.ndim))
    if any(x.shape[each] != 1 for each in (axis if isinstance(axis, tuple) else (axis,))):
        return refuses(lambda: xp.squeeze(ours(x), axis), ValueError)
    return same(xp.squeeze(ours(x), axis), np.squeeze(x, axis))


def _flip(draw: Draw) -> None:
    x = array(draw, "any")
    beside_numpy("flip", x, **keywords(draw, axis=axes(x.ndim)))


def _moveaxis(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    source = draw(st.integers(-x.ndim, x.ndim - 1) | hnp.valid_tuple_axes(x.ndim))
    if isinstance(source, int):
        return beside_numpy("moveaxis", x, source, draw(st.integers(-x.ndim, x.ndim - 1)))
    target = hnp.valid_tuple_axes(x.ndim, min_size=len(source), max_size=len(source))
    return beside_numpy("moveaxis", x, source, draw(target))


def _permute_dims(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    beside_numpy("permute_dims", x, tuple(draw(st.permutations(range(x.ndim)))))


def _repeat(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    axis = draw(st.none() | st.integers(-x.ndim, x.ndim - 1))
    repeats: Any = draw(st.integers(0, 4))
    if draw(st.booleans()):
        side = x.size if axis is None else x.shape[axis]
        dtype = draw(st.sampled_from(INTS[:4]))
        repeats = draw(hnp.arrays(dtype, side, elements=st.integers(0, 3)))
    found = xp.repeat(ours(x), ours(repeats), **({} if axis is None else {"axis": axis}))
    same(found, np.repeat(x, repeats, axis))


def _reshape(draw: Draw) -> None:
    x = array(draw, "any")
    sides = [each for each in range(1, x.size + 1) if x.size % each == 0]
    shapes: list[tuple[int, ...]] = [x.shape, (x.size,), (1, *x.shape), (*x.shape, 1)]
    shapes += [(-1,)] if x.size else [(0, 2), (3, 0)]
    shapes += [(side, -1) for side in sides] + [(side, x.size // side) for side in sides]
    shapes += [()] if x.size == 1 else []
    shape, options = (
        draw(st.sampled_from(shapes)),
        keywords(draw, copy=st.sampled_from([None, True, False])),
    )
    start = ours(x)
    found = xp.reshape(start, shape, **options)
    same(found, x.reshape(shape))
    if options.get("copy") is not None and x.size:
        first = (0,) * x.ndim
        start[first] = 1 - int(bool(x[first]))
        same(found, (x if options["copy"] else np.asarray(start.array)).reshape(shape))


def _roll(draw: Draw) -> None:
    x, shift = array(draw, "any"), st.integers(-9, 9)
    several = (
        draw(hnp.valid_tuple_axes(x.ndim, min_size=1)) if x.ndim and draw(st.booleans()) else None
    )
    if several:
        return beside_numpy("roll", x, tuple(draw(shift) for _ in several), axis=several)
    return beside_numpy("roll", x, draw(shift), **keywords(draw, axis=axes(x.ndim, several=False)))


def _tile(draw: Draw) -> None:
    x = array(draw, "any")
    sizes = st.lists(st.integers(0, 3), min_size=1, max_size=x.ndim + 2).map(tuple)
    beside_numpy("tile", x, draw(sizes))


def _unstack(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    beside_numpy("unstack", x, **keywords(draw, axis=st.integers(-x.ndim, x.ndim - 1)))


def _reduced(name: str, kind: str, **limits: Any) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, kind, SHAPES if name in ("any", "all") else SOME, **limits)
        options = keywords(draw, axis=axes(x.ndim), keepdims=st.booleans())
        beside_numpy(name, x, loose=100, **options)

    return body


def _upper_dtype(x: Any) -> Any:
    """Return the type of a sum: at least the default, which is int64, uint64, or PyTorch's own."""
    return {"i": "int64", "u": "uint64"}.get(x.dtype.kind, x.dtype.name)


def _summed(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, "numeric", SOME, is_tame=True)
        others = [
            each for each in KINDS["numeric"]
            if meets(x.dtype.name, each) and np.can_cast(x.dtype, each)
        ]  # fmt: skip
        options = keywords(draw, axis=axes(x.ndim), keepdims=st.booleans())
        dtype = draw(st.none() | st.sampled_from(others))
        found = getattr(xp, name)(ours(x), **options, dtype=dtype and getattr(xp, dtype))
        wanted = getattr(np, name)(x, **options, dtype=dtype or _upper_dtype(x))
        same(found, wanted, loose=100)

    return body


def _running(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, "numeric", SOME, is_tame=True)
        axis = draw(st.integers(-x.ndim, x.ndim - 1))
        options = keywords(draw, include_initial=st.booleans())
        if x.ndim > 1 or draw(st.booleans()):
            options["axis"] = axis
        dtype = draw(st.none() | st.just(_upper_dtype(x)))
        found = getattr(xp, name)(ours(x), **options, dtype=dtype and getattr(xp, dtype))
        wanted = getattr(np, name)(x, **options, dtype=dtype or _upper_dtype(x))
        same(found, wanted, loose=100)

    return body


def _spread(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, "float", MATRIX, is_tame=True)
        options = keywords(
            draw, axis=axes(x.ndim).filter(lambda axis: axis != ()), keepdims=st.booleans()
        )
        axis = options.get("axis")
        count = (
            math.prod(x.shape) if axis is None else math.prod(np.atleast_1d(np.take(x.shape, axis)))
        )
        options |= keywords(draw, correction=st.sampled_from([0, 0.0, 1, 1.0, 0.5, 2.5]))
        if count > options.get("correction", 0):
            beside_numpy(name, x, loose=100, **options)

    return body


def _diff(draw: Draw) -> None:
    x = array(draw, "numeric", SOME, is_tame=True)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    options = {} if axis in (-1, x.ndim - 1) and draw(st.booleans()) else {"axis": axis}
    options |= keywords(draw, n=st.integers(0, x.shape[axis]))
    with np.errstate(all="ignore"):
        beside_numpy("diff", x, **options)


def _diff_append_prepend(draw: Draw) -> None:
    x = array(draw, "numeric", SOME, is_tame=True)
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    more = {}
    for name in ("prepend", "append"):
        shape = list(x.shape)
        shape[axis] = draw(st.integers(1, 3))
        more[name] = array(draw, x.dtype.name, tuple(shape), is_tame=True)
    beside_numpy("diff", x, axis=axis, n=draw(st.integers(1, 2)), **more)


def checks() -> Iterator[Check]:
    """Return all names about shapes and reductions."""
    yield from checks_of("indexing_functions", {"take": _take, "take_along_axis": _take_along_axis})
    yield from checks_of("manipulation_functions", {
        "concat": _concat, "stack": _stack, "expand_dims": _expand_dims, "squeeze": _squeeze,
        "flip": _flip, "moveaxis": _moveaxis, "permute_dims": _permute_dims, "repeat": _repeat,
        "reshape": _reshape, "roll": _roll, "tile": _tile, "unstack": _unstack,
    })  # fmt: skip
    yield from checks_of("statistical_functions", {
        "max": _reduced("max", "real", allow_nan=False),
        "min": _reduced("min", "real", allow_nan=False),
        "mean": _reduced("mean", "float", is_tame=True), "prod": _summed("prod"),
        "sum": _summed("sum"), "std": _spread("std"), "var": _spread("var"),
        "cumulative_sum": _running("cumulative_sum"),
        "cumulative_prod": _running("cumulative_prod"),
    })  # fmt: skip
    yield from checks_of("utility_functions", {
        "all": _reduced("all", "any"), "any": _reduced("any", "any"), "diff": _diff,
        "diff_append_prepend": _diff_append_prepend,
    })  # fmt: skip
