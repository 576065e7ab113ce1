"""__half and __half2: every operation rounds once; conversions against NumPy's float16 as well."""

import numpy as np
import pytest

from tests.cudasim.include.exact import HALF
from tests.cudasim.include.narrow import ALL, Kind, NarrowTests, operands
from tests.cudasim.include.narrow_loops import loops
from tests.cudasim.include.native import Native, same_bits

pytestmark = pytest.mark.cudasim

HALF_KIND = Kind(header="cuda_fp16.h", T="__half", name="half", target=HALF)


@pytest.fixture(scope="module")
def kind() -> Kind:
    return HALF_KIND


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native(loops(HALF_KIND), tmp_path_factory.mktemp("half"))


class TestHalf(NarrowTests):
    """What holds for both types holds for this one."""


def test_conversions_agree_with_numpy(native: Native) -> None:
    assert same_bits(
        native("widen", np.float32, ALL), ALL.view(np.float16).astype(np.float32)
    ).all()
    words = np.random.default_rng(16).integers(0, 2**32, 1_000_000, np.uint32)
    near = ALL.view(np.float16).astype(np.float32).view(np.uint32)[:, None]
    words = np.concatenate([words, (near ^ np.array([1, 0x1000, 0x1FFF], np.uint32)).ravel()])
    with np.errstate(over="ignore"):
        wanted = words.view(np.float32).astype(np.float16)
    got = native("from_float", np.uint16, words.view(np.float32)).view(np.float16)
    assert same_bits(got, wanted).all()


@pytest.mark.full
@pytest.mark.parametrize("name", ["hadd", "hsub", "hmul", "hdiv"])
def test_arithmetic_agrees_with_numpy(native: Native, name: str) -> None:
    a, b = operands(1_000_000, 17), operands(1_000_000, 18)
    function = {"hadd": np.add, "hsub": np.subtract, "hmul": np.multiply, "hdiv": np.divide}[name]
    with np.errstate(all="ignore"):
        wanted = function(a.view(np.float16), b.view(np.float16))
    assert same_bits(native(name, np.uint16, a, b).view(np.float16), wanted).all()
