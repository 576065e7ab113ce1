"""The calls that the array API standard gives a meaning, drawn at random."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.microtorch.conformance import array_namespace as xp

Enter = Callable[[str, Any], None]
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS, COMPLEX = ("float32", "float64"), ("complex64", "complex128")
KINDS = {
    "any": ("bool", *INTS, *FLOATS, *COMPLEX), "number": (*INTS, *FLOATS, *COMPLEX),
    "real": (*INTS, *FLOATS), "ordered": ("bool", *INTS, *FLOATS), "float": FLOATS,
    "inexact": (*FLOATS, *COMPLEX), "complex": COMPLEX, "bits": ("bool", *INTS), "int": INTS,
    "bool": ("bool",), "f64": ("float64",),
}  # fmt: skip
Call = tuple[tuple[Any, ...], dict[str, Any]]
DTYPES = st.sampled_from([np.dtype(each) for each in KINDS["any"]])
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
SOME = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=4)


def elements(dtype: str, *, tame: bool = False, low: int = -100) -> Any:
    kind = np.dtype(dtype)
    if kind.kind in "iu":
        # Small ones: what overflow gives, the standard does not say.
        return st.integers(max(low, 0 if kind.kind == "u" else -100), 100)
    if not tame:
        return hnp.from_dtype(kind)
    if kind.kind == "b":
        return st.booleans()
    parts = st.integers(-64, 64).map(lambda n: n / 8)
    return st.builds(complex, parts, parts) if kind.kind == "c" else parts


def arrays(kind: str, shape: Any = SHAPES, *, tame: bool = False, low: int = -100) -> Any:
    return st.sampled_from(KINDS[kind]).flatmap(
        lambda dtype: hnp.arrays(dtype, shape, elements=elements(dtype, tame=tame, low=low))
    )


def calls(*args: Any, **kwargs: Any) -> Any:
    """Draw a call: of each argument a strategy."""
    return st.tuples(st.tuples(*args), st.fixed_dictionaries(kwargs))


def meets(one: str, other: str) -> bool:
    """Tell whether the standard says in which type two types meet."""
    a, b = np.dtype(one), np.dtype(other)
    if {a.kind, b.kind} == {"i", "u"}:
        return "uint64" not in (one, other)
    return a.kind == b.kind or {a.kind, b.kind} in ({"i", "u"}, {"f", "c"})


@st.composite
def pairs(
    draw: Any, kind: str, *, tame: bool = False, nonzero: bool = False, low: int = -100
) -> Call:
    one = draw(st.sampled_from(KINDS[kind]))
    other = draw(st.sampled_from([each for each in KINDS[kind] if meets(one, each)]))
    shapes = draw(
        hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3)
    ).input_shapes
    x, y = (
        draw(hnp.arrays(dtype, shape, elements=elements(dtype, tame=tame, low=low)))
        for dtype, shape in zip((one, other), shapes, strict=True)
    )
    if nonzero and y.dtype.kind in "iu":
        y[y == 0] = 1
    return (x, y), {}


@st.composite
def shifts(draw: Any) -> Call:
    (x, y), _ = draw(pairs("int", low=0))
    return (np.abs(x, out=x), np.remainder(np.abs(y), 7, out=y)), {}


@st.composite
def powers(draw: Any) -> Call:
    (x, y), _ = draw(pairs("number", tame=True))
    if x.dtype.kind in "iu":
        np.remainder(x, 5, out=x)
        np.remainder(np.abs(y), 3, out=y)
    return (x, y), {}


@st.composite
def reductions(
    draw: Any, kind: str, *, tame: bool = True, several: bool = True, **more: Any
) -> Call:
    x = draw(arrays(kind, SOME, tame=tame))
    axes = st.integers(-x.ndim, x.ndim - 1)
    many = st.sets(st.integers(0, x.ndim - 1), min_size=1).map(tuple)
    axis = draw(st.none() | axes | many if several else st.none() | axes)
    kwargs = {"axis": axis, "keepdims": draw(st.booleans())}
    return (x,), kwargs | {name: draw(each) for name, each in more.items()}


@st.composite
def along(draw: Any, kind: str, *, tame: bool = False, **more: Any) -> Call:
    x = draw(arrays(kind, SOME, tame=tame))
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    return (x,), {"axis": axis} | {name: draw(each) for name, each in more.items()}


@st.composite
def joined(draw: Any, is_stack: bool) -> Call:
    x = draw(arrays("any", SOME))
    other = draw(st.sampled_from([each for each in KINDS["any"] if meets(x.dtype.name, each)]))
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    return ([x, np.ones(x.shape, other), x],), {
        "axis": axis if is_stack else draw(st.none() | st.just(axis))
    }


@st.composite
def with_shape(draw: Any, how: str) -> Call:
    """Draw an array, and what a function of shapes wants besides."""
    x = draw(arrays("any", SOME))
    axis = draw(st.integers(-x.ndim, x.ndim - 1))
    order = draw(st.permutations(range(x.ndim)))
    places = st.lists(st.integers(0, x.shape[axis] - 1), min_size=1, max_size=4)
    if how == "take":
        return (x, np.array(draw(places))), {"axis": axis}
    if how == "take_along_axis":
        return (x, np.argsort(np.abs(x), axis=axis)), {"axis": axis}
    if how == "squeeze":
        return (np.expand_dims(x, axis), axis), {}
    return {
        "reshape": ((x, draw(st.sampled_from([(-1,), (x.size,), (1, *x.shape), x.shape]))), {}),
        "broadcast_to": ((x, (2, *x.shape)), {}),
        "permute_dims": ((x, tuple(order)), {}),
        "moveaxis": ((x, axis, order[0]), {}),
        "roll": ((x, draw(st.integers(-5, 5))), {"axis": draw(st.sampled_from([None, axis]))}),
        "flip": ((x,), {"axis": draw(st.sampled_from([None, axis, tuple(order)]))}),
        "repeat": ((x, draw(st.integers(0, 3))), {"axis": draw(st.sampled_from([None, axis]))}),
        "tile": ((x, tuple(draw(st.lists(st.integers(0, 2), min_size=1, max_size=3)))), {}),
    }[how]  # fmt: skip


@st.composite
def matrices(
    draw: Any, *, kind: str = "inexact", square: bool = False, spd: bool = False, batch: Any = None
) -> Any:
    rows, columns = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    dtype = draw(st.sampled_from(KINDS[kind]))
    shape = (
        *draw(hnp.array_shapes(min_dims=0, max_dims=1, max_side=3)),
        rows,
        rows if square else columns,
    )
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    x = rng.normal(size=shape) + (1j * rng.normal(size=shape) if dtype[0] == "c" else 0)
    x = x @ x.conj().swapaxes(-1, -2) + np.eye(rows) if spd else x
    return x.astype(dtype)


@st.composite
def products(draw: Any, how: str) -> Call:
    x = draw(matrices(kind="number"))
    y = draw(matrices(kind="inexact"))
    dtype = np.dtype("float64") if how == "solve" else x.dtype
    y = np.resize(y if dtype.kind == "c" else y.real, x.shape).astype(dtype)
    return {
        "matmul": ((x, y.swapaxes(-1, -2)), {}),
        "vecdot": ((x, y), {"axis": -1}),
        "tensordot": ((x, y.swapaxes(-1, -2)), {"axes": 1 if x.ndim == 2 else 0}),
        "outer": ((x.reshape(-1), y.reshape(-1)), {}),
        "cross": ((np.resize(x, (2, 3)), np.resize(y, (2, 3))), {}),
        "solve": ((_definite(y), y), {}),
    }[how]


def _definite(x: Any) -> Any:
    return x @ x.swapaxes(-1, -2) + 9 * np.eye(x.shape[-2])


def spectra(*, real: bool = False, several: bool = False) -> Any:
    kind = arrays("float" if real else "complex", SOME, tame=True)
    norms = st.sampled_from(["backward", "ortho", "forward"])
    if several:
        return calls(kind, norm=norms)
    # Without a number it may be one of no points.
    return calls(kind, n=st.integers(2, 5), norm=norms)


def _elementwise(enter: Enter) -> None:
    """Enter what treats each element by itself."""
    enter("acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p log2 log10 sin sinh sqrt "
          "tan tanh reciprocal", calls(arrays("inexact", tame=True)))  # fmt: skip
    enter("abs negative positive sign square", calls(arrays("number")))
    enter("isfinite isinf isnan round", calls(arrays("number")))
    enter("ceil floor trunc", calls(arrays("real")))
    enter("conj real imag", calls(arrays("complex")))
    enter("signbit", calls(arrays("float")))
    enter("logical_not", calls(arrays("bool")))
    enter("bitwise_invert", calls(arrays("bits")))
    enter("add subtract multiply", pairs("number"))
    enter("divide", pairs("inexact", tame=True))
    enter("atan2 hypot logaddexp", pairs("float", tame=True))
    enter("copysign nextafter", pairs("float"))
    enter("floor_divide remainder", pairs("real", tame=True, nonzero=True))
    enter("maximum minimum greater greater_equal less less_equal", pairs("real"))
    enter("equal not_equal", pairs("any"))
    enter("bitwise_and bitwise_or bitwise_xor", pairs("bits"))
    enter("bitwise_left_shift bitwise_right_shift", shifts())
    enter("logical_and logical_or logical_xor", pairs("bool"))
    enter("pow", powers())
    enter("clip", st.builds(lambda x, a, b: ((x, x.dtype.type(a), x.dtype.type(a + b)), {}),
                            arrays("real"), st.integers(0, 9), st.integers(0, 9)))  # fmt: skip


def _types(enter: Enter) -> None:
    """Enter what tells of types."""
    enter("can_cast", calls(DTYPES, DTYPES).filter(
        lambda call: meets(*[each.name for each in call[0]])))  # fmt: skip
    enter("isdtype", calls(DTYPES, st.sampled_from([*xp.KINDS, ("bool", "integral")])))
    enter("finfo", calls(st.sampled_from([np.dtype(each) for each in FLOATS])))
    enter("iinfo", calls(st.sampled_from([np.dtype(each) for each in INTS])))
    enter("result_type", pairs("any").map(lambda call: ((*call[0],), {})))
    # What becomes of a fraction, or of a complex number, the standard leaves open.
    enter("astype", st.sampled_from(KINDS["any"]).flatmap(lambda to: calls(
        arrays("bits" if to in INTS else "any" if to[0] in "cb" else "ordered", low=0),
        st.just(np.dtype(to)))))  # fmt: skip


def _creation(enter: Enter) -> None:
    """Enter what makes arrays."""
    sizes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    enter("zeros ones empty", calls(sizes, dtype=DTYPES))
    enter("full", calls(sizes, st.integers(0, 1), dtype=DTYPES))
    enter("zeros_like ones_like empty_like", calls(arrays("any")))
    enter("full_like", calls(arrays("any"), st.integers(0, 1)))
    enter("asarray", calls(st.lists(st.integers(-5, 5)), dtype=st.sampled_from(
        [np.dtype(each) for each in ("int64", "float32", "complex64")])))  # fmt: skip
    whole = st.integers(-9, 9)
    enter("arange", calls(whole, whole, st.sampled_from([-3, -1, 1, 2])))
    enter("linspace", calls(whole, whole, st.integers(0, 9), endpoint=st.booleans(),
                            dtype=st.just(np.dtype("float64"))))  # fmt: skip
    enter("eye", calls(st.integers(0, 4), st.none() | st.integers(0, 4), k=st.integers(-4, 4),
                       dtype=DTYPES))  # fmt: skip
    enter("meshgrid", calls(*[arrays("f64", 3)] * 2, indexing=st.sampled_from(["xy", "ij"])))
    enter("tril triu", calls(arrays("any", (2, 3, 4)), k=st.integers(-3, 3)))
    enter("from_dlpack", calls(arrays("any")))


def _shapes(enter: Enter) -> None:
    """Enter shapes, searching, sorting, sets and reductions."""
    for name in ("take take_along_axis reshape squeeze broadcast_to permute_dims moveaxis roll "
                 "flip repeat tile").split():  # fmt: skip
        enter(name, with_shape(name))
    enter("expand_dims unstack", along("any"))
    enter("concat", joined(False))
    enter("stack", joined(True))
    enter("broadcast_arrays", pairs("any"))
    enter(
        "where", pairs("any").map(lambda call: ((np.asarray(np.isnan(call[0][0])), *call[0]), {}))
    )
    enter("nonzero", calls(arrays("any", SOME)))
    enter("searchsorted", calls(arrays("f64", 4, tame=True).map(np.sort), arrays("f64", tame=True),
                                side=st.sampled_from(["left", "right"])))  # fmt: skip
    enter("unique_values unique_counts unique_inverse", calls(arrays("ordered", tame=True)))
    enter("sort argsort", along("real", tame=True, stable=st.just(True)))
    enter("argmax argmin", reductions("real", several=False))
    enter("max min", reductions("real"))
    enter("sum prod", reductions("number"))
    enter("mean", reductions("inexact"))
    enter("std var", reductions("float", correction=st.just(0.0)))
    enter("all any count_nonzero", reductions("any"))
    enter(
        "cumulative_sum cumulative_prod", along("number", tame=True, include_initial=st.booleans())
    )
    enter("diff", along("number", tame=True, n=st.integers(0, 2)))


def _products(enter: Enter) -> None:
    """Enter linear algebra and Fourier transforms."""
    for name in ("matmul", "vecdot", "tensordot"):
        enter(f"{name} linalg.{name}", products(name))
    for name in ("outer", "cross", "solve"):
        enter(f"linalg.{name}", products(name))
    enter("matrix_transpose linalg.matrix_transpose linalg.matrix_norm linalg.svdvals linalg.pinv "
          "linalg.matrix_rank", calls(matrices()))  # fmt: skip
    enter("linalg.det linalg.inv linalg.slogdet", calls(matrices(square=True)))
    enter("linalg.cholesky", calls(matrices(spd=True, square=True), upper=st.booleans()))
    enter("linalg.eigh linalg.eigvalsh", calls(matrices(spd=True, square=True)))
    enter("linalg.matrix_power", calls(matrices(square=True), st.integers(-2, 3)))
    enter("linalg.qr", calls(matrices(), mode=st.sampled_from(["reduced", "complete"])))
    enter("linalg.svd", calls(matrices(), full_matrices=st.booleans()))
    enter("linalg.diagonal linalg.trace", calls(matrices(), offset=st.integers(-2, 2)))
    enter("linalg.vector_norm", reductions("inexact", ord=st.sampled_from([1, 2, 3, np.inf])))
    # Fourier transforms.
    enter("fft.fft fft.ifft fft.irfft fft.hfft", spectra())
    enter("fft.rfft fft.ihfft", spectra(real=True))
    enter("fft.fftn fft.ifftn", spectra(several=True))
    enter("fft.rfftn", spectra(real=True, several=True))
    enter("fft.fftshift fft.ifftshift", calls(arrays("inexact", SOME)))
    enter("fft.fftfreq fft.rfftfreq", calls(st.integers(1, 9), d=st.sampled_from([1.0, 0.5])))


def _operators(enter: Enter) -> None:
    """Enter operators, and what an array tells of itself."""
    for group, names in (
        ("number", "add sub mul"), ("inexact", "truediv"), ("real", "lt le gt ge"),
        ("any", "eq ne"), ("bits", "and_ or_ xor"),
    ):  # fmt: skip
        for name in names.split():
            tame = name == "truediv"
            enter(f"operator.{name}", pairs(group, tame=tame))
    enter("operator.floordiv operator.mod", pairs("real", tame=True, nonzero=True))
    enter("operator.lshift operator.rshift", shifts())
    enter("operator.pow", powers())
    enter("operator.neg operator.pos operator.abs", calls(arrays("number")))
    enter("operator.invert", calls(arrays("bits")))
    enter("operator.matmul", products("matmul"))
    enter("operator.getitem", arrays("any", SOME).flatmap(
        lambda x: calls(st.just(x), hnp.basic_indices(x.shape, allow_newaxis=True)
                        .filter(_has_no_negative_step)
                        | st.just(np.asarray(np.isnan(x))))))  # fmt: skip
    enter("operator.setitem", arrays("any", SOME).flatmap(
        lambda x: calls(st.just(x), hnp.basic_indices(x.shape).filter(_has_no_negative_step),
                        st.integers(0, 1))))  # fmt: skip
    for name in ("shape", "ndim", "size", "T", "mT"):
        enter(f"array.{name}", calls(arrays("any", (2, 3))))
    for name in ("bool", "int", "float", "complex", "index"):
        kind = "int" if name == "index" else "ordered" if name != "complex" else "any"
        enter(f"python.{name}", calls(arrays(kind, (), tame=True)))


def _has_no_negative_step(index: Any) -> bool:
    parts = index if isinstance(index, tuple) else (index,)
    return not any(isinstance(each, slice) and (each.step or 1) < 0 for each in parts)


def table() -> dict[str, Any]:
    """Give for each name of the standard the strategy of its calls."""
    found: dict[str, Any] = {}

    def enter(names: str, strategy: Any) -> None:
        found.update(dict.fromkeys(names.split(), strategy))

    for section in (_elementwise, _types, _creation, _shapes, _products, _operators):
        section(enter)
    return found
