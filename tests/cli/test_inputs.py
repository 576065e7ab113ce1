"""Kept inputs in the terminal."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run

pytestmark = pytest.mark.pure

TEXT = "x = torch.zeros(2)\nsoftmax(x)"


@pytest.mark.usefixtures("alone")
def test_inputs_are_kept_listed_renamed_and_deleted(run: Run) -> None:
    none = run("input", "list", "01")
    assert (none.code, none.out) == (0, "")
    assert "torchstone input keep 01 NAME TEXT" in none.err
    assert "--input '@small'" in run("input", "keep", "softmax", "small", TEXT).out
    assert run("input", "list", "01").out == f"@small\n    {TEXT.splitlines()[0]}\n    softmax(x)\n"
    refused = run("input", "keep", "01", "small", "softmax(y)", "--lang", "zh")
    assert refused.code == 2
    assert "已有另一个名为 small 的输入" in refused.err
    kept = run("input", "keep", "01", "small", "softmax(y)", "--replace", "--json").json
    assert [each["code"] for each in kept["inputs"]] == ["softmax(y)"]
    assert "'@tiny'" in run("input", "rename", "01", "small", "tiny").out
    assert [each["name"] for each in run("input", "list", "01", "--json").json["inputs"]] == [
        "tiny"
    ]
    assert run("run", "01", "--input", "@small").code == 2
    assert "已删除" in run("input", "delete", "01", "tiny", "--lang", "zh").out
    assert run("input", "delete", "01", "tiny", "--json").json["code"] == "app.input_absent"


@pytest.mark.usefixtures("alone")
def test_inputs_are_exported_and_imported(run: Run, tmp_path: Path) -> None:
    run("input", "keep", "01", "small", TEXT)
    run("export", tmp_path / "progress.json")
    run("input", "delete", "01", "small")
    assert "inputs 0" in run("import", tmp_path / "progress.json").out
    assert run("input", "list", "01", "--json").json["inputs"] == [], "the later fact counts"
