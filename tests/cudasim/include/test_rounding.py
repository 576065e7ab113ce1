"""Arithmetic and casts that name their rounding, against rational arithmetic."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from tests.cudasim.include.exact import DOUBLE, FLOAT, Format, round_exactly, round_root
from tests.cudasim.include.native import Native, same_bits

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

ROUNDINGS = ("rn", "rz", "ru", "rd")
INTEGERS = {"int": np.int32, "uint": np.uint32, "ll": np.int64, "ull": np.uint64}
C_INTEGERS = {"int": "int", "uint": "unsigned", "ll": "long long", "ull": "unsigned long long"}
SOURCE = """
#include "cusim/rounding.h"
EACH_1(frsqrt, float, float, __frsqrt_rn(a))
EACH_2(unfused, float, float, float, __fadd_rn(__fmul_rn(a, a), b))
EACH_2(unfused_sum, float, float, float, __fadd_rn(a * a, b))
// Operands that the compiler knows, which it must not use to compute the result itself.
EACH_1(known, float, float, a * (__fdiv_ru(1.0f, 3.0f) - __fdiv_rd(1.0f, 3.0f)))
EACH_1(known_cast, float, float, a * (__int2float_ru(0x7fffffff) - __int2float_rz(0x7fffffff)))
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native(SOURCE + _rounded_loops() + "\n", tmp_path_factory.mktemp("rounding"))


def _rounded_loops() -> str:
    lines = []
    for mode in ROUNDINGS:
        for T, p in (("float", "f"), ("double", "d")):
            for name in ("add", "sub", "mul", "div"):
                lines.append(f"EACH_2({p}{name}_{mode}, {T}, {T}, {T}, __{p}{name}_{mode}(a, b))")
            for name in ("rcp", "sqrt"):
                lines.append(f"EACH_1({p}{name}_{mode}, {T}, {T}, __{p}{name}_{mode}(a))")
        lines.append(f"EACH_3(ffma_{mode}, float, float, float, float, __fmaf_{mode}(a, b, c))")
        lines.append(f"EACH_3(dfma_{mode}, double, double, double, double, __fma_{mode}(a, b, c))")
        lines.append(f"EACH_1(double2float_{mode}, float, double, __double2float_{mode}(a))")
        for name, I in C_INTEGERS.items():  # noqa: E741
            for F in ("float", "double"):
                lines.append(f"EACH_1({F}2{name}_{mode}, {I}, {F}, __{F}2{name}_{mode}(a))")
            lines.append(f"EACH_1({name}2float_{mode}, float, {I}, __{name}2float_{mode}(a))")
        for name in ("ll", "ull"):
            I = C_INTEGERS[name]  # noqa: E741
            lines.append(f"EACH_1({name}2double_{mode}, double, {I}, __{name}2double_{mode}(a))")
    return "\n".join(lines)


def _numbers(count: int, seed: int, dtype: type) -> np.ndarray:
    """Finite numbers of all sizes, many near one another, with the extremes among them."""
    generator = np.random.default_rng(seed)
    word = np.uint32 if dtype is np.float32 else np.uint64
    wild = generator.integers(0, np.iinfo(word).max, count, dtype=word, endpoint=True).view(dtype)
    tame = (generator.standard_normal(count) * 4).astype(dtype)
    info = np.finfo(dtype)
    edges = [0.0, 1.0, 3.0, info.max, info.tiny, info.smallest_subnormal, 1 - info.epsneg]
    both = np.array([*edges, *(-edge for edge in edges)], dtype)
    numbers = np.where(generator.integers(0, 2, count) == 0, wild, tame)
    numbers[: both.size] = generator.permutation(both)
    numbers[both.size : 2 * both.size] = generator.permutation(both)
    return np.where(np.isfinite(numbers), numbers, dtype(0.5))


def _check(
    got: np.ndarray,
    exact: Callable[..., Fraction | None],
    inputs: list[np.ndarray],
    target: Format,
    mode: str,
) -> None:
    for i, result in enumerate(got):
        value = exact(*(Fraction(float(array[i])) for array in inputs))
        if value is None:
            continue
        wanted = round_exactly(value, target, mode)
        assert float(result) == wanted, (mode, [float(array[i]).hex() for array in inputs])
        if value != 0:
            assert np.signbit(result) == (value < 0)


EXACT: dict[str, Callable[..., Fraction | None]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / b if b else None,
    "rcp": lambda a: 1 / a if a else None,
    "fma": lambda a, b, c: a * b + c,
}


@pytest.mark.gate("d-*-fma-*", "d-*-add-*")
@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("name", sorted(EXACT))
@pytest.mark.parametrize(
    ("prefix", "dtype", "target"), [("f", np.float32, FLOAT), ("d", np.float64, DOUBLE)]
)
def test_arithmetic_rounds_the_exact_result_as_its_name_says(
    native: Native, prefix: str, dtype: type, target: Format, name: str, mode: str
) -> None:
    inputs = [_numbers(1500, seed, dtype) for seed in range(EXACT[name].__code__.co_argcount)]
    got = native(f"{prefix}{name}_{mode}", dtype, *inputs)
    _check(got, EXACT[name], inputs, target, mode)


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize(
    ("prefix", "dtype", "target"), [("f", np.float32, FLOAT), ("d", np.float64, DOUBLE)]
)
def test_square_root_rounds_the_exact_result_as_its_name_says(
    native: Native, prefix: str, dtype: type, target: Format, mode: str
) -> None:
    numbers = np.abs(_numbers(600, 5, dtype))
    got = native(f"{prefix}sqrt_{mode}", dtype, numbers)
    for number, result in zip(numbers, got, strict=True):
        if number != 0:
            assert float(result) == round_root(Fraction(float(number)), target, mode)


def test_reciprocal_square_root_is_the_nearest(native: Native) -> None:
    numbers = np.abs(_numbers(3000, 6, np.float32))
    numbers = numbers[numbers > 0]
    # Next to these the middle of two results is hardest to tell apart.
    odd = (1 + np.arange(1, 2000, 2, dtype=np.float32) * np.float32(2**-23)).astype(np.float32)
    numbers = np.concatenate([numbers, odd])
    for number, result in zip(numbers, native("frsqrt", np.float32, numbers), strict=True):
        assert float(result) == round_root(1 / Fraction(float(number)), FLOAT, "rn")
    edges = np.array([0.0, -0.0, np.inf, -1.0, np.nan], np.float32)
    wanted = np.array([np.inf, -np.inf, 0.0, np.nan, np.nan], np.float32)
    assert same_bits(native("frsqrt", np.float32, edges), wanted).all()


@pytest.mark.parametrize("mode", ROUNDINGS)
def test_zero_and_infinity_come_out_of_sums_as_ieee_says(native: Native, mode: str) -> None:
    a = np.array([1.0, 0.0, -0.0, -0.0, np.inf, np.inf, -np.inf], np.float32)
    b = np.array([-1.0, -0.0, -0.0, 0.0, -np.inf, 1.0, 5.0], np.float32)
    zero = -0.0 if mode == "rd" else 0.0
    wanted = np.array([zero, zero, -0.0, zero, np.nan, np.inf, -np.inf], np.float32)
    assert same_bits(native(f"fadd_{mode}", np.float32, a, b), wanted).all()
    assert same_bits(native(f"fsub_{mode}", np.float32, a, -b), wanted).all()


@pytest.mark.parametrize("name", ["unfused", "unfused_sum"])
def test_named_products_and_sums_are_not_fused(native: Native, name: str) -> None:
    a = np.float32(1) + np.arange(1, 400, dtype=np.float32) * np.float32(2**-13)
    b = -(a * a)
    assert (native(name, np.float32, a, b) == 0).all()


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("name", sorted(INTEGERS))
def test_integers_become_floats_as_the_name_says(native: Native, name: str, mode: str) -> None:
    info = np.iinfo(INTEGERS[name])
    generator = np.random.default_rng(7)
    wild = generator.integers(info.min, info.max, 800, dtype=INTEGERS[name], endpoint=True)
    shifts = generator.integers(0, info.bits, 800).astype(INTEGERS[name])
    edges = np.array([info.min, info.max, info.max - 1, 0, 1, 2**24 + 1], INTEGERS[name])
    numbers = np.concatenate([wild >> shifts, edges])
    kinds = [("float", np.float32, FLOAT)]
    if info.bits == 64:
        kinds.append(("double", np.float64, DOUBLE))
    for F, dtype, target in kinds:
        got = native(f"{name}2{F}_{mode}", dtype, numbers)
        wanted = [round_exactly(Fraction(int(number)), target, mode) for number in numbers]
        assert got.tolist() == wanted


@pytest.mark.parametrize("mode", ROUNDINGS)
@pytest.mark.parametrize("name", sorted(INTEGERS))
@pytest.mark.parametrize("F", ["float", "double"])
def test_floats_become_the_nearest_integer_that_there_is(
    native: Native, F: str, name: str, mode: str
) -> None:
    dtype = np.float32 if F == "float" else np.float64
    info = np.iinfo(INTEGERS[name])
    generator = np.random.default_rng(8)
    sizes = np.exp2(generator.uniform(0, info.bits + 1, 1000))
    numbers = (generator.standard_normal(1000) * sizes).astype(dtype)
    ties = np.arange(-20, 20, dtype=dtype) / 2
    limits = np.array([info.min, info.max, 2.0**31, 2.0**32, 2.0**63, 2.0**64], dtype)
    around = [limits, np.nextafter(limits, dtype(0)), np.nextafter(limits, dtype(np.inf))]
    numbers = np.concatenate([numbers, ties, *around])
    got = native(f"{F}2{name}_{mode}", INTEGERS[name], numbers)
    whole = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}[mode](numbers)
    wanted = [min(max(int(number), info.min), info.max) for number in whole]
    assert got.tolist() == wanted

    top = info.min if info.min < 0 else 2 ** (info.bits - 1)
    unknown = 0 if F == "float" and info.bits == 32 else top
    edges = native(f"{F}2{name}_{mode}", INTEGERS[name], np.array([np.nan, np.inf, -np.inf], dtype))
    assert edges.tolist() == [unknown, info.max, info.min]


@pytest.mark.parametrize("mode", ROUNDINGS)
def test_doubles_become_floats_as_the_name_says(native: Native, mode: str) -> None:
    near = _numbers(1500, 10, np.float32).astype(np.float64)
    numbers = np.concatenate([_numbers(500, 11, np.float64), near * (1 + 2.0**-25), near])
    got = native(f"double2float_{mode}", np.float32, numbers)
    _check(got, lambda a: a, [numbers], FLOAT, mode)


def test_operands_that_the_compiler_knows_are_rounded_all_the_same(native: Native) -> None:
    one = np.ones(1, np.float32)
    assert native("known", np.float32, one).tolist() == [2.0**-25]
    assert native("known_cast", np.float32, one).tolist() == [128.0]
