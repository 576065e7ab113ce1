"""A word as two or four lanes, against plain Python."""

from collections.abc import Callable

import numpy as np
import pytest

from tests.cudasim.include.native import Native

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

UNARY_LANES = ("abs", "absss", "neg", "negss")
BINARY_LANES = (
    "add", "addss", "addus", "sub", "subss", "subus", "avgs", "avgu", "haddu", "maxs", "maxu",
    "mins", "minu", "absdiffs", "absdiffu", "sads", "sadu",
)  # fmt: skip
COMPARISONS = ("eq", "ne", "gts", "gtu", "ges", "geu", "lts", "ltu", "les", "leu")

SOURCE = """
#include "cusim/video.h"
EACH_3(max3, int, int, int, int, __vimax3_s32(a, b, c))
EACH_3(addmax, int, int, int, int, __viaddmax_s32(a, b, c))
EACH_3(addmin_relu, int, int, int, int, __viaddmin_s32_relu(a, b, c))
EACH_3(max3_s16x2, unsigned, unsigned, unsigned, unsigned, __vimax3_s16x2(a, b, c))
EACH_3(addmin_u16x2, unsigned, unsigned, unsigned, unsigned, __viaddmin_u16x2(a, b, c))
"""


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native(SOURCE + _lane_loops() + "\n", tmp_path_factory.mktemp("video"))


def _lane_loops() -> str:
    lines = []
    for width in (2, 4):
        for name in UNARY_LANES:
            lines.append(f"EACH_1(v{name}{width}, unsigned, unsigned, __v{name}{width}(a))")
        names = [*BINARY_LANES, *(k + c for k in ("cmp", "set") for c in COMPARISONS)]
        for name in names:
            call = f"__v{name}{width}(a, b)"
            lines.append(f"EACH_2(v{name}{width}, unsigned, unsigned, unsigned, {call})")
    return "\n".join(lines)


def _words(count: int, seed: int, dtype: type = np.uint32) -> np.ndarray:
    info = np.iinfo(dtype)
    words = np.random.default_rng(seed).integers(info.min, info.max, count, dtype, endpoint=True)
    words[:4] = [0, 1, info.max, info.min]
    return words


def _wrap(value: int, dtype: type) -> int:
    info = np.iinfo(dtype)
    return (value - info.min) % 2**info.bits + info.min


def _lanes(word: int, bits: int, signed: bool) -> list[int]:
    values = [word >> shift & (1 << bits) - 1 for shift in range(0, 32, bits)]
    return [v - (1 << bits) if signed and v >> bits - 1 else v for v in values]


def _clamp(value: int, bits: int, signed: bool) -> int:
    low = -(1 << bits - 1) if signed else 0
    return min(max(value, low), low + (1 << bits) - 1)


LANES: dict[str, tuple[bool, Callable[[int, int, int], int]]] = {
    "abs": (True, lambda x, y, n: abs(x)),
    "absss": (True, lambda x, y, n: _clamp(abs(x), n, True)),
    "neg": (True, lambda x, y, n: -x),
    "negss": (True, lambda x, y, n: _clamp(-x, n, True)),
    "add": (False, lambda x, y, n: x + y),
    "addss": (True, lambda x, y, n: _clamp(x + y, n, True)),
    "addus": (False, lambda x, y, n: _clamp(x + y, n, False)),
    "sub": (False, lambda x, y, n: x - y),
    "subss": (True, lambda x, y, n: _clamp(x - y, n, True)),
    "subus": (False, lambda x, y, n: _clamp(x - y, n, False)),
    "avgs": (True, lambda x, y, n: (x + y) // 2 + (x + y >= 0) * ((x + y) % 2)),
    "avgu": (False, lambda x, y, n: (x + y + 1) // 2),
    "haddu": (False, lambda x, y, n: (x + y) // 2),
    "maxs": (True, lambda x, y, n: max(x, y)),
    "maxu": (False, lambda x, y, n: max(x, y)),
    "mins": (True, lambda x, y, n: min(x, y)),
    "minu": (False, lambda x, y, n: min(x, y)),
    "absdiffs": (True, lambda x, y, n: abs(x - y)),
    "absdiffu": (False, lambda x, y, n: abs(x - y)),
    "seteq": (False, lambda x, y, n: x == y),
    "setne": (False, lambda x, y, n: x != y),
    "setgts": (True, lambda x, y, n: x > y),
    "setgtu": (False, lambda x, y, n: x > y),
    "setges": (True, lambda x, y, n: x >= y),
    "setgeu": (False, lambda x, y, n: x >= y),
    "setlts": (True, lambda x, y, n: x < y),
    "setltu": (False, lambda x, y, n: x < y),
    "setles": (True, lambda x, y, n: x <= y),
    "setleu": (False, lambda x, y, n: x <= y),
}


@pytest.mark.parametrize("width", [2, 4])
@pytest.mark.parametrize("name", sorted(LANES))
def test_each_lane_of_a_word_is_computed_for_itself(native: Native, name: str, width: int) -> None:
    bits = 32 // width
    signed, formula = LANES[name]
    a, b = _words(400, 25), _words(400, 26)
    a[4:8] = b[4:8]
    a[8:10], b[8:10] = 0x80008080, 0x7FFF7F80
    wanted, masks = [], []
    for x, y in zip(a.tolist(), b.tolist(), strict=True):
        pairs = zip(_lanes(x, bits, signed), _lanes(y, bits, signed), strict=True)
        lanes = [int(formula(p, q, bits)) % 2**bits for p, q in pairs]
        wanted.append(sum(lane << bits * i for i, lane in enumerate(lanes)))
        masks.append(sum(lane * (2**bits - 1) << bits * i for i, lane in enumerate(lanes)))
    inputs = (a,) if name in UNARY_LANES else (a, b)
    assert native(f"v{name}{width}", np.uint32, *inputs).tolist() == wanted
    if name.startswith("set"):
        compared = native(f"vcmp{name[3:]}{width}", np.uint32, a, b)
        assert compared.tolist() == masks


@pytest.mark.parametrize("width", [2, 4])
def test_sums_of_differences_run_over_all_lanes(native: Native, width: int) -> None:
    a, b = _words(400, 27), _words(400, 28)
    for name, signed in (("sads", True), ("sadu", False)):
        wanted = [
            sum(
                abs(p - q)
                for p, q in zip(
                    _lanes(x, 32 // width, signed), _lanes(y, 32 // width, signed), strict=True
                )
            )
            for x, y in zip(a.tolist(), b.tolist(), strict=True)
        ]
        assert native(f"v{name}{width}", np.uint32, a, b).tolist() == wanted


def test_dynamic_programming_takes_extremes_of_three(native: Native) -> None:
    a, b, c = (_words(400, seed, np.int32) for seed in (29, 30, 31))
    triples = list(zip(a.tolist(), b.tolist(), c.tolist(), strict=True))
    sums = [(_wrap(x + y, np.int32), z) for x, y, z in triples]
    assert native("max3", np.int32, a, b, c).tolist() == [max(triple) for triple in triples]
    assert native("addmax", np.int32, a, b, c).tolist() == [max(pair) for pair in sums]
    assert native("addmin_relu", np.int32, a, b, c).tolist() == [max(min(p), 0) for p in sums]
    halves = [word.view(np.int16) for word in (a, b, c)]
    got = native("max3_s16x2", np.uint32, *(word.view(np.uint32) for word in (a, b, c)))
    assert (got.view(np.int16) == np.maximum(np.maximum(halves[0], halves[1]), halves[2])).all()
    x, y, z = (word.view(np.uint16) for word in (a, b, c))
    got = native("addmin_u16x2", np.uint32, *(word.view(np.uint32) for word in (a, b, c)))
    assert (got.view(np.uint16) == np.minimum(x + y, z)).all()
