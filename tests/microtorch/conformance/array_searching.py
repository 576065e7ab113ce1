"""Searching, sorting and sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_checks import (
    COMPLEX,
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
    ours,
    refuses,
    same,
    same_form,
    two_dtypes,
)


def _place(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, "real", SOME, allow_nan=False)
        beside_numpy(
            name, x, **keywords(draw, axis=axes(x.ndim, several=False), keepdims=st.booleans())
        )

    return body


def _count_nonzero(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    options = keywords(
        draw, axis=axes(x.ndim).filter(lambda axis: axis != ()), keepdims=st.booleans()
    )
    wanted = np.count_nonzero(x, **options)
    same(xp.count_nonzero(ours(x), **options), np.asarray(wanted, dtype="int64"))


def _nonzero(draw: Draw) -> None:
    x = array(draw, "any", SOME)
    same(xp.nonzero(ours(x)), np.nonzero(x))


def _nonzero_zerodim_error(draw: Draw) -> None:
    x = array(draw, "any", ())
    refuses(lambda: xp.nonzero(ours(x)))


def _searchsorted(draw: Draw) -> None:
    one = draw(st.sampled_from(KINDS["real"]))
    x = np.unique(array(draw, one, draw(st.integers(1, 6)), allow_nan=False, allow_infinity=False))
    rng = np.random.default_rng(draw(st.integers(0, 9)))
    found = rng.choice(x, draw(st.sampled_from([(3,), (2, 2), (), (1,)])))
    options = keywords(draw, side=st.sampled_from(["left", "right"]))
    wanted = np.searchsorted(x, found, **options)
    if draw(st.booleans()):
        shuffled = rng.permutation(x)
        options["sorter"] = ours(np.argsort(shuffled))
        x = shuffled
    same(xp.searchsorted(ours(x), ours(np.asarray(found)), **options), np.asarray(wanted))


def _where(draw: Draw) -> None:
    left, right = two_dtypes(draw, "any")
    shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=3, max_dims=3, max_side=3))
    condition, x, y = (
        array(draw, kind, shape)
        for kind, shape in zip(("bool", left, right), shapes.input_shapes, strict=True)
    )
    beside_numpy("where", condition, x, y)


def _sorted(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        # Of zeros of different sign, and of NaN, the order is open.
        x = array(draw, "real", SOME, allow_nan=False) + 0
        if draw(st.booleans()):
            x = np.sort(x.reshape(-1))[
                draw(hnp.arrays("int64", x.shape, elements=st.integers(0, x.size - 1)))
            ]
        options = keywords(
            draw,
            axis=st.integers(-x.ndim, x.ndim - 1),
            descending=st.booleans(),
            stable=st.booleans(),
        )
        axis, falls = options.get("axis", -1), options.get("descending", False)
        ranks = np.unique(x, return_inverse=True)[1].reshape(x.shape)
        places = np.argsort(-ranks if falls else ranks, axis=axis, stable=True)
        found = getattr(xp, name)(ours(x), **options)
        values = np.take_along_axis(x, places, axis)
        if name == "sort":
            same(found, values)
        elif options.get("stable", True):
            same(found, places)
        else:
            same_form(found, "int64", x.shape)
            np.testing.assert_array_equal(np.take_along_axis(x, found.numpy(), axis), values)

    return body


def _unique(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, "any")
        if x.size and draw(st.booleans()):
            x = x.reshape(-1)[
                draw(hnp.arrays("int64", SHAPES, elements=st.integers(0, x.size - 1)))
            ]
        for each in (x, np.array([2j, 1, 2j, complex(np.nan, 0)], draw(st.sampled_from(COMPLEX)))):
            found = getattr(xp, name)(ours(each))
            parts = {"values": found} if name == "unique_values" else found._asdict()
            arrays = {part: np.asarray(tensor.array) for part, tensor in parts.items()}
            _expect_unique(each, arrays)

    return body


def _expect_unique(x: Any, found: dict[str, Any]) -> None:
    """Fail unless each value is there once, each NaN by itself, and the other parts fit."""
    values, flat = found["values"], x.reshape(-1)
    assert values.dtype == x.dtype
    is_nan = values != values
    assert is_nan.sum() == (flat != flat).sum(), "each NaN is a value of its own"
    assert set(values[~is_nan].tolist()) == set(flat[flat == flat].tolist())
    assert len(set(values[~is_nan].tolist())) == (~is_nan).sum()
    if "counts" in found:
        wanted = [1 if each != each else (flat == each).sum() for each in values]
        np.testing.assert_array_equal(found["counts"], wanted)
    if "indices" in found:
        np.testing.assert_array_equal(flat[found["indices"]], values)
        for place, each in zip(found["indices"], values, strict=True):
            assert each != each or place == np.flatnonzero(flat == each)[0]
    if "inverse_indices" in found:
        assert found["inverse_indices"].shape == x.shape
        np.testing.assert_array_equal(values[found["inverse_indices"]], x)


def checks() -> Iterator[Check]:
    """Return all names about searching, sorting and sets."""
    yield from checks_of("searching_functions", {
        "argmax": _place("argmax"), "argmin": _place("argmin"), "count_nonzero": _count_nonzero,
        "nonzero": _nonzero, "nonzero_zerodim_error": _nonzero_zerodim_error,
        "searchsorted": _searchsorted, "where": _where,
    })  # fmt: skip
    yield from checks_of("set_functions", {
        f"unique_{each}": _unique(f"unique_{each}")
        for each in ("all", "counts", "inverse", "values")
    })  # fmt: skip
    yield from checks_of(
        "sorting_functions", {"argsort": _sorted("argsort"), "sort": _sorted("sort")}
    )
