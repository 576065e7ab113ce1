"""Linear algebra and Fourier transforms, of matrices alone and stacked, and of no rows too.

Of matrices with NaN, or too large to multiply, only types and shapes are compared.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from hypothesis import reject
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_checks import (
    COMPLEX,
    FLOATS,
    SOME,
    Check,
    Draw,
    array,
    axes,
    beside_numpy,
    checks_of,
    drawn,
    dtype_of,
    keywords,
    meets,
    ours,
    refuses,
    same,
    same_form,
    two_dtypes,
    two_shapes,
)
from torchstone.microtorch import Tensor

FIELDS = {
    "eigh": ("eigenvalues", "eigenvectors"), "qr": ("Q", "R"), "slogdet": ("sign", "logabsdet"),
    "svd": ("U", "S", "Vh"),
}  # fmt: skip


def _matrix(draw: Draw, *, square: bool = False, kind: str = "inexact", min_side: int = 0) -> Any:
    """Draw a matrix of full rank, or a stack of them."""
    rows, columns = (draw(st.integers(min_side, 4)) for _ in range(2))
    stack = draw(hnp.array_shapes(min_dims=0, max_dims=2, min_side=min_side, max_side=3))
    shape = (*stack, rows, rows if square else columns)
    dtype, rng = dtype_of(draw, kind), np.random.default_rng(draw(st.integers(0, 99)))
    x = rng.normal(size=shape) + 3 * np.eye(shape[-2], shape[-1])
    return (x + 1j * rng.normal(size=shape) if dtype in COMPLEX else x).astype(dtype)


def _wild(draw: Draw, *, square: bool = False, **limits: Any) -> Any:
    """Draw a matrix of anything."""
    x = _matrix(draw, square=square)
    return array(draw, x.dtype.name, x.shape, **limits)


def _definite(draw: Draw) -> Any:
    x = _matrix(draw, square=True)
    return (x @ x.conj().swapaxes(-1, -2) + np.eye(x.shape[-1])).astype(x.dtype)


def _in_numpy(function: Callable[[], Any]) -> Any:
    """Ask NumPy; what it refuses has no meaning."""
    try:
        return function()
    except (ValueError, np.linalg.LinAlgError):
        reject()


def _linalg(
    name: str,
    matrix: Callable[[Draw], Any],
    *more: Any,
    exact: Callable[[Any], Any] | None = None,
    is_valued: bool = True,
    **options: Any,
) -> Callable[[Draw], None]:
    """Compare a function of a matrix: its form, its fields, and its values or what ``exact`` says.

    Factors are not unique: ``exact`` puts them together again.
    """

    def body(draw: Draw) -> None:
        x, kwargs = matrix(draw), keywords(draw, **options)
        args = [draw(each) for each in more]
        wanted = _in_numpy(lambda: getattr(np.linalg, name)(x, *args, **kwargs))
        found = getattr(xp.linalg, name)(ours(x), *args, **kwargs)
        for field, (number, other) in zip(
            FIELDS.get(name, (None,)),
            enumerate(wanted if name in FIELDS else (wanted,)),
            strict=True,
        ):
            part = found if field is None else found[number]
            assert field is None or getattr(found, field) is part
            same_form(part, other.dtype, other.shape)
        if exact is not None:
            rebuilt = exact([np.asarray(each.array) for each in found])
            np.testing.assert_allclose(rebuilt, x, 1e-4, 1e-4)
        elif is_valued:
            same(found, wanted, loose=1000)

    return body


def _svd_again(parts: list[Any]) -> Any:
    u, s, vh = parts
    count = s.shape[-1]
    return (u[..., :count] * s[..., None, :]) @ vh[..., :count, :]


def _cross(draw: Draw) -> None:
    left, right = two_dtypes(draw, "real")
    axis = draw(st.integers(-2, -1))
    shapes = [[2, 2], [1, 2]]
    for each in shapes:
        each[axis] = 3
    options = {} if axis == -1 and draw(st.booleans()) else {"axis": axis}
    x, y = (
        array(draw, dtype, tuple(shape), is_tame=True)
        for dtype, shape in zip((left, right), shapes, strict=True)
    )
    beside_numpy("linalg.cross", x, y, **options)
    wrong = ours(np.ones((2, 4)))
    refuses(lambda: xp.linalg.cross(wrong, wrong))


def _matmul(prefix: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        left, right = two_dtypes(draw, "numeric")
        shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
        one, other = draw(shapes), draw(shapes)
        if one and other and draw(st.booleans()):
            other = (*other[:-2], one[-1], *other[-1:]) if len(other) > 1 else (one[-1],)
        x, y = array(draw, left, one, is_tame=True), array(draw, right, other, is_tame=True)
        try:
            np.matmul(x, y)
        except ValueError:
            space = xp.linalg if prefix else xp
            return refuses(lambda: space.matmul(ours(x), ours(y)))
        return beside_numpy(f"{prefix}matmul", x, y, loose=100)

    return body


def _matrix_transpose(prefix: str) -> Callable[[Draw], None]:
    shapes = hnp.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=3)
    return lambda draw: beside_numpy(f"{prefix}matrix_transpose", array(draw, "any", shapes))


def _vecdot(prefix: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        left, right = two_dtypes(draw, "numeric")
        shapes = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, min_dims=1, max_dims=3))
        x, y = (
            array(draw, dtype, shape, is_tame=True)
            for dtype, shape in zip((left, right), shapes.input_shapes, strict=True)
        )
        axis = draw(st.integers(-min(x.ndim, y.ndim), -1))
        if x.shape[axis] == y.shape[axis]:
            # NumPy's is for equal types in equal numbers of dimensions.
            dtype = np.result_type(x, y)
            a, b = (np.moveaxis(each, axis, -1) for each in np.broadcast_arrays(x, y))
            wanted = (a.astype(dtype).conj() * b).sum(-1, dtype=dtype)
            found = (xp.linalg if prefix else xp).vecdot(ours(x), ours(y), axis=axis)
            same(found, wanted, loose=100)

    return body


def _vecdot_conj(draw: Draw) -> None:
    x, y = xp.asarray([1j, 2j, 3j]), xp.asarray([1, 2j, 3])
    assert complex(xp.linalg.vecdot(x, y)) == 4 - 10j


def _tensordot(prefix: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        left, right = two_dtypes(draw, "numeric")
        one = draw(hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3))
        count = draw(st.integers(0, len(one)))
        rest = draw(hnp.array_shapes(min_dims=0, max_dims=2, max_side=3))
        other = one[len(one) - count :] + rest
        options: dict[str, Any] = {} if count == 2 and draw(st.booleans()) else {"axes": count}
        if options and draw(st.booleans()):
            pairs = draw(st.permutations(range(count)))
            first = tuple(len(one) - count + each for each in pairs)
            options = {"axes": (first, tuple(each - len(other) for each in pairs))}
        x, y = array(draw, left, one, is_tame=True), array(draw, right, other, is_tame=True)
        beside_numpy(f"{prefix}tensordot", x, y, loose=100, **options)

    return body


def _outer(draw: Draw) -> None:
    left, right = two_dtypes(draw, "numeric")
    x = array(draw, left, draw(st.integers(0, 4)))
    y = array(draw, right, draw(st.integers(0, 4)))
    found, wanted = xp.linalg.outer(ours(x), ours(y)), x[:, None] * y[None]
    is_told = np.isfinite(wanted) & np.isfinite(x)[:, None] & np.isfinite(y)
    same(found, wanted, where=is_told)


def _with_rtol(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = _matrix(draw, min_side=1)
        real = "float32" if x.dtype.name in ("float32", "complex64") else "float64"
        rtol = draw(st.none() | st.sampled_from([1e-3, 1e-2]))
        if draw(st.booleans()):
            rtol = np.full(x.shape[:-2], 1e-3, dtype=real)
        options = {} if rtol is None else {"rtol": rtol}
        wanted = _in_numpy(lambda: getattr(np.linalg, name)(x, **options))
        found = getattr(xp.linalg, name)(ours(x), **ours(options))
        same(found, np.asarray(wanted), loose=1000)

    return body


def _solve(draw: Draw) -> None:
    x = _matrix(draw, square=True, min_side=1)
    others = [each for each in (*FLOATS, *COMPLEX) if meets(x.dtype.name, each)]
    stack = (
        two_shapes(draw, left_wins=True)[1]
        if x.ndim == 2
        else draw(st.sampled_from([(), x.shape[:-2]]))
    )
    shape = (
        (x.shape[-1],) if draw(st.booleans()) else (*stack, x.shape[-1], draw(st.integers(0, 3)))
    )
    y = array(draw, draw(st.sampled_from(others)), shape, is_tame=True)
    beside_numpy("linalg.solve", x, y, loose=1000)


def _diagonal(draw: Draw) -> None:
    x = array(draw, "any", hnp.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=3))
    options = keywords(draw, offset=st.integers(-9, 9))
    beside_numpy("linalg.diagonal", x, **options)


def _trace(draw: Draw) -> None:
    shapes = hnp.array_shapes(min_dims=2, max_dims=4, min_side=0, max_side=3)
    x = array(draw, "numeric", shapes, is_tame=True)
    kinds = {"i": "int64", "u": "uint64"}
    upper = kinds.get(x.dtype.kind, x.dtype.name)
    options, dtype = keywords(draw, offset=st.integers(-9, 9)), draw(st.sampled_from([None, upper]))
    found = xp.linalg.trace(ours(x), **options, dtype=dtype and getattr(xp, dtype))
    same(found, np.linalg.trace(x, **options, dtype=upper), loose=100)


def _vector_norm(draw: Draw) -> None:
    x = array(draw, "inexact", SOME | st.just(()), is_tame=True)
    orders = st.sampled_from([2, 1, 0, -1, -2, 3, 0.5, 2.5, np.inf, -np.inf]) | st.integers(-9, 9)
    options = keywords(draw, axis=axes(x.ndim), keepdims=st.booleans(), ord=orders)
    if options.get("axis") == ():
        wanted = np.abs(x) if options.get("ord", 2) != 0 else (x != 0).astype(np.abs(x).dtype)
        same(xp.linalg.vector_norm(ours(x), **options), wanted, loose=100)
        return
    beside_numpy("linalg.vector_norm", x, loose=1000, **options)


def _spectrum(name: str, kind: str, *, several: bool = False) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, kind, SOME, is_tame=True)
        norms = st.sampled_from(["backward", "ortho", "forward"])
        if several:
            some = draw(hnp.valid_tuple_axes(x.ndim, min_size=1))
            sizes = st.tuples(*[st.integers(1, 5)] * len(some))
            options = keywords(draw, norm=norms)
            options |= {} if draw(st.booleans()) else {"axes": some} | keywords(draw, s=sizes)
        else:
            one = st.integers(-x.ndim, x.ndim - 1)
            options = keywords(draw, n=st.none() | st.integers(1, 6), axis=one, norm=norms)
        wanted = _in_numpy(lambda: getattr(np.fft, name)(x, **options))
        same(getattr(xp.fft, name)(ours(x), **options), wanted, loose=100)

    return body


def _frequencies(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        count, options = draw(st.integers(1, 20)), keywords(draw, d=st.sampled_from([0.5, 2.0]))
        dtype = draw(st.sampled_from([None, *FLOATS]))
        found = getattr(xp.fft, name)(count, **options, dtype=dtype and getattr(xp, dtype))
        same(found, getattr(np.fft, name)(count, **options).astype(dtype or "float32"))

    return body


def _shift(name: str) -> Callable[[Draw], None]:
    def body(draw: Draw) -> None:
        x = array(draw, "inexact", SOME)
        some = axes(x.ndim).filter(lambda axis: axis != ())
        beside_numpy(f"fft.{name}", x, **keywords(draw, axes=some))

    return body


def _square(draw: Draw) -> Any:
    return _matrix(draw, square=True)


def _wild_square(draw: Draw) -> Any:
    return _wild(draw, square=True)


def _wild_power(draw: Draw) -> None:
    x, n = _wild_square(draw), draw(st.integers(0, 4))
    found = xp.linalg.matrix_power(ours(x), n)
    assert isinstance(found, Tensor)
    same_form(found, x.dtype, x.shape)


def _bodies() -> dict[str, Callable[[Draw], None]]:
    orders = st.sampled_from([-np.inf, -2, -1, 1, 2, np.inf, "fro", "nuc"])
    norms = {"keepdims": st.booleans(), "ord": orders}
    upper = {"upper": st.booleans()}
    full, mode = st.booleans(), st.sampled_from(["reduced", "complete"])
    return {
        "cholesky": _linalg("cholesky", _definite, **upper),
        "cross": _cross,
        "det": _both(_linalg("det", _square), _linalg("det", _wild_square, is_valued=False)),
        "diagonal": _diagonal,
        "eigh": _linalg("eigh", _definite, exact=lambda parts: (
            (parts[1] * parts[0][..., None, :]) @ parts[1].conj().swapaxes(-1, -2))),
        "eigvalsh": _linalg("eigvalsh", _definite),
        "inv": _linalg("inv", _square),
        "matrix_norm": _linalg("matrix_norm", _matrix, **norms),
        "matrix_power": _both(
            _linalg("matrix_power", _square, st.integers(-4, 4)), _wild_power),
        "matrix_rank": _with_rtol("matrix_rank"),
        "outer": _outer,
        "pinv": _with_rtol("pinv"),
        "qr": _both(
            _linalg("qr", _matrix, exact=lambda parts: parts[0] @ parts[1], mode=mode),
            _linalg("qr", _wild, is_valued=False, mode=mode)),
        "slogdet": _both(
            _linalg("slogdet", _square), _linalg("slogdet", _wild_square, is_valued=False)),
        "solve": _solve,
        "svd": _linalg("svd", _matrix, exact=_svd_again, full_matrices=full),
        "svdvals": _linalg("svdvals", _matrix),
        "trace": _trace,
        "vecdot_conj": _vecdot_conj,
        "vector_norm": _vector_norm,
    }  # fmt: skip


def _both(one: Callable[[Draw], None], other: Callable[[Draw], None]) -> Callable[[Draw], None]:
    return lambda draw: one(draw) if draw(st.booleans()) else other(draw)


def checks() -> Iterator[Check]:
    """Return all of linear algebra, and of Fourier transforms."""
    yield from checks_of("linalg", _bodies())
    for name, made in (
        ("matmul", _matmul), ("matrix_transpose", _matrix_transpose), ("tensordot", _tensordot),
        ("vecdot", _vecdot),
    ):  # fmt: skip
        yield Check(file="linalg", name=name, run=drawn(made("")))
        yield Check(file="linalg", name=f"linalg_{name}", run=drawn(made("linalg.")))
    yield from checks_of("fft", {
        **{name: _spectrum(name, "complex") for name in ("fft", "ifft", "irfft", "hfft")},
        **{name: _spectrum(name, "float") for name in ("rfft", "ihfft")},
        **{name: _spectrum(name, "complex", several=True) for name in ("fftn", "ifftn", "irfftn")},
        "rfftn": _spectrum("rfftn", "float", several=True),
        **{name: _frequencies(name) for name in ("fftfreq", "rfftfreq")},
        **{name: _shift(name) for name in ("fftshift", "ifftshift")},
    })  # fmt: skip
