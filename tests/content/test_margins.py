"""No seed draws a case whose verdict is a matter of rounding."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.shipped import shipped_bank
from torchstone.judge.kit import Case, load_code

pytestmark = pytest.mark.torch

BANK = shipped_bank()
RNN, GRADCHECK, ENCODER = (load_code(BANK.get(number).path) for number in ("09", "10", "13"))
SEEDS = st.integers(0, 2**62 - 1)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_a_fault_is_three_tolerances_away_and_a_right_function_within_a_third(seed: int) -> None:
    for planned in GRADCHECK.plan(seed):
        GRADCHECK.expect(GRADCHECK.build(planned))  # asserts the margin of every case


@settings(max_examples=100, deadline=None)
@given(SEEDS)
def test_every_slope_of_the_steep_function_overflows(seed: int) -> None:
    (planned,) = (p for p in GRADCHECK.plan(seed, ["planted"]) if "steep" in p.params.values())
    (x,) = GRADCHECK.build(planned).steps[0].data["inputs"]
    x.requires_grad_()
    (slope,) = torch.autograd.grad(((x * 100).sin() * 1e307).sum(), x)
    assert slope.isinf().all()


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_float32_decides_every_relu_as_float64_does(seed: int) -> None:
    for planned in RNN.plan(seed, ["grad", "small", "lengths"]):
        if planned.params.get("nonlinearity") == "relu":
            case = RNN.build(planned)
            narrow, wide = (_is_on(case, dtype) for dtype in (torch.float32, torch.float64))
            assert torch.equal(narrow, wide)


def _is_on(case: Case, dtype: torch.dtype) -> torch.Tensor:
    """Return for each valid step which hidden features pass relu."""
    inputs = case.secret["inputs"]
    params = inputs["params"]
    cell = torch.nn.RNNCell(
        *params["shape"][2:], bias=params["bias"], nonlinearity="relu", dtype=dtype
    )
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


@pytest.mark.full
@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_float32_decides_every_relu_of_an_encoder_as_float64_does(seed: int) -> None:
    for planned in ENCODER.plan(seed, ["sample", "small", "mask", "layout", "scale"]):
        params = planned.params
        is_judged = params["gradients"] and params["batch"] and params["dtype"] == "float32"
        if is_judged and params["activation"] == "relu":
            case = ENCODER.build(planned)
            narrow, wide = (_is_active(case, dtype) for dtype in (torch.float32, torch.float64))
            assert torch.equal(narrow, wide)


def _is_active(case: Case, dtype: torch.dtype) -> torch.Tensor:
    """Return which hidden features of torch's own encoder pass relu, over all calls of a case."""
    secret, found = case.secret, []
    params = secret["params"]
    layer = torch.nn.TransformerEncoderLayer(
        *(params[name] for name in ("width", "heads", "hidden")),
        dropout=0.0,
        layer_norm_eps=params["eps"],
        norm_first=params["norm_first"],
        batch_first=True,
    )
    norm = torch.nn.LayerNorm(params["width"]) if params["final_norm"] else None
    count, options = params["layers"], {"enable_nested_tensor": False}
    encoder = torch.nn.TransformerEncoder(layer, count, norm, **options).to(dtype)
    encoder.load_state_dict(secret["state"])
    for each in encoder.layers:
        each.linear1.register_forward_hook(lambda _, given, y: found.append(y.flatten() > 0))
    for each in [*secret["calls"], *([secret["again"]] if secret["again"] else [])]:
        masks = (each["mask"], each["padding"])
        encoder(each["src"].detach().to(dtype), *(_as_scores(mask, dtype) for mask in masks))
    return torch.cat(found)


def _as_scores(mask: torch.Tensor | None, dtype: torch.dtype) -> torch.Tensor | None:
    if mask is None or mask.dtype != torch.bool:
        return None if mask is None else mask.to(dtype)
    return torch.zeros(mask.shape, dtype=dtype).masked_fill(mask, -torch.inf)
