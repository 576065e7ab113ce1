"""The table of operators is what runs: kept, fused or dequantized, and nothing in silence."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor
from torch.nn import functional as F

from torchstone import nested
from torchstone.core.i18n import LANGS, catalogue
from torchstone.kernels.block_reference import FORMATS
from torchstone.nested import BlockQuantTensor
from torchstone.nested.dispatch import DISPATCH, Way, table

pytestmark = [pytest.mark.torch]

aten = torch.ops.aten
ROWS = torch.tensor([4, 0, 2])


def dense(format: str = "int4", width: int = 64) -> Tensor:
    torch.manual_seed(2)
    return nested.quantize(torch.randn(5, width), format)


# Of each operator that keeps: a call, on a tensor of five rows.
KEPT: dict[str, Callable[[Tensor], object]] = {
    "detach": lambda t: t.detach(),
    "alias": aten.alias,
    "clone": lambda t: t.clone(),
    "to": lambda t: t.to(torch.bfloat16),
    "slice": lambda t: t[1:4],
    "slice with a step": lambda t: t[::2],
    "select": lambda t: t[3],
    "narrow": lambda t: t.narrow(0, 1, 2),
    "index_select": lambda t: t.index_select(0, ROWS),
    "index": lambda t: t[ROWS],
    "mask": lambda t: t[torch.tensor([True, False, True, False, True])],
    "split": lambda t: t.split(2),
    "split_with_sizes": lambda t: t.split([1, 4]),
    "chunk": lambda t: t.chunk(3),
    "unbind": lambda t: t.unbind(),
    "cat": lambda t: torch.cat([t, t[:2]]),
    "heads": lambda t: t.view(5, 2, 32),
    "unflatten": lambda t: t.unflatten(-1, (2, 32)),
    "heads joined": lambda t: t.view(5, 2, 32).flatten(-2),
    "unsqueeze": lambda t: t.unsqueeze(0),
    "squeeze": lambda t: t.unsqueeze(1).squeeze(1),
    "reshape": lambda t: t.reshape(-1, 32),
}
# The same operators where blocks would be cut, and others.
DEQUANTIZED: dict[str, Callable[[Tensor], object]] = {
    "slice in a row": lambda t: t[:, 1:4],
    "heads that cut blocks": lambda t: t.view(5, 4, 16),
    "index in a row": lambda t: t[ROWS, ROWS],
    "split of a row": lambda t: t.split(16, -1),
    "to int": lambda t: t.to(torch.int32),
    "cat with plain values": lambda t: torch.cat([t, torch.ones(1, 64)]),
    "cat along rows": lambda t: torch.cat([t, t], 1),
    "add": lambda t: t + 1,
    "bmm": lambda t: torch.bmm(t.unsqueeze(0), torch.ones(1, 64, 3)),
    "transpose": lambda t: t.t(),
    "layer_norm over all": lambda t: F.layer_norm(t, (5, 64)),
}


def parts(result: object) -> list[Tensor]:
    return [*result] if isinstance(result, (tuple, list)) else [result]


@pytest.mark.parametrize("inference", [False, True])
@pytest.mark.parametrize("name", KEPT)
def test_what_is_kept_has_the_codes_of_its_rows(name: str, inference: bool) -> None:
    with torch.inference_mode(inference):
        t = dense()
        with nested.counting() as counted:
            results = parts(KEPT[name](t))
    assert {way for _, way in counted} == {Way.KEPT}
    assert all(type(each) is BlockQuantTensor for each in results)
    for each, wanted in zip(results, parts(KEPT[name](nested.dequantize(t))), strict=True):
        assert torch.equal(nested.dequantize(each), wanted)
    assert all(DISPATCH[operator].way == Way.KEPT for operator, _ in counted)


@pytest.mark.parametrize("name", DEQUANTIZED)
def test_what_needs_values_gets_them(name: str) -> None:
    t = dense()
    with nested.counting() as counted:
        results = parts(DEQUANTIZED[name](t))
    assert Way.DEQUANTIZED in {way for _, way in counted}
    wanted = parts(DEQUANTIZED[name](nested.dequantize(t)))
    for each, plain in zip(results, wanted, strict=True):
        assert type(each) is Tensor
        assert torch.equal(each, plain)


FUSED: dict[str, Callable[[Tensor], Tensor]] = {
    "linear": lambda t: F.linear(t, torch.ones(3, 64)),
    "linear with a bias": lambda t: F.linear(t, torch.ones(3, 64), torch.ones(3)),
    "linear of heads": lambda t: F.linear(t.unflatten(-1, (2, 32)), torch.ones(3, 32)),
    "mm": lambda t: torch.mm(t, torch.ones(64, 3)),
    "addmm": lambda t: torch.addmm(torch.ones(3), t, torch.ones(64, 3)),
    "addmm with a factor": lambda t: torch.addmm(torch.ones(3), t, torch.ones(64, 3), beta=2),
    "linear with quantized weights": lambda t: F.linear(t, dense("int8")),
    "dequantize": lambda t: t.dequantize(),
}


@pytest.mark.parametrize("panel", [2, 4096])
@pytest.mark.parametrize("name", FUSED)
def test_what_is_fused_reads_codes_by_panels(
    name: str, panel: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("torchstone.nested.fused.PANEL", panel)
    t = dense()
    with torch.inference_mode(), nested.counting() as counted:
        result = FUSED[name](t)
    assert Way.FUSED in {way for _, way in counted}
    torch.testing.assert_close(result, FUSED[name](nested.dequantize(t)))


@pytest.mark.parametrize("format", FORMATS)
def test_jagged_tensors_stay_quantized(format: str) -> None:
    t = nested.tensor([torch.randn(n, 64) for n in (3, 0, 5)], format=format)
    for each in (
        *(t.detach(), t.clone(), t.to(torch.bfloat16), t.unflatten(-1, (2, 32))),
        *(t.chunk(2, 0)[0], nested.index_sequences(t, [1]), nested.cat([t, t])),
    ):
        assert type(each._values) is BlockQuantTensor
    for row in (t[2], *t.unbind(), t.values()):
        assert type(row) is BlockQuantTensor


def test_wrapping_values_does_not_dequantize_them() -> None:
    t = dense()
    with nested.counting() as counted:
        wrapped = torch.nested.nested_tensor_from_jagged(t, torch.tensor([0, 2, 5]))
    assert type(wrapped._values) is BlockQuantTensor
    assert (aten._nested_view_from_jagged.default, Way.KEPT) in counted


@pytest.mark.parametrize(
    "write",
    [
        lambda t: t.mul_(2),
        lambda t: t.add_(torch.ones(64)),
        lambda t: t[0].zero_(),
        lambda t: t.copy_(torch.randn(5, 64)),
        lambda t: torch.add(torch.ones(5, 64), 1, out=t),
    ],
)
def test_what_would_write_into_codes_is_refused(write: Callable[[Tensor], object]) -> None:
    t = dense()
    before = nested.dequantize(t)
    with pytest.raises(TypeError, match=r"writes into a quantized tensor"):
        write(t)
    assert torch.equal(nested.dequantize(t), before)


def test_a_tensor_of_the_same_kind_is_copied_into() -> None:
    t, other = dense(), nested.quantize(torch.randn(5, 64), "int4")
    t.copy_(other)
    assert torch.equal(nested.dequantize(t), nested.dequantize(other))


def test_an_operator_that_jagged_tensors_lack_fails_as_theirs_does() -> None:
    t = nested.tensor([torch.randn(n, 64) for n in (3, 5)])
    for each in (t, nested.dequantize(t)):
        with pytest.raises(NotImplementedError):
            torch.linalg.norm(each)


def test_printing_does_not_dequantize() -> None:
    t = dense()
    with nested.counting() as counted:
        assert "format='int4', block=32" in repr(t)
    assert not counted


def test_a_dtype_is_only_promised_where_one_rounding_reaches_it() -> None:
    t = dense("int8").to(torch.float64).to(torch.bfloat16)
    assert type(t) is BlockQuantTensor
    wide = t.to(torch.float32)
    assert type(wide) is Tensor
    assert torch.equal(wide, nested.dequantize(t).float())


def test_every_condition_of_the_table_can_be_said() -> None:
    whens = {entry.when for _, entry in table() if entry.when}
    for lang in LANGS:
        said = {key for key in catalogue("nested", lang) if key.startswith("nested.when.")}
        assert said == {f"nested.when.{when}" for when in whens}
