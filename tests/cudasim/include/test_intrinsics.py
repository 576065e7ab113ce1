"""Intrinsics: fast functions within their bounds, bits and products against plain Python."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.cudasim.include.native import Native, same_bits

pytestmark = pytest.mark.cudasim

FAST = {
    "exp": np.exp, "log": np.log, "log2": np.log2, "log10": np.log10,
    "sin": np.sin, "cos": np.cos, "tan": np.tan,
}  # fmt: skip


SOURCE = """
#include "cusim/intrinsics.h"
typedef unsigned long long ull;
EACH_2(pow_fast, float, float, float, __powf(a, b))
EACH_2(divide_fast, float, float, float, __fdividef(a, b))
EACH_1(saturate, float, float, __saturatef(a))
EACH_1(float_bits, float, float, __int_as_float(__float_as_int(__uint_as_float(
    __float_as_uint(a)))))
EACH_1(double_bits, double, double, __hiloint2double(__double2hiint(a), __double2loint(a)))
EACH_1(popc, int, unsigned, __popc(a))
EACH_1(popcll, int, ull, __popcll(a))
EACH_1(clz, int, int, __clz(a))
EACH_1(clzll, int, long long, __clzll(a))
EACH_1(ffs, int, int, __ffs(a))
EACH_1(ffsll, int, long long, __ffsll(a))
EACH_1(brev, unsigned, unsigned, __brev(a))
EACH_1(brevll, ull, ull, __brevll(a))
EACH_3(byte_perm, unsigned, unsigned, unsigned, unsigned, __byte_perm(a, b, c))
EACH_3(funnel_l, unsigned, unsigned, unsigned, unsigned, __funnelshift_l(a, b, c))
EACH_3(funnel_r, unsigned, unsigned, unsigned, unsigned, __funnelshift_r(a, b, c))
EACH_3(funnel_lc, unsigned, unsigned, unsigned, unsigned, __funnelshift_lc(a, b, c))
EACH_3(funnel_rc, unsigned, unsigned, unsigned, unsigned, __funnelshift_rc(a, b, c))
EACH_3(fns, unsigned, unsigned, unsigned, int, __fns(a, b, c))
EACH_2(mulhi, int, int, int, __mulhi(a, b))
EACH_2(umulhi, unsigned, unsigned, unsigned, __umulhi(a, b))
EACH_2(mul64hi, long long, long long, long long, __mul64hi(a, b))
EACH_2(umul64hi, ull, ull, ull, __umul64hi(a, b))
EACH_2(mul24, int, int, int, __mul24(a, b))
EACH_2(umul24, unsigned, unsigned, unsigned, __umul24(a, b))
EACH_3(sad, unsigned, int, int, unsigned, __sad(a, b, c))
EACH_3(usad, unsigned, unsigned, unsigned, unsigned, __usad(a, b, c))
EACH_2(hadd, int, int, int, __hadd(a, b))
EACH_2(rhadd, int, int, int, __rhadd(a, b))
EACH_2(uhadd, unsigned, unsigned, unsigned, __uhadd(a, b))
EACH_2(urhadd, unsigned, unsigned, unsigned, __urhadd(a, b))
EACH_3(dp4a, int, int, int, int, __dp4a(a, b, c))
EACH_3(udp4a, unsigned, unsigned, unsigned, unsigned, __dp4a(a, b, c))
EACH_3(dp4a_vector, int, char4, char4, int, __dp4a(a, b, c))
EACH_3(dp2a_lo, int, int, int, int, __dp2a_lo(a, b, c))
EACH_3(dp2a_hi, int, int, int, int, __dp2a_hi(a, b, c))
EACH_3(udp2a_lo, unsigned, unsigned, unsigned, unsigned, __dp2a_lo(a, b, c))
EACH_3(dp2a_vector, int, short2, char4, int, __dp2a_hi(a, b, c))
extern "C" void cached(long n, float4* out, const float4* in) {
  for (long i = 0; i < n; ++i) {
    __stcs(&out[i], i % 2 ? __ldg(&in[i]) : __ldcg(&in[i]));
    out[i].w = 0;
    __stwt(&out[i].w, __ldcv(&in[i].w));
  }
}
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    fast = "\n".join(f"EACH_1({name}_fast, float, float, __{name}f(a))" for name in FAST)
    return Native(SOURCE + fast + "\n", tmp_path_factory.mktemp("intrinsics"))


@pytest.mark.parametrize("name", sorted(FAST))
def test_fast_functions_are_as_exact_as_the_guide_promises(native: Native, name: str) -> None:
    low, high = (-3.1, 3.1) if name in ("sin", "cos", "tan", "exp") else (0.01, 50.0)
    numbers = np.random.default_rng(12).uniform(low, high, 20_000).astype(np.float32)
    got = native(f"{name}_fast", np.float32, numbers).astype(np.float64)
    wanted = FAST[name](numbers.astype(np.float64))
    bound = 2.0**-21.4 + (0 if name in ("sin", "cos") else 2.0**-21 * np.abs(wanted))
    assert (np.abs(got - wanted) <= bound).all()


def test_fast_power_is_defined_by_logarithm_and_exponential(native: Native) -> None:
    a = np.array([-2.0, 0.0, 0.0, 2.0, 4.0, np.inf], np.float32)
    b = np.array([2.0, 0.0, 2.0, 10.0, 0.5, -1.0], np.float32)
    wanted = np.array([np.nan, np.nan, 0.0, 1024.0, 2.0, 0.0], np.float32)
    assert same_bits(native("pow_fast", np.float32, a, b), wanted).all()


def test_fast_division_by_a_huge_number_gives_zero(native: Native) -> None:
    a = np.array([6.0, 2.0**126, 1.0, np.inf, 2.0**127], np.float32)
    b = np.array([3.0, 2.0**127, -(2.0**127), 2.0**127, 2.0**126], np.float32)
    wanted = np.array([2.0, 0.0, -0.0, np.nan, 2.0], np.float32)
    assert same_bits(native("divide_fast", np.float32, a, b), wanted).all()


def test_saturation_keeps_the_unit_interval_and_makes_nan_zero(native: Native) -> None:
    numbers = np.array([-1.0, 0.25, 1.0, 7.0, np.nan, np.inf, -np.inf], np.float32)
    got = native("saturate", np.float32, numbers)
    assert got.tolist() == [0.0, 0.25, 1.0, 1.0, 0.0, 1.0, 0.0]


def test_bits_survive_the_way_to_integers_and_back(native: Native) -> None:
    words = np.random.default_rng(13).integers(0, 2**64, 1000, np.uint64)
    doubles = words.view(np.float64)
    assert (native("double_bits", np.float64, doubles).view(np.uint64) == words).all()
    floats = words.view(np.float32)
    assert (native("float_bits", np.float32, floats).view(np.uint32) == words.view(np.uint32)).all()


def _words(count: int, seed: int, dtype: type = np.uint32) -> np.ndarray:
    info = np.iinfo(dtype)
    words = np.random.default_rng(seed).integers(info.min, info.max, count, dtype, endpoint=True)
    words[:4] = [0, 1, info.max, info.min]
    return words


def test_bits_are_counted_found_and_reversed(native: Native) -> None:
    for dtype, signed, suffix in ((np.uint32, np.int32, ""), (np.uint64, np.int64, "ll")):
        bits = np.iinfo(dtype).bits
        words = _words(500, 14, dtype) >> np.arange(500, dtype=dtype) % dtype(bits)
        lists = [int(word) for word in words]
        popc = native(f"popc{suffix}", np.int32, words)
        assert popc.tolist() == [word.bit_count() for word in lists]
        clz = native(f"clz{suffix}", np.int32, words.view(signed))
        assert clz.tolist() == [bits - word.bit_length() for word in lists]
        ffs = native(f"ffs{suffix}", np.int32, words.view(signed))
        assert ffs.tolist() == [(word & -word).bit_length() for word in lists]
        brev = native(f"brev{suffix}", dtype, words)
        assert brev.tolist() == [int(f"{word:0{bits}b}"[::-1], 2) for word in lists]


def test_byte_permutation_ignores_the_fourth_bit_of_a_selector(native: Native) -> None:
    a, b, c = (_words(500, seed) for seed in (15, 16, 17))
    wanted = []
    for x, y, selector in zip(a.tolist(), b.tolist(), c.tolist(), strict=True):
        source = x.to_bytes(4, "little") + y.to_bytes(4, "little")
        chosen = [source[selector >> 4 * i & 7] for i in range(4)]
        wanted.append(int.from_bytes(bytes(chosen), "little"))
    assert native("byte_perm", np.uint32, a, b, c).tolist() == wanted


def test_funnel_shifts_wrap_or_clamp_their_count(native: Native) -> None:
    low, high = _words(400, 18), _words(400, 19)
    count = (np.arange(400) % 40).astype(np.uint32)
    both = [h << 32 | x for x, h in zip(low.tolist(), high.tolist(), strict=True)]
    for suffix, places in (("", count % 32), ("c", np.minimum(count, 32))):
        pairs = list(zip(both, places.tolist(), strict=True))
        left = native(f"funnel_l{suffix}", np.uint32, low, high, count)
        assert left.tolist() == [(word << n >> 32) & 0xFFFFFFFF for word, n in pairs]
        right = native(f"funnel_r{suffix}", np.uint32, low, high, count)
        assert right.tolist() == [(word >> n) & 0xFFFFFFFF for word, n in pairs]


def test_nth_set_bit_is_found_in_both_directions(native: Native) -> None:
    cases = [
        (0b1011, 0, 1, 0), (0b1011, 0, 3, 3), (0b1011, 0, 4, 2**32 - 1), (0b1011, 2, 1, 3),
        (0b1011, 3, -2, 1), (0b1011, 1, 0, 1), (0b1011, 2, 0, 2**32 - 1),
        (0b1000, 2, -1, 2**32 - 1),
    ]  # fmt: skip
    masks, bases, offsets, wanted = zip(*cases, strict=True)
    arrays = np.array(masks, np.uint32), np.array(bases, np.uint32), np.array(offsets, np.int32)
    assert native("fns", np.uint32, *arrays).tolist() == list(wanted)


def _wrap(value: int, dtype: type) -> int:
    info = np.iinfo(dtype)
    return (value - info.min) % 2**info.bits + info.min


def _low24(x: int) -> int:
    return (x & 0xFFFFFF) - ((x & 0x800000) << 1)


def test_integer_products_and_means_have_all_their_digits(native: Native) -> None:
    cases: list[tuple[str, type, Callable[[int, int], int]]] = [
        ("mulhi", np.int32, lambda x, y: x * y >> 32),
        ("umulhi", np.uint32, lambda x, y: x * y >> 32),
        ("mul64hi", np.int64, lambda x, y: x * y >> 64),
        ("umul64hi", np.uint64, lambda x, y: x * y >> 64),
        ("mul24", np.int32, lambda x, y: _low24(x) * _low24(y)),
        ("umul24", np.uint32, lambda x, y: (x & 0xFFFFFF) * (y & 0xFFFFFF)),
        ("hadd", np.int32, lambda x, y: (x + y) >> 1),
        ("rhadd", np.int32, lambda x, y: (x + y + 1) >> 1),
        ("uhadd", np.uint32, lambda x, y: (x + y) >> 1),
        ("urhadd", np.uint32, lambda x, y: (x + y + 1) >> 1),
    ]
    for name, dtype, formula in cases:
        a, b = _words(500, 20, dtype), _words(500, 21, dtype)
        pairs = zip(a.tolist(), b.tolist(), strict=True)
        assert native(name, dtype, a, b).tolist() == [_wrap(formula(x, y), dtype) for x, y in pairs]


def _lanes(word: int, bits: int, signed: bool) -> list[int]:
    values = [word >> shift & (1 << bits) - 1 for shift in range(0, 32, bits)]
    return [v - (1 << bits) if signed and v >> bits - 1 else v for v in values]


def test_dot_products_of_bytes_and_sums_of_differences(native: Native) -> None:
    a, b, c = (_words(500, seed) for seed in (22, 23, 24))
    triples = list(zip(a.tolist(), b.tolist(), c.tolist(), strict=True))

    def dot(x: list[int], y: list[int], z: int) -> int:
        return (sum(p * q for p, q in zip(x, y, strict=True)) + z) % 2**32

    signed4 = [dot(_lanes(x, 8, True), _lanes(y, 8, True), z) for x, y, z in triples]
    unsigned4 = [dot(_lanes(x, 8, False), _lanes(y, 8, False), z) for x, y, z in triples]
    low2 = [dot(_lanes(x, 16, True), _lanes(y, 8, True)[:2], z) for x, y, z in triples]
    high2 = [dot(_lanes(x, 16, True), _lanes(y, 8, True)[2:], z) for x, y, z in triples]
    unsigned2 = [dot(_lanes(x, 16, False), _lanes(y, 8, False)[:2], z) for x, y, z in triples]
    wanted = {
        "dp4a": signed4, "udp4a": unsigned4, "dp4a_vector": signed4,
        "dp2a_lo": low2, "dp2a_hi": high2, "udp2a_lo": unsigned2, "dp2a_vector": high2,
        "usad": [(abs(x - y) + z) % 2**32 for x, y, z in triples],
        "sad": [
            (abs(_wrap(x, np.int32) - _wrap(y, np.int32)) + z) % 2**32 for x, y, z in triples
        ],
    }  # fmt: skip
    for name, values in wanted.items():
        assert native(name, np.uint32, a, b, c).tolist() == values, name


def test_cached_accesses_move_the_value_whole(native: Native) -> None:
    numbers = np.arange(64, dtype=np.float32).view("V16")
    assert native("cached", np.dtype("V16"), numbers).tobytes() == numbers.tobytes()
