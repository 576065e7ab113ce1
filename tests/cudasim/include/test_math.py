"""Mathematics of device code: extremes, norms, and what the C library lacks, against mpmath."""

from collections.abc import Callable

import mpmath
import numpy as np
import pytest

from tests.cudasim.include.native import Native, same_bits

pytestmark = pytest.mark.cudasim

# As exact as the guide of CUDA promises for double, in units of the last place; half a place more
# where two functions of the C library are rounded one after the other.
ULPS = {
    "erfcx": 4, "erfinv": 5, "erfcinv": 6, "normcdf": 5, "normcdfinv": 8, "sinpi": 2, "cospi": 2,
    "cyl_bessel_i0": 6, "cyl_bessel_i1": 6, "rsqrt": 1.5, "rcbrt": 1.5, "exp10": 1.5,
}  # fmt: skip
SOURCE = "\n".join(
    f"EACH_1({name}_double, double, double, {name}(a))\n"
    f"EACH_1({name}_float, float, float, {name}(a))\n"
    f"EACH_1({name}_named, float, float, {name}f(a))"
    for name in ULPS
)
SOURCE = (
    '#include "cusim/math.h"\n'
    + SOURCE
    + """
EACH_2(fmaxf_, float, float, float, fmaxf(a, b))
EACH_2(fminf_, float, float, float, fminf(a, b))
EACH_2(fmax_, double, double, double, fmax(a, b))
EACH_2(fmin_, double, double, double, fmin(a, b))
EACH_2(max_float, float, float, float, max(a, b))
EACH_2(min_float, float, float, float, min(a, b))
EACH_2(max_mixed, double, float, double, max(a, b))
EACH_2(min_mixed, double, double, float, min(a, b))
EACH_2(max_int, int, int, int, max(a, b))
EACH_2(min_int, int, int, int, min(a, b))
EACH_2(max_int_uint, unsigned, int, unsigned, max(a, b))
EACH_2(min_uint_int, unsigned, unsigned, int, min(a, b))
EACH_2(max_ll, long long, long long, long long, max(a, b))
EACH_2(min_ll_ull, unsigned long long, long long, unsigned long long, min(a, b))
EACH_1(abs_int, int, int, abs(a))
EACH_1(abs_ll, long long, long long, abs(a))
EACH_1(abs_float, float, float, abs(a))
EACH_1(kinds, int, float, isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | signbit(a) << 3)
EACH_1(kinds_double, int, double, isnan(a) | isinf(a) << 1 | isfinite(a) << 2 | signbit(a) << 3)
EACH_3(norm3, double, double, double, double, norm3d(a, b, c))
EACH_3(norm3_float, float, float, float, float, norm3df(a, b, c))
EACH_3(norm4, double, double, double, double, norm4d(a, b, c, a))
EACH_3(norm4_float, float, float, float, float, norm4df(a, b, c, a))
EACH_3(rnorm3, double, double, double, double, rnorm3d(a, b, c))
EACH_3(rnorm4_float, float, float, float, float, rnorm4df(a, b, c, a))
EACH_2(rhypot_, double, double, double, rhypot(a, b))
EACH_2(rhypot_float, float, float, float, rhypotf(a, b))
EACH_3(norm_any, double, double, double, double, [](double x, double y, double z) {
  const double p[] = {x, y, z}; return norm(3, p); }(a, b, c))
EACH_3(norm_any_float, float, float, float, float, [](float x, float y, float z) {
  const float p[] = {x, y, z}; return normf(3, p); }(a, b, c))
EACH_1(sincos_float, float, float, [](float x) {
  float s, c; sincos(x, &s, &c); return s - c; }(a))
EACH_1(sincospi_double, double, double, [](double x) {
  double s, c; sincospi(x, &s, &c); return s - 2 * c; }(a))
EACH_1(sincospi_float, float, float, [](float x) {
  float s, c; sincospif(x, &s, &c); return s - 2 * c; }(a))
// A call that picked the form for double would have the size of one.
static_assert(sizeof(sin(1.0f)) == 4 && sizeof(pow(1.0f, 2.0f)) == 4 && sizeof(abs(1.0f)) == 4);
static_assert(sizeof(fma(1.0f, 1.0f, 1.0f)) == 4 && sizeof(max(1.0f, 1.0f)) == 4);
static_assert(sizeof(max(1.0f, 1.0)) == 8 && sizeof(exp(1.0)) == 8 && sizeof(tgamma(1.0f)) == 4);
static_assert(sizeof(rsqrt(1.0f)) == 4 && sizeof(erfinv(1.0f)) == 4 && sizeof(exp10(1.0f)) == 4);
"""
)

RANGES: dict[str, list[tuple[float, float]]] = {
    "erfcx": [(-5, 5), (5, 30), (-26, -20), (30, 1e8)],
    "erfinv": [(-1, 1), (-1e-3, 1e-3), (0.999, 1)],
    "erfcinv": [(0, 2), (1e-300, 1e-290), (1.9, 2)],
    "normcdf": [(-5, 5), (-37, -5), (5, 40)],
    "normcdfinv": [(0, 1), (1e-300, 1e-290)],
    "sinpi": [(-3, 3), (1000, 1e6)],
    "cospi": [(-3, 3), (1000, 1e6)],
    "cyl_bessel_i0": [(-10, 10), (10, 700)],
    "cyl_bessel_i1": [(-10, 10), (10, 700)],
    "rsqrt": [(0, 10), (1e200, 1e300)],
    "rcbrt": [(-10, 10), (1e200, 1e300)],
    "exp10": [(-10, 10), (-290, 300)],
}
ORACLES: dict[str, Callable[[mpmath.mpf], mpmath.mpf]] = {
    "erfcx": lambda x: mpmath.exp(x * x) * mpmath.erfc(x),
    "erfinv": mpmath.erfinv,
    "erfcinv": lambda x: mpmath.erfinv(1 - x),
    "normcdf": lambda x: mpmath.erfc(-x / mpmath.sqrt(2)) / 2,
    "normcdfinv": lambda x: mpmath.sqrt(2) * mpmath.erfinv(2 * x - 1),
    "sinpi": mpmath.sinpi,
    "cospi": mpmath.cospi,
    "cyl_bessel_i0": lambda x: mpmath.besseli(0, x),
    "cyl_bessel_i1": lambda x: mpmath.besseli(1, x),
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "rcbrt": lambda x: mpmath.sign(x) / mpmath.cbrt(abs(x)),
    "exp10": lambda x: mpmath.mpf(10) ** x,
}


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native(SOURCE, tmp_path_factory.mktemp("math"))


def _check(name: str, numbers: np.ndarray, got: np.ndarray, bound: float) -> None:
    # 1 - 1e-300 needs a thousand bits before its inverse is looked for.
    with mpmath.workprec(1200 if "inv" in name else 200):
        for number, result in zip(numbers, got, strict=True):
            exact = ORACLES[name](mpmath.mpf(float(number)))
            place = float(np.spacing(np.abs(result)))
            error = abs(mpmath.mpf(float(result)) - exact) / place
            assert error <= bound, (name, float(number), float(result), float(error))


@pytest.mark.full
@pytest.mark.parametrize("name", sorted(ULPS))
def test_functions_in_double_are_as_exact_as_the_guide_promises(native: Native, name: str) -> None:
    generator = np.random.default_rng(1)
    count = 12 if "inv" in name else 40
    numbers = np.concatenate([generator.uniform(*ends, count) for ends in RANGES[name]])
    _check(name, numbers, native(f"{name}_double", np.float64, numbers), ULPS[name])


@pytest.mark.parametrize("name", sorted(ULPS))
def test_functions_in_float_have_two_names(native: Native, name: str) -> None:
    numbers = np.random.default_rng(2).uniform(*RANGES[name][0], 20).astype(np.float32)
    got = native(f"{name}_float", np.float32, numbers)
    _check(name, numbers, got, 1.5)
    assert same_bits(got, native(f"{name}_named", np.float32, numbers)).all()


@pytest.mark.parametrize(
    ("name", "numbers", "wanted"),
    [
        ("erfcx", [np.inf, -np.inf, 0.0, -30.0], [0.0, np.inf, 1.0, np.inf]),
        ("erfinv", [1.0, -1.0, 0.0, -0.0, 1.5], [np.inf, -np.inf, 0.0, -0.0, np.nan]),
        ("erfcinv", [0.0, 2.0, 1.0, -0.1, 2.1], [np.inf, -np.inf, 0.0, np.nan, np.nan]),
        ("normcdf", [np.inf, -np.inf, 0.0, -40.0], [1.0, 0.0, 0.5, 0.0]),
        ("normcdfinv", [0.0, 1.0, 2.0], [-np.inf, np.inf, np.nan]),
        ("sinpi", [0.0, -0.0, 1.0, -1.0, 2.0, np.inf, 0.5], [0.0, -0.0, 0, -0.0, 0, np.nan, 1]),
        ("cospi", [0.0, 0.5, 1.5, 1.0, np.inf, 1e300], [1.0, 0.0, 0.0, -1.0, np.nan, 1.0]),
        ("rcbrt", [0.0, -0.0, np.inf, -8.0], [np.inf, -np.inf, 0.0, -0.5]),
        ("rsqrt", [0.0, -0.0, np.inf, -1.0], [np.inf, -np.inf, 0.0, np.nan]),
        ("cyl_bessel_i1", [0.0, -0.0, np.inf, -np.inf], [0.0, -0.0, np.inf, -np.inf]),
        ("cyl_bessel_i0", [0.0, np.inf, -np.inf, 1000.0], [1.0, np.inf, np.inf, np.inf]),
    ],
)
def test_special_values_come_out_as_the_guide_says(
    native: Native, name: str, numbers: list[float], wanted: list[float]
) -> None:
    numbers, wanted = [*numbers, np.nan], [*wanted, np.nan]
    got = native(f"{name}_double", np.float64, np.array(numbers))
    assert same_bits(got, np.array(wanted, np.float64)).all(), got


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extremes_prefer_numbers_to_nan_and_know_the_sign_of_zero(
    native: Native, dtype: type
) -> None:
    a = np.array([1, 2, np.nan, 1, np.nan, 0.0, -0.0, -np.inf, -1], dtype)
    b = np.array([2, 1, 1, np.nan, np.nan, -0.0, 0.0, 1, -1], dtype)
    larger = np.array([2, 2, 1, 1, np.nan, 0.0, 0.0, 1, -1], dtype)
    smaller = np.array([1, 1, 1, 1, np.nan, -0.0, -0.0, -np.inf, -1], dtype)
    suffix = "f_" if dtype is np.float32 else "_"
    assert same_bits(native(f"fmax{suffix}", dtype, a, b), larger).all()
    assert same_bits(native(f"fmin{suffix}", dtype, a, b), smaller).all()
    if dtype is np.float32:
        assert same_bits(native("max_float", dtype, a, b), larger).all()
        assert same_bits(native("min_float", dtype, a, b), smaller).all()
    one, other = a.astype(np.float32), b.astype(np.float64)
    assert same_bits(native("max_mixed", np.float64, one, other), larger.astype(float)).all()
    assert same_bits(native("min_mixed", np.float64, other, one), smaller.astype(float)).all()


def test_integers_of_different_sign_meet_in_the_unsigned_type(native: Native) -> None:
    a, b = np.array([-1, 5, 3], np.int32), np.array([7, 2, 9], np.uint32)
    assert native("max_int_uint", np.uint32, a, b).tolist() == [2**32 - 1, 5, 9]
    assert native("min_uint_int", np.uint32, b, a).tolist() == [7, 2, 3]
    assert native("max_int", np.int32, a, a[::-1]).tolist() == [3, 5, 3]
    assert native("min_int", np.int32, a, a[::-1]).tolist() == [-1, 5, -1]
    c, d = np.array([-1, 2**40], np.int64), np.array([7, 2**41], np.uint64)
    assert native("min_ll_ull", np.uint64, c, d).tolist() == [7, 2**40]
    assert native("max_ll", np.int64, c, c[::-1]).tolist() == [2**40, 2**40]


def test_absolute_values_keep_their_type(native: Native) -> None:
    assert native("abs_int", np.int32, np.array([-3, 3], np.int32)).tolist() == [3, 3]
    assert native("abs_ll", np.int64, np.array([-(2**40)], np.int64)).tolist() == [2**40]
    assert native("abs_float", np.float32, np.array([-2.5], np.float32)).tolist() == [2.5]


def test_kinds_of_numbers_are_told_apart_without_std(native: Native) -> None:
    numbers = np.array([np.nan, np.inf, -np.inf, 1.0, -0.0, 1e-45], np.float32)
    wanted = [1, 2, 10, 4, 12, 4]
    assert native("kinds", np.int32, numbers).tolist() == wanted
    assert native("kinds_double", np.int32, numbers.astype(np.float64)).tolist() == wanted


def test_norms_neither_overflow_nor_lose_an_infinity(native: Native) -> None:
    a = np.array([3.0, 1e200, 1e-200, np.inf, np.nan, 0.0])
    b = np.array([4.0, 1e200, 1e-200, np.nan, 1.0, 0.0])
    c = np.array([12.0, 1e200, 1e-200, 1.0, 1.0, 0.0])
    three = np.array([13.0, 3**0.5 * 1e200, 3**0.5 * 1e-200, np.inf, np.nan, 0.0])
    four = np.array([178**0.5, 2e200, 2e-200, np.inf, np.nan, 0.0])
    equal = {"rtol": 1e-15, "equal_nan": True}
    for name in ("norm3", "norm_any"):
        assert np.allclose(native(name, np.float64, a, b, c), three, **equal, atol=0)
    assert np.allclose(native("norm4", np.float64, a, b, c), four, **equal, atol=0)
    with np.errstate(divide="ignore"):
        assert np.allclose(native("rnorm3", np.float64, a, b, c), 1 / three, **equal, atol=0)
        both = 1 / np.array([5.0, 2**0.5 * 1e200, 2**0.5 * 1e-200, np.inf, np.nan, 0.0])
    assert np.allclose(native("rhypot_", np.float64, a, b), both, **equal, atol=0)


def test_norms_of_floats_do_not_overflow_on_the_way(native: Native) -> None:
    a = np.array([3, 1e30, 1e-30, np.inf, 0], np.float32)
    b = np.array([4, 1e30, 1e-30, np.nan, 0], np.float32)
    c = np.array([12, 1e30, 1e-30, 1, 0], np.float32)
    three = np.array([13, 3**0.5 * 1e30, 3**0.5 * 1e-30, np.inf, 0], np.float32)
    four = np.array([178**0.5, 2e30, 2e-30, np.inf, 0], np.float32)
    for name in ("norm3_float", "norm_any_float"):
        assert np.allclose(native(name, np.float32, a, b, c), three, rtol=1e-6, atol=0)
    assert np.allclose(native("norm4_float", np.float32, a, b, c), four, rtol=1e-6, atol=0)
    with np.errstate(divide="ignore"):
        got = native("rnorm4_float", np.float32, a, b, c)
        assert np.allclose(got, 1 / four.astype(np.float64), rtol=1e-6, atol=0)
    hypot = native("rhypot_float", np.float32, a[:3], b[:3])
    wanted = 1 / np.hypot(a[:3].astype(np.float64), b[:3])
    assert np.allclose(hypot, wanted, rtol=1e-6, atol=0)


def test_sine_and_cosine_come_together(native: Native) -> None:
    x = np.linspace(-4, 4, 101)
    small = x.astype(np.float32)
    wanted = np.sin(small.astype(np.float64)) - np.cos(small.astype(np.float64))
    assert np.allclose(native("sincos_float", np.float32, small), wanted, atol=1e-6)
    turns = np.sin(np.pi * x) - 2 * np.cos(np.pi * x)
    assert np.allclose(native("sincospi_double", np.float64, x), turns, atol=1e-14)
    assert np.allclose(native("sincospi_float", np.float32, small), turns, atol=1e-5)
