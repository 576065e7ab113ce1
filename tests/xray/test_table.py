"""Tables of operators: each key, what it leads to, and where that was registered."""

from __future__ import annotations

import pytest

from torchstone.xray import probes, table

pytestmark = pytest.mark.torch


def test_a_row_says_what_its_key_leads_to() -> None:
    rows = {row["key"]: row for row in table.table("aten::relu")["rows"]}
    assert (
        rows["CPU"]["registered"].endswith(".cpp:3928")
        or "RegisterCPU" in rows["CPU"]["registered"]
    )
    assert rows["AutocastCPU"]["fallthrough"] is True
    assert rows["AutogradCPU"]["kind"] == "autograd kernel"
    keys = list(rows)
    assert keys.index("AutogradCPU") < keys.index("CPU"), "what is asked first is on top"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("relu", "aten::relu"),
        ("aten.relu", "aten::relu"),
        ("torch.ops.aten.mm", "aten::mm"),
        ("add", "aten::add.Tensor"),
        ("aten::sum.dim_IntList", "aten::sum.dim_IntList"),
    ],
)
def test_an_operator_is_found_by_the_names_that_people_write(written: str, meant: str) -> None:
    assert table.find_operator(written) == meant


def test_a_wrong_name_is_answered_with_names_near_to_it() -> None:
    with pytest.raises(table.UnknownOperator, match="aten::relu") as caught:
        table.table("reluu")
    assert "aten::relu" in caught.value.near


def test_a_missing_private_name_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from torchstone.xray.self_test import supported

    monkeypatch.delattr("torch._C._dispatch_keys")
    assert probes.missing("dispatch") == ["torch._C._dispatch_keys"]
    found = supported()
    assert (found["dispatch"], found["why"]["dispatch"]) == ("static", "torch._C._dispatch_keys")


def test_without_the_hook_operators_are_seen_and_their_keys_computed() -> None:
    import torch

    from torchstone.xray.lines import LineFinder
    from torchstone.xray.static import StaticTrace

    with StaticTrace(LineFinder(__file__)).on() as found:
        torch.ones(2).sin()
    assert [call["op"] for call in found.calls][-1] == "aten::sin"
    assert {call["opaque"] for call in found.calls} == {"computed"}
