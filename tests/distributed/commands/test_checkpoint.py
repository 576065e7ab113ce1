"""``checkpoint``: what is whole, what is not, and the same for other ranks; nothing overwritten."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from torchstone.distributed import Zero, checkpoint, run_threads
from torchstone.distributed.__main__ import main

pytestmark = [pytest.mark.torch]


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """Save two steps of a training on three ranks."""

    def work(world: Any) -> None:
        torch.manual_seed(0)
        zero = Zero(nn.Linear(9, 7), torch.optim.AdamW, stage=2, comm=world.comm())
        for step in (3, 4):
            zero.module(torch.ones(1, 9)).sum().backward()
            zero.step()
            zero.zero_grad()
            state = zero.state_dict()
            state.step = step
            checkpoint.save(tmp_path / "run", state, world)

    run_threads(work, 3)
    return tmp_path / "run"


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command; return its exit status and the last line."""

    def run(*words: object) -> tuple[int, dict[str, Any]]:
        code = main(["checkpoint", *map(str, words)])
        return code, json.loads(capsys.readouterr().out.splitlines()[-1])

    return run


def test_what_is_whole_is_shown(saved: Path, told: Any) -> None:
    code, shown = told("show", saved)
    files = list((saved / "step-00000004").glob("*.safetensors"))
    assert code == 0
    assert shown == {
        "event": "end",
        "ok": True,
        "step": 4,
        "world": 3,
        "complete": True,
        "single": False,
        "tensors": 8,
        "bytes": sum(each.stat().st_size for each in files),
        "damaged": [],
    }
    one = told("show", saved / "step-00000003")[1]
    assert one == shown | {"step": 3, "single": True}


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)


def test_what_is_damaged_is_named_in_the_language_of_the_reader(saved: Path, told: Any) -> None:
    flip(saved / "step-00000004/rank-00001.safetensors")
    code, shown = told("show", saved, "--lang", "zh")
    assert (code, shown["ok"], shown["step"], shown["complete"]) == (0, True, 3, False)
    assert shown["damaged"] == ["step-00000004/rank-00001.safetensors 写入之后被改动过"]
    (saved / "step-00000003/index.json").unlink()
    code, shown = told("show", saved, "--lang", "en")
    assert (code, shown["ok"], shown["step"], shown["bytes"]) == (1, False, None, 0)
    assert shown["damaged"][1] == "step-00000003 has no index.json"
    code, error = told("reshard", saved, "--world", 2, "--out", saved.parent / "out")
    assert (code, error["code"]) == (2, "checkpoint_damaged")
    assert not (saved.parent / "out").exists()


def test_it_is_cut_for_other_ranks(saved: Path, told: Any) -> None:
    out = saved.parent / "out"
    code, shown = told("reshard", saved, "--world", 2, "--out", out)
    assert (code, shown["step"], shown["world"], shown["complete"]) == (0, 4, 2, True)
    assert told("reshard", saved / "step-00000003", "--world", 5, "--out", out)[1]["step"] == 3
    assert sorted(each.name for each in out.iterdir()) == ["step-00000003", "step-00000004"]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--world", "2"), "option_missing"),
        (("--out", "new"), "option_missing"),
        (("--world", "0", "--out", "new"), "world_number"),
        (("--world", "10000", "--out", "new"), "world_limit"),
        (("--world", "2", "--out", "run"), "out_taken"),
    ],
)
def test_a_wrong_request_is_refused_and_leaves_all_as_it_was(
    saved: Path, told: Any, words: tuple[str, ...], code: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    before = {each: each.read_bytes() for each in saved.rglob("*.*") if each.is_file()}
    status, error = told("reshard", "run", *words)
    assert (status, error["code"]) == (2, code)
    assert {each: each.read_bytes() for each in saved.rglob("*.*") if each.is_file()} == before
    assert not (saved.parent / "new").exists()


@pytest.mark.parametrize("name", ["none", "run/step-00000009"])
def test_what_is_not_there_is_refused(saved: Path, told: Any, name: str) -> None:
    status, error = told("show", saved.parent / name)
    assert (status, error["code"]) == (2, "checkpoint_missing")
    assert name in error["message"]


def test_a_checkpoint_is_shown_from_inside_by_a_link_and_by_another_name(
    saved: Path, told: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = told("show", saved / "step-00000003")[1]
    copied = shutil.copytree(saved / "step-00000003", saved.parent / "best")
    (saved.parent / "latest").symlink_to(saved / "step-00000003")
    monkeypatch.chdir(saved / "step-00000003")
    for place in (".", copied, saved.parent / "latest"):
        assert told("show", place) == (0, wanted)
    flip(copied / "rank-00001.safetensors")
    code, shown = told("show", copied)
    assert (code, shown["ok"], shown["single"]) == (1, False, True)
    assert shown["damaged"] == ["best/rank-00001.safetensors has changed since it was written"]
    # Without an index its name says what it was.
    (saved / "step-00000003" / "index.json").unlink()
    code, shown = told("show", ".")
    assert (code, shown["ok"], shown["single"], shown["step"]) == (1, False, True, None)


def test_a_file_in_the_way_is_refused(saved: Path, told: Any) -> None:
    (saved.parent / "file").write_text("x")
    status, error = told("reshard", saved, "--world", 2, "--out", saved.parent / "file")
    assert (status, error["code"]) == (2, "unwritable")
    assert (saved.parent / "file").read_text() == "x"
