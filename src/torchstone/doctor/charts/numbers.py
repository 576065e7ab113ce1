"""Formatting of times, counts and bytes with a suitable unit, and axis ticks."""

from __future__ import annotations

import math

_TIMES = ((1e6, "s"), (1e3, "ms"), (1.0, "µs"))
_COUNTS = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))


def said_time(microseconds: float) -> str:
    """Format a duration in a suitable unit.

    >>> said_time(25729.99), said_time(3.0), said_time(1.6e8)
    ('25.7 ms', '3 µs', '160 s')
    """
    for size, unit in _TIMES:
        if microseconds >= 0.9995 * size:
            return f"{three(microseconds / size)} {unit}"
    return f"{three(microseconds * 1e3)} ns" if microseconds > 0 else "0"


def said_moment(microseconds: float, step: float) -> str:
    """Format a moment with enough digits to distinguish it from the next step.

    >>> said_moment(84475000.0, 5000.0)
    '84.475 s'
    """
    reach = max(microseconds, step)
    size, unit = next(each for each in _TIMES if reach >= each[0] or each[0] == 1.0)
    digits = max(0, math.ceil(-math.log10(step / size) - 1e-9))
    return f"{microseconds / size:.{min(digits, 9)}f} {unit}"


def said_count(count: float) -> str:
    """Format a count in a suitable unit: ``312 T``."""
    for size, unit in _COUNTS:
        if count >= 0.9995 * size:
            return f"{three(count / size)} {unit}"
    return three(count)


def said_share(share: float) -> str:
    """Format a share in per cent, with one decimal if it is small."""
    return f"{100 * share:.{1 if share < 0.0995 else 0}f}%"


def three(value: float) -> str:
    """Format a number with at least three significant digits, without trailing zeros."""
    if value >= 999.5:
        return f"{value:.0f}"
    digits = 2 - math.floor(math.log10(value)) if value > 0 else 0
    text = f"{value:.{max(digits, 0)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def ticks(begin: float, end: float, most: int) -> list[float]:
    """Return round numbers in a range, spaced by 1, 2 or 5 times a power of ten.

    >>> ticks(0.0, 10.0, 5)
    [0.0, 2.0, 4.0, 6.0, 8.0, 10.0]
    """
    rough = (end - begin) / max(most, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough * (1 - 1e-9))
    first = math.ceil(begin / step - 1e-9)
    return [number * step for number in range(first, math.floor(end / step + 1e-9) + 1)]
