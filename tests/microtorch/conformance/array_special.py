"""What the standard says of NaN, infinities, signed zeros and the borders of domains.

A line has a function and its cases: what the operands are, and what comes out. A name such as
``pos`` stands for the samples of ``SAMPLES``; every sample is tried, in both types, alone and in
an array. ``same`` and ``opposite`` are for pairs of equal and of different sign.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from tests.microtorch.conformance import array_namespace as xp
from tests.microtorch.conformance.array_checks import Check, called, once

inf, nan = math.inf, math.nan
POS, NEG = (1e-30, 0.5, 1.0, 2.5, 3.0, 1e30), (-1e-30, -0.5, -1.0, -2.5, -3.0, -1e30)
FINITE = (*NEG, -0.0, 0.0, *POS)
ALL = (*FINITE, inf, -inf, nan)


def _samples(question: Callable[[float], bool]) -> tuple[float, ...]:
    return tuple(each for each in ALL if question(each))


def _is_odd(x: float) -> bool:
    return math.isfinite(x) and x % 2 == 1


SAMPLES: dict[str, tuple[float, ...]] = {
    "nan": (nan,), "-nan": (math.copysign(nan, -1),), "+inf": (inf,), "-inf": (-inf,),
    "inf": (inf, -inf), "+0": (0.0,), "-0": (-0.0,), "0": (0.0, -0.0), "1": (1.0,), "-1": (-1.0,),
    "any": ALL, "finite": FINITE, "nonzero": (*POS, *NEG), "pos": POS, "neg": NEG,
    ">0": (*POS, inf), "<0": (*NEG, -inf), ">1": (2.5, 1e30, inf), "<-1": (-2.5, -1e30, -inf),
    "<1": (0.5, 0.0, -2.5, -inf), "whole": (-3.0, -0.0, 0.0, 1.0, 7.0, 1e30),
    "half": (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5), "fraction": (-2.5, -0.5, 0.5, 2.5),
    "|>1|": (2.5, -2.5, 1e30, -1e30, inf, -inf), "|<1|": (0.0, -0.0, 0.5, -0.5), "|1|": (1.0, -1.0),
    "!=1": _samples(lambda x: x != 1), "!=0": _samples(lambda x: x != 0),
    "!nan": _samples(lambda x: x == x), "odd>0": _samples(lambda x: x > 0 and _is_odd(x)),
    "even>0": _samples(lambda x: x > 0 and not _is_odd(x)), "odd<0": (-1.0, -3.0),
    "even<0": _samples(lambda x: x < 0 and not _is_odd(x)),
}  # fmt: skip

UNARY = """
abs: nan=nan -0=+0 -inf=+inf
acos: nan=nan >1=nan <-1=nan 1=+0
acosh: nan=nan <1=nan 1=+0 +inf=+inf
asin: nan=nan >1=nan <-1=nan +0=+0 -0=-0
asinh: nan=nan +0=+0 -0=-0 +inf=+inf -inf=-inf
atan: nan=nan +0=+0 -0=-0 +inf=~pi/2 -inf=~-pi/2
atanh: nan=nan <-1=nan >1=nan -1=-inf 1=+inf +0=+0 -0=-0
ceil: whole=x +inf=+inf -inf=-inf +0=+0 -0=-0 nan=nan
cos: nan=nan +0=1 -0=1 +inf=nan -inf=nan
cosh: nan=nan +0=1 -0=1 +inf=+inf -inf=+inf
exp: nan=nan +0=1 -0=1 +inf=+inf -inf=+0
expm1: nan=nan +0=+0 -0=-0 +inf=+inf -inf=-1
floor: whole=x +inf=+inf -inf=-inf +0=+0 -0=-0 nan=nan
isfinite: inf=False nan=False finite=True
isinf: inf=True finite=False nan=False
isnan: nan=True finite=False inf=False
log: nan=nan <0=nan 0=-inf 1=+0 +inf=+inf
log1p: nan=nan <-1=nan -1=-inf -0=-0 +0=+0 +inf=+inf
log2: nan=nan <0=nan 0=-inf 1=+0 +inf=+inf
log10: nan=nan <0=nan 0=-inf 1=+0 +inf=+inf
round: whole=x +inf=+inf -inf=-inf +0=+0 -0=-0 nan=nan half=even
sign: <0=-1 0=zero >0=1 nan=nan
signbit: +0=False -0=True +inf=False -inf=True pos=False neg=True nan=False -nan=True
sin: nan=nan +0=+0 -0=-0 inf=nan
sinh: nan=nan +0=+0 -0=-0 +inf=+inf -inf=-inf
sqrt: nan=nan <0=nan +0=+0 -0=-0 +inf=+inf
tan: nan=nan +0=+0 -0=-0 inf=nan
tanh: nan=nan +0=+0 -0=-0 +inf=1 -inf=-1
trunc: whole=x +inf=+inf -inf=-inf +0=+0 -0=-0 nan=nan
"""
# What true division and floor division share.
_QUOTIENT = (
    "either nan=nan, inf inf=nan, 0 0=nan, +0 >0=+0, -0 >0=-0, +0 <0=-0, -0 <0=+0, >0 +0=+inf, "
    ">0 -0=-inf, <0 +0=-inf, <0 -0=+inf, +inf pos=+inf, +inf neg=-inf, -inf pos=-inf, "
    "-inf neg=+inf, pos +inf=+0, pos -inf=-0, neg +inf=-0, neg -inf=+0, same nonzero=plus, "
    "opposite nonzero=minus"
)
BINARY = f"""
add: either nan=nan, +inf -inf=nan, -inf +inf=nan, +inf +inf=+inf, -inf -inf=-inf, \
+inf finite=+inf, -inf finite=-inf, finite +inf=+inf, finite -inf=-inf, -0 -0=-0, -0 +0=+0, \
+0 -0=+0, +0 +0=+0, 0 nonzero=x2, nonzero 0=x1, negated nonzero=+0
atan2: either nan=nan, >0 +0=~pi/2, >0 -0=~pi/2, +0 >0=+0, +0 +0=+0, +0 -0=~pi, +0 <0=~pi, \
-0 >0=-0, -0 +0=-0, -0 -0=~-pi, -0 <0=~-pi, <0 +0=~-pi/2, <0 -0=~-pi/2, pos +inf=+0, \
pos -inf=~pi, neg +inf=-0, neg -inf=~-pi, +inf finite=~pi/2, -inf finite=~-pi/2, \
+inf +inf=~pi/4, +inf -inf=~3*pi/4, -inf +inf=~-pi/4, -inf -inf=~-3*pi/4
copysign: !nan <0=-|x1|, !nan -0=-|x1|, !nan +0=|x1|, !nan >0=|x1|, !nan -nan=-|x1|, \
!nan nan=|x1|, nan <0=-nan, nan -0=-nan, nan +0=+nan, nan >0=+nan, nan -nan=-nan, nan nan=+nan
divide: {_QUOTIENT}
equal: either nan=False, +inf +inf=True, -inf -inf=True, -0 0=True, +0 0=True, equal finite=True, \
opposite nonzero=False
floor_divide: {_QUOTIENT}
hypot: inf any=+inf, any inf=+inf, 0 !nan=|x2|, !nan 0=|x1|, finite nan=nan, nan finite=nan
logaddexp: either nan=nan, +inf !nan=+inf, !nan +inf=+inf
maximum: either nan=nan
minimum: either nan=nan
multiply: either nan=nan, inf 0=nan, 0 inf=nan, same any=plus, opposite any=minus
nextafter: either nan=nan, -0 +0=+0, +0 -0=-0
not_equal: either nan=True, +inf -inf=True, -inf +inf=True, opposite nonzero=True, \
equal finite=False
pow: !=1 nan=nan, any +0=1, any -0=1, nan !=0=nan, |>1| +inf=+inf, |>1| -inf=+0, |1| +inf=1, \
|1| -inf=1, 1 !nan=1, |<1| +inf=+0, |<1| -inf=+inf, +inf >0=+inf, +inf <0=+0, -inf odd>0=-inf, \
-inf even>0=+inf, -inf odd<0=-0, -inf even<0=+0, +0 >0=+0, +0 <0=+inf, -0 odd>0=-0, \
-0 even>0=+0, -0 odd<0=-inf, -0 even<0=+inf, neg fraction=nan
remainder: either nan=nan, inf inf=nan, 0 0=nan, +0 >0=+0, -0 >0=+0, +0 <0=-0, -0 <0=-0, \
>0 +0=nan, >0 -0=nan, <0 +0=nan, <0 -0=nan, +inf pos=nan, +inf neg=nan, -inf pos=nan, \
-inf neg=nan, pos +inf=x1, pos -inf=x2, neg +inf=x2, neg -inf=x1
"""
OPERATORS = {
    "abs": "abs", "add": "add", "divide": "truediv", "equal": "eq", "floor_divide": "floordiv",
    "multiply": "mul", "not_equal": "ne", "pow": "pow", "remainder": "mod",
}  # fmt: skip
COMPARED = ("equal", "not_equal")


def _is(found: float, wanted: float) -> bool:
    """Return whether both are the same number, NaN or zero of the same sign."""
    if math.isnan(wanted):
        return math.isnan(found)
    return found == wanted and math.copysign(1, found) == math.copysign(1, wanted)


def _as_named(result: str, operands: tuple[float, ...]) -> float:
    x1, x2 = operands[0], operands[-1]
    numbers = {
        "nan": nan, "+inf": inf, "-inf": -inf, "+0": 0.0, "-0": -0.0, "1": 1.0, "-1": -1.0,
        "True": 1.0, "False": 0.0, "x": x1, "x1": x1, "x2": x2, "|x1|": abs(x1), "-|x1|": -abs(x1),
        "|x2|": abs(x2),
    }  # fmt: skip
    return numbers[result]


def holds(result: str, operands: tuple[float, ...], found: float) -> bool:
    """Return whether what came out is what the case says."""
    if result.startswith("~"):
        sign, _, times = result[1:].rpartition("-")
        factor, _, divisor = times.partition("/")
        exact = math.pi * (3 if factor.startswith("3") else 1) / float(divisor or 1)
        return math.isclose(found, -exact if sign + result[1] == "-" else exact, abs_tol=1e-2)
    if result in ("plus", "minus"):
        # The sign of a product that is NaN is open.
        return math.isnan(found) or math.copysign(1, found) == (1 if result == "plus" else -1)
    if result in ("+nan", "-nan"):
        return math.isnan(found) and math.copysign(1, found) == float(result[0] + "1")
    if result == "zero":
        return found == 0
    if result == "even":
        return found == round(operands[0])
    return _is(found, _as_named(result, operands))


def operands_of(condition: str) -> list[tuple[float, ...]]:
    """Return the samples that a case is about."""
    first, _, second = condition.partition(" ")
    if not second:
        return [(each,) for each in SAMPLES[first]]
    named = SAMPLES[second]
    pairs = list(itertools.product(named, named))
    if first in ("same", "opposite"):
        is_same = first == "same"
        return [(a, b) for a, b in pairs if (math.copysign(1, a) == math.copysign(1, b)) == is_same]
    if first in ("negated", "equal"):
        return [(each, -each if first == "negated" else each) for each in named]
    if first == "either":
        return [(a, b) for a in named for b in ALL] + [(a, b) for a in ALL for b in named]
    return list(itertools.product(SAMPLES[first], named))


def check_case(function: Callable[..., Any], condition: str, result: str) -> None:
    """Try every sample of a case."""
    tries = operands_of(condition)
    for dtype in (xp.float64, xp.float32):
        columns = [xp.asarray(list(each), dtype=dtype) for each in zip(*tries, strict=True)]
        together = function(*columns)
        for number, operands in enumerate(tries):
            alone = function(*[xp.asarray(each, dtype=dtype) for each in operands])
            held = [float(each) for each in xp.unstack(xp.stack(columns)[:, number])]
            for found in (float(together[number]), float(alone)):
                assert holds(result, tuple(held), found), f"{operands} gives {found} ({dtype})"


def cases(table: str, separator: str | None) -> Iterator[tuple[str, str, str]]:
    """Read a table: a function, a condition, a result."""
    for line in table.strip().splitlines():
        name, _, rest = line.partition(": ")
        for case in rest.split(separator):
            # Names such as != have the sign too: the last one parts.
            condition, _, result = case.strip().rpartition("=")
            yield name, condition, result


def functions_of(name: str) -> Iterator[tuple[str, str, Callable[..., Any]]]:
    """Return a function as such, as an operator, and as one that writes in place."""
    yield "", name, called(name)
    if name in OPERATORS:
        short = OPERATORS[name]
        yield "", f"__{short}__", getattr(operator, short)
        if name not in ("abs", *COMPARED):
            writes = getattr(operator, f"i{short}")
            yield "iop", f"__i{short}__", lambda x1, x2: writes(xp.asarray(x1, copy=True), x2)


def checks() -> Iterator[Check]:
    """Return every case of the standard."""
    for test, table, separator in (("unary", UNARY, None), ("binary", BINARY, ", ")):
        for name, condition, result in cases(table, separator):
            for kind, shown, function in functions_of(name):
                yield Check(
                    file="special_cases",
                    name=f"{kind or test}[{shown}({condition}) -> {result}]",
                    run=once(
                        lambda function=function, condition=condition, result=result: check_case(
                            function, condition, result
                        )
                    ),
                )
    yield from _of_nothing()
    yield from _of_nan()


def _of_nothing() -> Iterator[Check]:
    for name, wanted in {"mean": nan, "prod": 1.0, "std": nan, "sum": 0.0, "var": nan}.items():

        def nothing(name: str = name, wanted: float = wanted) -> None:
            found = getattr(xp, name)(xp.asarray([], dtype=xp.float32))
            assert found.shape == ()
            assert _is(float(found), wanted), f"{name} of nothing is {found}"

        yield Check(file="special_cases", name=f"empty_arrays[{name}]", run=once(nothing))


def _of_nan() -> Iterator[Check]:
    for name in ("max", "mean", "min", "prod", "std", "sum", "var"):

        def spreads(name: str = name) -> None:
            for dtype in (xp.float32, xp.float64):
                for place in range(4):
                    x = xp.ones((2, 2), dtype=dtype)
                    x[place // 2, place % 2] = nan
                    found = getattr(xp, name)(x)
                    assert found.shape == ()
                    assert math.isnan(float(found)), f"{name} hides a NaN"

        yield Check(file="special_cases", name=f"nan_propagation[{name}]", run=once(spreads))
