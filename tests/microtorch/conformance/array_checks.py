"""One check for each test that the suite of the standard's authors would run, and how it is run.

A check is named as a run would name it: the file, the function, the case. It draws what the
standard gives a meaning, and compares with NumPy 2, whose main namespace keeps the standard, or
with what the standard says in so many words.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tests.microtorch.conformance import array_namespace as xp
from torchstone.microtorch import Tensor
from torchstone.microtorch.tensor import wrap

Draw = Callable[[Any], Any]
Run = Callable[[int], None]

INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS, COMPLEX = ("float32", "float64"), ("complex64", "complex128")
KINDS = {
    "any": ("bool", *INTS, *FLOATS, *COMPLEX), "numeric": (*INTS, *FLOATS, *COMPLEX),
    "real": (*INTS, *FLOATS), "ordered": ("bool", *INTS, *FLOATS), "float": FLOATS,
    "inexact": (*FLOATS, *COMPLEX), "complex": COMPLEX, "bits": ("bool", *INTS), "int": INTS,
    "bool": ("bool",),
}  # fmt: skip
SHAPES = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
FULL = hnp.array_shapes(min_dims=0, max_dims=3, min_side=1, max_side=3)
SOME = hnp.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=3)


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A test of the denominator.

    Attributes:
        file: Where the suite has it, without ``test_`` and without ending.
        name: The function and the case.
        run: Draws so many examples and raises at the first that is wrong.
    """

    file: str
    name: str
    run: Run

    @property
    def id(self) -> str:
        """Name it as a run would."""
        return f"{self.file}::{self.name}"

    def failure(self, examples: int) -> str | None:
        """Run it; say what is wrong, or None."""
        try:
            with warnings.catch_warnings(), np.errstate(all="ignore"):
                warnings.simplefilter("ignore")
                self.run(examples)
        except Exception as error:  # noqa: BLE001 - whatever it is, the check has failed
            text = str(error).strip()
            first = next((line.strip() for line in text.splitlines() if line.strip()), "")
            return f"{type(error).__name__}: {first}"
        return None


def drawn(body: Callable[[Draw], None]) -> Run:
    """Make a check of a body that draws what it needs."""

    def run(examples: int) -> None:
        @settings(
            max_examples=examples,
            deadline=None,
            database=None,
            derandomize=True,
            # One example that is wrong is enough: it need not be the smallest.
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(st.data())
        def agrees(data: st.DataObject) -> None:
            body(data.draw)

        agrees()

    return run


def once(body: Callable[[], None]) -> Run:
    """Make a check of a body that has nothing to draw."""
    return lambda examples: body()


def checks_of(file: str, bodies: dict[str, Callable[[Draw], None]]) -> Iterator[Check]:
    """Make a check of each body that draws."""
    for name, body in bodies.items():
        yield Check(file=file, name=name, run=drawn(body))


def dtype_of(draw: Draw, kind: str) -> str:
    return draw(st.sampled_from(KINDS[kind]))


def meets(one: str, other: str) -> bool:
    """Return whether the standard says in which type two types meet."""
    a, b = np.dtype(one), np.dtype(other)
    if {a.kind, b.kind} == {"i", "u"}:
        return "uint64" not in (one, other)
    return a.kind == b.kind or {a.kind, b.kind} == {"f", "c"}


def two_dtypes(draw: Draw, kind: str, *, left_wins: bool = False) -> tuple[str, str]:
    """Draw two types that meet; where wanted, in the first of them."""
    left = dtype_of(draw, kind)
    others = [each for each in KINDS[kind] if meets(left, each)]
    if left_wins:
        others = [each for each in others if np.result_type(left, each) == np.dtype(left)]
    return left, draw(st.sampled_from(others))


def elements(dtype: str, **limits: Any) -> Any:
    """Draw from everything a type can hold, if no limits are set: NaN and infinities too."""
    return hnp.from_dtype(np.dtype(dtype), **limits)


def tame(dtype: str) -> Any:
    """Draw numbers whose sums and products are small, and exact in single precision."""
    kind = np.dtype(dtype).kind
    if kind == "b":
        return st.booleans()
    if kind in "iu":
        return st.integers(-9 if kind == "i" else 0, 9)
    parts = st.integers(-64, 64).map(lambda n: n / 8)
    return st.builds(complex, parts, parts) if kind == "c" else parts


def array(
    draw: Draw, kind: str, shape: Any = SHAPES, *, is_tame: bool = False, **limits: Any
) -> Any:
    """Draw an array for NumPy, of a kind or of a type."""
    dtype = dtype_of(draw, kind) if kind in KINDS and kind != "bool" else kind
    return draw(
        hnp.arrays(dtype, shape, elements=tame(dtype) if is_tame else elements(dtype, **limits))
    )


def two_shapes(draw: Draw, *, left_wins: bool = False) -> tuple[Any, Any]:
    """Draw two shapes that meet; where wanted, in the first of them.

    Often one has no dimensions: there PyTorch promotes types by rules of its own.
    """
    if draw(st.integers(0, 2)) == 0:
        return ((3,), ()) if left_wins or draw(st.booleans()) else ((), (3,))
    found = draw(hnp.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, max_side=3))
    return (found.result_shape if left_wins else found.input_shapes[0]), found.input_shapes[1]


def keywords(draw: Draw, **options: Any) -> dict[str, Any]:
    """Draw some of the keywords, each with one of its values; the others keep their defaults."""
    return {name: draw(each) for name, each in options.items() if draw(st.booleans())}


def axes(ndim: int, *, several: bool = True) -> Any:
    """Draw an axis, several where wanted, or None."""
    found = st.none()
    if ndim:
        found |= st.integers(-ndim, ndim - 1)
        found |= hnp.valid_tuple_axes(ndim) if several else st.nothing()
    return found


def ours(value: Any) -> Any:
    """Turn arrays and types of NumPy into MicroTorch's."""
    if isinstance(value, np.ndarray | np.generic):
        return wrap(np.array(value))
    if isinstance(value, np.dtype):
        return getattr(xp, value.name)
    if isinstance(value, list | tuple):
        return type(value)(ours(each) for each in value)
    if isinstance(value, dict):
        return {name: ours(each) for name, each in value.items()}
    return value


def same_form(found: Any, dtype: Any, shape: Any) -> None:
    """Fail unless it is a tensor of this type and shape."""
    assert isinstance(found, Tensor), f"a {type(found).__name__}, not an array"
    name = np.dtype(dtype).name
    assert found.dtype is getattr(xp, name), f"{found.dtype}, not {name}"
    assert tuple(found.shape) == tuple(shape), f"shape {tuple(found.shape)}, not {tuple(shape)}"


def same(found: Any, wanted: Any, *, where: Any = None, loose: float = 1.0) -> None:
    """Fail unless both agree in type, shape, and values: all, or those where it is said."""
    if isinstance(wanted, tuple | list):
        assert isinstance(found, tuple | list), f"a {type(found).__name__}"
        assert len(found) == len(wanted), f"{len(found)} results, not {len(wanted)}"
        for one, other in zip(found, wanted, strict=True):
            same(one, other, where=where, loose=loose)
        return
    wanted = np.asarray(wanted)
    same_form(found, wanted.dtype, wanted.shape)
    values = np.asarray(found.array)
    if where is not None:
        values, wanted = values[where], wanted[where]
    if wanted.dtype.kind not in "fc":
        np.testing.assert_array_equal(values, wanted)
        return
    single = wanted.dtype.name in ("float32", "complex64")
    tolerance = (2e-5 if single else 1e-9) * loose
    np.testing.assert_allclose(values, wanted, tolerance, tolerance)


def refuses(call: Callable[[], Any], error: type[Exception] = Exception) -> None:
    """Fail unless a call is refused with this error."""
    try:
        call()
    except error:
        return
    raise AssertionError("not refused")


def called(name: str) -> Callable[..., Any]:
    """Return a function of ours, looked for when it is called: one that lacks fails by itself."""
    return lambda *args, **kwargs: getattr(xp, name)(*args, **kwargs)


def beside_numpy(name: str, *args: Any, loose: float = 1.0, **kwargs: Any) -> None:
    """Call a function of both namespaces and compare what comes out."""
    group, _, last = name.rpartition(".")
    wanted = getattr(getattr(np, group) if group else np, last)(*args, **kwargs)
    found = getattr(getattr(xp, group) if group else xp, last)(*ours(args), **ours(kwargs))
    same(found, wanted, loose=loose)
