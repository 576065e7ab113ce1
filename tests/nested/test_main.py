"""The program of nested tensors: a line of JSON, with the table as it runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import torch

from torchstone import nested
from torchstone.nested import DISPATCH
from torchstone.nested.__main__ import main
from torchstone.nested.dispatch import Way

pytestmark = [pytest.mark.torch]


def printed(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    (line,) = capsys.readouterr().out.splitlines()
    answer: dict[str, Any] = json.loads(line)
    return answer


def test_the_table_is_the_one_that_runs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ops", "--lang", "zh"]) == 0
    told = printed(capsys)
    assert told["ok"]
    ways = {each["name"]: each["way"] for each in told["operators"]}
    assert ways == {str(operator): entry.way.value for operator, entry in DISPATCH.items()}
    assert sum(told["counts"].values()) == len(ways)
    assert ways["aten.slice.Tensor"] == Way.KEPT
    assert ways["aten.bmm.default"] == Way.DEQUANTIZED
    assert "不沿最后一维" in {each["when"] for each in told["operators"]}


def test_a_file_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a"
    nested.save(nested.tensor([torch.randn(n, 64) for n in (3, 1)], format="fp8"), path)
    assert main(["info", str(path)]) == 0
    told = printed(capsys)
    assert (told["format"], told["dtype"], told["lengths"]) == ("fp8", "float32", [3, 1])
    assert told["path"] == str(path)


def test_a_refusal_is_an_event_and_ends_with_2(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["info", str(tmp_path / "none"), "--lang", "zh"]) == 2
    told = printed(capsys)
    assert (told["event"], told["ok"], told["code"]) == ("error", False, "file_missing")
    assert "没有文件" in told["message"]
