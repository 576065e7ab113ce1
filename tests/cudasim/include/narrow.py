"""What holds for both types of sixteen bits: loops over them, their oracle, and the tests."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

from tests.cudasim.include.exact import Format, round_exactly
from tests.cudasim.include.native import Native

ROUNDINGS = ("rn", "rz", "ru", "rd")
ALL = np.arange(65_536, dtype=np.uint32).astype(np.uint16)
INTEGERS = {
    "short": np.int16, "ushort": np.uint16, "int": np.int32, "uint": np.uint32,
    "ll": np.int64, "ull": np.uint64,
}  # fmt: skip
BINARY = ("hadd", "hsub", "hmul", "hdiv")
FUNCTIONS = {
    "sqrt": np.sqrt, "exp": np.exp, "exp2": np.exp2, "log": np.log, "log2": np.log2,
    "log10": np.log10, "sin": np.sin, "cos": np.cos, "tanh": np.tanh,
    "ceil": np.ceil, "floor": np.floor, "trunc": np.trunc, "rint": np.rint,
    "rcp": lambda x: 1 / x, "rsqrt": lambda x: 1 / np.sqrt(x), "exp10": lambda x: 10.0**x,
}  # fmt: skip
COMPARISONS = {
    "eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal,
    "gt": np.greater, "ge": np.greater_equal,
}  # fmt: skip
OPERATORS = {"eq": "==", "neu": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One type: its names in CUDA, its header and its format."""

    header: str
    T: str
    name: str
    target: Format

    @property
    def infinity(self) -> int:
        """The bits of infinity."""
        low, high = self.target.min_exponent, self.target.max_exponent
        return (high - low + 2) << (self.target.precision - 1)

    def widen(self, bits: np.ndarray) -> np.ndarray:
        """Decode the bits to double, from the definition of the format."""
        digits = self.target.precision - 1
        fraction = (bits & ((1 << digits) - 1)).astype(np.float64)
        biased = (bits & 0x7FFF) >> digits
        exponent = np.maximum(biased, 1) + (self.target.min_exponent - 1) - digits
        size = np.ldexp(np.where(biased > 0, fraction + (1 << digits), fraction), exponent)
        size = np.where((bits & 0x7FFF) == self.infinity, np.inf, size)
        size = np.where((bits & 0x7FFF) > self.infinity, np.nan, size)
        return np.where(bits >> 15, -size, size)

    def round(self, x: np.ndarray, mode: str = "rn") -> np.ndarray:
        """Round doubles once to the format, and return doubles."""
        p, low, high = self.target.precision, self.target.min_exponent, self.target.max_exponent
        exponent = np.maximum(np.frexp(x)[1] - 1, low)
        places = np.ldexp(np.where(np.isfinite(x), x, 0), p - 1 - exponent)
        whole = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}[mode](places)
        rounded = np.copysign(np.ldexp(whole, exponent - (p - 1)), x)
        largest = float(self.target.largest)
        inward = (mode == "rz") | ((mode == "ru") & (x < 0)) | ((mode == "rd") & (x > 0))
        limited = np.where(inward, np.copysign(largest, x), np.copysign(np.inf, x))
        rounded = np.where(np.abs(rounded) >= 2.0 * 2.0**high, limited, rounded)
        return np.where(np.isfinite(x), rounded, x)

    def same(self, got: np.ndarray, wanted: np.ndarray) -> bool:
        """Return whether bits are those of the numbers; NaN has one bit pattern."""
        numbers = self.widen(got.astype(np.int64))
        equal = (numbers == wanted) & (np.signbit(numbers) == np.signbit(wanted))
        return bool((equal | ((got == 0x7FFF) & np.isnan(wanted))).all())


def operands(count: int, seed: int) -> np.ndarray:
    """Draw bits of all sizes: half of them near one, with the special ones among them."""
    generator = np.random.default_rng(seed)
    bits = generator.integers(0, 65_536, count).astype(np.uint16)
    special = [0, 1, 2, 0x3FF, 0x400, 0x7BFF, 0x7C00, 0x7F, 0x80, 0x7F7F, 0x7F80, 0x7FFF, 0x3C00]
    both = np.array([*special, *(0x8000 | bits for bits in special)], np.uint16)
    chosen = generator.integers(0, 8, count) == 0
    return np.where(chosen, generator.choice(both, count), bits)


@np.errstate(all="ignore")
def exact_in_double(name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Compute in double, rounded to odd: rounded once more, it is the exact result rounded."""
    operation = {"hadd": np.add, "hsub": np.subtract, "hmul": np.multiply, "hdiv": np.divide}[name]
    result: np.ndarray = operation(a, b)
    if name not in ("hadd", "hsub"):
        return result
    b = b if name == "hadd" else -b
    added = result - a
    lost = (a - (result - added)) + (b - added)
    inexact = (lost != 0) & np.isfinite(lost) & (result.view(np.int64) % 2 == 0)
    toward = np.nextafter(result, np.copysign(np.inf, lost))
    return np.where(inexact, toward, result)


class NarrowTests:
    """The tests of one type; the subclass gives `kind` and `native`."""

    def test_every_number_widens_exactly(self, native: Native, kind: Kind) -> None:
        wanted = kind.widen(ALL.astype(np.int64))
        for name in ("widen", "widen_implicitly"):
            with np.errstate(invalid="ignore"):
                got = native(name, np.float32, ALL).astype(np.float64)
            assert ((got == wanted) | (np.isnan(got) & np.isnan(wanted))).all()
            assert (np.signbit(got) == np.signbit(wanted))[~np.isnan(wanted)].all()

    @pytest.mark.parametrize("mode", ROUNDINGS)
    def test_floats_at_and_between_all_numbers_round_as_the_name_says(
        self, native: Native, kind: Kind, mode: str
    ) -> None:
        numbers = kind.widen(np.arange(kind.infinity))
        next_up = np.append(numbers[1:], 2.0 ** (kind.target.max_exponent + 1))
        exact = np.concatenate([numbers, (numbers + next_up) / 2]).astype(np.float32)
        exact = np.concatenate([exact, -exact])
        around = [np.nextafter(exact, np.float32(end)) for end in (-np.inf, np.inf)]
        edges = np.array([np.inf, -np.inf, np.nan, 3.4e38, -3.4e38, 1e-45, -1e-45], np.float32)
        values = np.concatenate([exact, *around, edges])
        wanted = kind.round(values.astype(np.float64), mode)
        assert kind.same(native(f"float_{mode}", np.uint16, values), wanted)
        if mode == "rn":
            assert kind.same(native("from_float", np.uint16, values), wanted)

    @pytest.mark.parametrize("name", ["from_double", "from_double_by_name"])
    def test_doubles_are_rounded_once(self, native: Native, kind: Kind, name: str) -> None:
        # A trace beyond float next to the middle of two numbers: rounding to float would lose it.
        bits = ALL[(ALL & 0x7FFF) < kind.infinity - 1]
        numbers = kind.widen(bits.astype(np.int64))
        middles = (numbers + kind.widen(bits.astype(np.int64) + 1)) / 2
        traces = [np.nextafter(middles, -np.inf), np.nextafter(middles, np.inf)]
        edges = np.array([5e-324, -5e-324, 1e300, -1e300, np.nan, np.inf, 0.0, -0.0])
        values = np.concatenate([middles, *traces, edges])
        assert kind.same(native(name, np.uint16, values), kind.round(values))

    def test_rounding_survives_when_the_compiler_sees_both_ways(
        self, native: Native, kind: Kind
    ) -> None:
        a, b = np.random.default_rng(1).uniform(1, 2, (2, 10_000)).astype(np.float32)
        wanted = kind.round((a * b).astype(np.float64)) - kind.round(a.astype(np.float64))
        assert (native("through", np.float32, a, b) == wanted).all()

    def test_bits_survive_the_way_to_integers_and_back(self, native: Native) -> None:
        assert (native("bits", np.uint16, ALL) == ALL).all()

    @pytest.mark.parametrize("name", BINARY)
    def test_arithmetic_is_the_exact_result_rounded_once(
        self, native: Native, kind: Kind, name: str
    ) -> None:
        bits = [operands(400_000, seed) for seed in (2, 3)]
        a, b = (kind.widen(x.astype(np.int64)) for x in bits)
        wanted = kind.round(exact_in_double(name, a, b))
        assert kind.same(native(name, np.uint16, *bits), wanted)
        assert kind.same(native(f"{name}_operator", np.uint16, *bits), wanted)
        pairs = native(f"{name}_2", np.uint32, *(x.view(np.uint32) for x in bits))
        assert kind.same(pairs.view(np.uint16), wanted)
        if name != "hdiv":
            inside = np.where(np.isnan(wanted), 0, np.clip(wanted, 0.0, 1.0))
            got = kind.widen(native(f"{name}_sat", np.uint16, *bits).astype(np.int64))
            assert (got == inside).all()

    def test_fused_product_and_sum_is_rounded_once(self, native: Native, kind: Kind) -> None:
        generator = np.random.default_rng(4)
        bits = [operands(20_000, seed) for seed in (5, 6, 7)]
        # A product in the middle of two numbers, and a far smaller addend that must decide.
        one = int(native("from_float", np.uint16, np.ones(1, np.float32))[0])
        near = one + generator.integers(0, 64, (2, 10_000))
        small = generator.integers(1, kind.infinity // 2, 10_000) | (
            generator.integers(0, 2, 10_000) << 15
        )
        hard = [near[0], near[1], small]
        a, b, c = (
            np.concatenate([x, y.astype(np.uint16)]) for x, y in zip(bits, hard, strict=True)
        )
        got = native("hfma", np.uint16, a, b, c)
        values = [kind.widen(x.astype(np.int64)) for x in (a, b, c)]
        numbers = kind.widen(got.astype(np.int64))
        for x, y, z, number in zip(*values, numbers, strict=True):
            if not np.isfinite([x, y, z]).all():
                continue
            exact = Fraction(x) * Fraction(y) + Fraction(z)
            wanted = round_exactly(exact, kind.target, "rn")
            assert number == wanted, (x, y, z)
            assert exact == 0 or np.signbit(number) == (exact < 0)
        pairs = native("hfma2", np.uint32, *(x.view(np.uint32) for x in (a, b, c)))
        assert (pairs.view(np.uint16) == got).all()
        sat = kind.widen(native("hfma_sat", np.uint16, a, b, c).astype(np.int64))
        assert (sat == np.where(np.isnan(numbers), 0, np.clip(numbers, 0.0, 1.0))).all()
        relu = native("hfma_relu", np.uint16, a, b, c)
        assert kind.same(relu, np.where(numbers <= 0, 0.0, numbers))

    def test_fused_operation_on_infinity_and_nan(self, native: Native, kind: Kind) -> None:
        inf, nan, one = (
            kind.infinity,
            0x7FFF,
            int(native("from_float", np.uint16, np.ones(1, "f"))[0]),
        )
        cases = [(inf, one, one, inf), (inf, 0, one, nan), (inf, one, inf | 0x8000, nan),
                 (nan, one, one, nan), (one, one, inf | 0x8000, inf | 0x8000)]  # fmt: skip
        a, b, c, wanted = (np.array(column, np.uint16) for column in zip(*cases, strict=True))
        assert (native("hfma", np.uint16, a, b, c) == wanted).all()

    def test_complex_product_and_sum(self, native: Native, kind: Kind) -> None:
        values = np.random.default_rng(8).integers(-8, 8, (3, 500, 2)).astype(np.float32)
        bits = [native("from_float", np.uint16, x).view(np.uint32).ravel() for x in values]
        a, b, c = (x[:, 0] + 1j * x[:, 1] for x in values)
        got = kind.widen(native("hcmadd", np.uint32, *bits).view(np.uint16).astype(np.int64))
        wanted = a * b + c
        assert (got.reshape(-1, 2) == np.stack([wanted.real, wanted.imag], axis=1)).all()

    @pytest.mark.parametrize("mode", ROUNDINGS)
    @pytest.mark.parametrize("name", sorted(INTEGERS))
    def test_integers_round_once(self, native: Native, kind: Kind, name: str, mode: str) -> None:
        info = np.iinfo(INTEGERS[name])
        generator = np.random.default_rng(9)
        wild = generator.integers(info.min, info.max, 1500, INTEGERS[name], endpoint=True)
        numbers = wild >> generator.integers(0, info.bits, 1500).astype(INTEGERS[name])
        edges = [info.min, info.max, 0, 1]
        if info.bits == 64:
            # In the middle of two numbers but for the last digit, which no double holds.
            edges += [(257 << 54) + 1, (257 << 54) - 1, 257 << 54, (259 << 53) + 1]
        numbers = np.concatenate([numbers, np.array(edges, INTEGERS[name])])
        wanted = [round_exactly(Fraction(int(number)), kind.target, mode) for number in numbers]
        assert kind.same(native(f"{name}_{mode}", np.uint16, numbers), np.array(wanted))
        if mode == "rn":
            assert kind.same(native(f"from_{name}", np.uint16, numbers), np.array(wanted))

    @pytest.mark.full
    @pytest.mark.parametrize("mode", ROUNDINGS)
    @pytest.mark.parametrize("name", sorted(INTEGERS))
    def test_every_number_becomes_the_nearest_integer_that_there_is(
        self, native: Native, kind: Kind, name: str, mode: str
    ) -> None:
        info = np.iinfo(INTEGERS[name])
        whole = {"rn": np.rint, "rz": np.trunc, "ru": np.ceil, "rd": np.floor}[mode]
        unknown = 0 if info.bits < 64 else (info.min or 2**63)
        wanted = []
        for number in kind.widen(ALL.astype(np.int64)):
            if np.isinf(number):
                wanted.append(info.max if number > 0 else info.min)
            else:
                value = unknown if np.isnan(number) else int(whole(number))
                wanted.append(min(max(value, info.min), info.max))
        assert native(f"to_{name}_{mode}", INTEGERS[name], ALL).tolist() == wanted
        if mode == "rz":
            assert native(f"as_{name}", INTEGERS[name], ALL).tolist() == wanted

    def test_bytes_are_limited_too(self, native: Native, kind: Kind) -> None:
        numbers = np.nan_to_num(np.trunc(kind.widen(ALL.astype(np.int64))), nan=0.0)
        signed, unsigned = np.clip(numbers, -128, 127), np.clip(numbers, 0, 255)
        assert (native("char_rz", np.int8, ALL) == signed).all()
        assert (native("uchar_rz", np.uint8, ALL) == unsigned).all()

    @pytest.mark.parametrize("name", sorted(FUNCTIONS))
    @np.errstate(all="ignore")
    def test_functions_are_within_a_place_of_the_exact_result(
        self, native: Native, kind: Kind, name: str
    ) -> None:
        x = kind.widen(ALL.astype(np.int64))
        exact = FUNCTIONS[name](x)
        got = kind.widen(native(f"h{name}", np.uint16, ALL).astype(np.int64))
        nearest = kind.round(exact)
        # A result that float holds is rounded once more, which can only matter next to a middle.
        wrong = ~((got == nearest) | (np.isnan(got) & np.isnan(nearest)))
        down, up = kind.round(exact, "rd"), kind.round(exact, "ru")
        assert ((got == down) | (got == up))[wrong].all()
        assert wrong.sum() <= (0 if name in ("sqrt", "ceil", "floor", "trunc", "rint") else 20)
        pairs = native(f"h2{name}", np.uint32, ALL.view(np.uint32)).view(np.uint16)
        assert (pairs == native(f"h{name}", np.uint16, ALL)).all()

    @pytest.mark.parametrize("name", sorted(COMPARISONS))
    def test_comparisons_are_false_or_true_with_nan_as_their_name_says(
        self, native: Native, kind: Kind, name: str
    ) -> None:
        bits = [operands(50_000, 10), operands(50_000, 11)]
        bits[1][::3] = bits[0][::3]
        a, b = (kind.widen(x.astype(np.int64)) for x in bits)
        unordered = np.isnan(a) | np.isnan(b)
        words = [x.view(np.uint32) for x in bits]
        for full, wanted in (
            (name, COMPARISONS[name](a, b) & ~unordered),
            (name + "u", COMPARISONS[name](a, b) | unordered),
        ):
            assert (native(f"h{full}", np.bool_, *bits) == wanted).all()
            if full in OPERATORS:
                assert (native(f"{full}_operator", np.bool_, *bits) == wanted).all()
            pairs = wanted.reshape(-1, 2)
            both = native(f"hb{full}2", np.bool_, *words)
            assert (both == pairs.all(axis=1)).all()
            masks = native(f"h{full}2_mask", np.uint32, *words).view(np.uint16)
            assert (masks == np.where(wanted, 0xFFFF, 0)).all()
            ones = kind.widen(native(f"h{full}2", np.uint32, *words).view(np.uint16).astype(int))
            assert (ones == wanted).all()

    def test_extremes_prefer_numbers_to_nan_and_know_the_sign_of_zero(
        self, native: Native, kind: Kind
    ) -> None:
        bits = [operands(50_000, 12), operands(50_000, 13)]
        a, b = (kind.widen(x.astype(np.int64)) for x in bits)
        for name, function, strict in (
            ("hmax", np.fmax, np.maximum),
            ("hmin", np.fmin, np.minimum),
        ):
            zeros = (a == 0) & (b == 0)
            negative = np.signbit(a) & np.signbit(b)
            if name == "hmin":
                negative = np.signbit(a) | np.signbit(b)
            zero = np.where(negative, -0.0, 0.0)
            wanted = np.where(zeros, zero, function(a, b))
            assert kind.same(native(name, np.uint16, *bits), wanted)
            wanted = np.where(zeros, zero, strict(a, b))
            assert kind.same(native(f"{name}_nan", np.uint16, *bits), wanted)

    def test_signs_and_kinds_of_all_numbers(self, native: Native, kind: Kind) -> None:
        numbers = kind.widen(ALL.astype(np.int64))
        assert (native("neg", np.uint16, ALL) == ALL ^ 0x8000).all()
        assert (native("habs", np.uint16, ALL) == ALL & 0x7FFF).all()
        assert (native("truth", np.bool_, ALL) == (numbers != 0)).all()
        assert (native("nan_kind", np.bool_, ALL) == np.isnan(numbers)).all()
        sign = np.where(np.isinf(numbers), np.where(numbers > 0, 1, -1), 0)
        assert (native("inf_kind", np.int32, ALL) == sign).all()

    def test_counting_up_and_down(self, native: Native, kind: Kind) -> None:
        small = native("from_float", np.uint16, np.arange(-50, 50, dtype=np.float32))
        assert (kind.widen(native("counted", np.uint16, small).astype(np.int64)) == 1).all()

    def test_pairs_are_made_and_taken_apart(self, native: Native, kind: Kind) -> None:
        a, b = operands(1000, 14), operands(1000, 15)
        pairs = np.stack([a, b], axis=1)
        others = np.stack([b ^ 1, a ^ 2], axis=1)
        words, other_words = pairs.view(np.uint32).ravel(), others.view(np.uint32).ravel()

        def halves(name: str, *inputs: np.ndarray) -> np.ndarray:
            return native(name, np.uint32, *inputs).view(np.uint16).reshape(-1, 2)

        assert (halves("pair", a, b) == pairs[:, ::-1]).all()
        assert (halves("both", a) == a[:, None]).all()
        assert (halves("low_both", words) == a[:, None]).all()
        assert (halves("high_both", words) == b[:, None]).all()
        assert (halves("lows", words, other_words) == np.stack([a, b ^ 1], axis=1)).all()
        assert (halves("highs", words, other_words) == np.stack([b, a ^ 2], axis=1)).all()

    def test_pairs_become_floats_and_come_back(self, native: Native, kind: Kind) -> None:
        small = native("from_float", np.uint16, np.arange(-50, 50, dtype=np.float32))
        words = small.view(np.uint32)
        floats = native("floats", np.uint64, words)
        assert (floats.view(np.float32) == np.arange(-50, 50)).all()
        assert (native("from_floats", np.uint32, floats) == words).all()
        assert (native("from_float2", np.uint32, floats) == words).all()
        one = native("from_one", np.uint32, np.array([3.0], np.float32)).view(np.uint16)
        assert kind.widen(one.astype(np.int64)).tolist() == [3.0, 3.0]
        differences = native("low_float", np.float32, words)
        even = np.arange(-50, 50, 2)
        assert (differences == even - 2 * (even + 1)).all()
