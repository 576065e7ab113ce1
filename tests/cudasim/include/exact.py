"""Rounding of exact results, by rational arithmetic: the oracle of every rounded operation."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """A binary format: its digits, and the exponents of its smallest and largest normal number."""

    precision: int
    min_exponent: int
    max_exponent: int

    @property
    def largest(self) -> Fraction:
        """The largest finite number."""
        return (2 - Fraction(2) ** (1 - self.precision)) * Fraction(2) ** self.max_exponent


HALF = Format(precision=11, min_exponent=-14, max_exponent=15)
BFLOAT16 = Format(precision=8, min_exponent=-126, max_exponent=127)
FLOAT = Format(precision=24, min_exponent=-126, max_exponent=127)
DOUBLE = Format(precision=53, min_exponent=-1022, max_exponent=1023)

# How many whole places a positive or negative number of places is.
ROUNDINGS: dict[str, Callable[[Fraction], int]] = {
    "rn": round,  # Ties to even, as Python does it.
    "rz": math.trunc,
    "ru": math.ceil,
    "rd": math.floor,
}


def round_exactly(value: Fraction, target: Format, rounding: str) -> float:
    """Round a rational number to a format; the result is exact as a Python float.

    The sign of a zero result is that of ``value``; for an exact zero it is the caller's affair.
    """
    if value == 0:
        return 0.0
    exponent = abs(value.numerator).bit_length() - value.denominator.bit_length()
    if abs(value) < Fraction(2) ** exponent:
        exponent -= 1
    place = Fraction(2) ** (max(exponent, target.min_exponent) - target.precision + 1)
    rounded = ROUNDINGS[rounding](value / place) * place
    sign = 1 if value > 0 else -1
    if abs(rounded) > target.largest:
        outward = rounding == ("ru" if sign > 0 else "rd")
        return sign * (math.inf if rounding == "rn" or outward else float(target.largest))
    return math.copysign(float(rounded), sign)


def round_root(value: Fraction, target: Format, rounding: str) -> float:
    """Round the square root of a positive rational number, from enough digits and a trace."""
    scale = 2 * (target.precision + 8) + 2 * max(0, value.denominator.bit_length())
    shifted = value * Fraction(4) ** scale
    root = math.isqrt(shifted.numerator // shifted.denominator)
    inexact = Fraction(root) ** 2 != shifted
    return round_exactly(
        (root + Fraction(int(inexact), 2)) / Fraction(2) ** scale, target, rounding
    )
