"""No seed draws a case whose verdict is a matter of rounding."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from torchstone.bank.loader import load_bank
from torchstone.judge.kit import Case, load_code

pytestmark = pytest.mark.torch

BANK = load_bank()
RNN = load_code(BANK.get("09").path)
SEEDS = st.integers(0, 2**62 - 1)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_float32_decides_every_relu_as_float64_does(seed: int) -> None:
    for planned in RNN.plan(seed, ["grad", "small", "lengths"]):
        if planned.params.get("nonlinearity") == "relu":
            case = RNN.build(planned)
            narrow, wide = (_is_on(case, dtype) for dtype in (torch.float32, torch.float64))
            assert torch.equal(narrow, wide)


def _is_on(case: Case, dtype: torch.dtype) -> torch.Tensor:
    """Tell for each valid step which hidden features relu lets through."""
    inputs = case.secret["inputs"]
    params = inputs["params"]
    cell = torch.nn.RNNCell(*params["shape"][2:], params["bias"], "relu", dtype=dtype)
    cell.load_state_dict({name[:-3]: value.to(dtype) for name, value in inputs["state"].items()})
    x = inputs["x"].transpose(0, 1) if params["batch_first"] else inputs["x"]
    lengths = torch.tensor(inputs["lengths"] or [len(x)] * x.shape[1])
    h, rows = inputs["h0"][0].to(dtype), []
    with torch.no_grad():
        for step, now in enumerate(x):
            valid = (step < lengths)[:, None]
            h = torch.where(valid, cell(now.to(dtype), h), h)
            rows.append((h > 0) & valid)
    return torch.stack(rows)
