"""__nv_bfloat16 and its pair: every operation rounds once; conversions against torch as well."""

import numpy as np
import pytest
import torch

from tests.cudasim.include.exact import BFLOAT16
from tests.cudasim.include.narrow import ALL, Kind, NarrowTests, operands
from tests.cudasim.include.narrow_loops import loops
from tests.cudasim.include.native import Native

pytestmark = [pytest.mark.cudasim, pytest.mark.torch, pytest.mark.full]

BFLOAT16_KIND = Kind(header="cuda_bf16.h", T="__nv_bfloat16", name="bfloat16", target=BFLOAT16)


@pytest.fixture(scope="module")
def kind() -> Kind:
    return BFLOAT16_KIND


@pytest.fixture(scope="module")
def native(tmp_path_factory: pytest.TempPathFactory) -> Native:
    return Native(loops(BFLOAT16_KIND), tmp_path_factory.mktemp("bfloat16"))


class TestBfloat16(NarrowTests):
    """What holds for both types holds for this one."""


def _tensor(bits: np.ndarray) -> torch.Tensor:
    return torch.from_numpy(bits.view(np.int16)).view(torch.bfloat16)


def test_conversions_agree_with_torch(native: Native) -> None:
    widened = torch.from_numpy(native("widen", np.float32, ALL))
    torch.testing.assert_close(widened, _tensor(ALL).float(), rtol=0, atol=0, equal_nan=True)
    words = np.random.default_rng(16).integers(0, 2**32, 1_000_000, np.uint32)
    near = (ALL.astype(np.uint32) << 16)[:, None]
    words = np.concatenate([words, (near ^ np.array([1, 0x8000, 0xFFFF], np.uint32)).ravel()])
    floats = words.view(np.float32)
    got = _tensor(native("from_float", np.uint16, floats))
    wanted = torch.from_numpy(floats).to(torch.bfloat16)
    torch.testing.assert_close(got, wanted, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize("name", ["hadd", "hsub", "hmul", "hdiv"])
def test_arithmetic_agrees_with_torch_where_float_does_not_round_twice(
    native: Native, name: str
) -> None:
    a, b = operands(500_000, 17), operands(500_000, 18)
    function = {"hadd": torch.add, "hsub": torch.sub, "hmul": torch.mul, "hdiv": torch.div}[name]
    wanted = function(_tensor(a), _tensor(b))
    got = _tensor(native(name, np.uint16, a, b))
    # torch computes in float, which rounds a second time below its smallest normal number.
    normal = ~(wanted.float().abs() < 2.0**-125)
    torch.testing.assert_close(got[normal], wanted[normal], rtol=0, atol=0, equal_nan=True)
