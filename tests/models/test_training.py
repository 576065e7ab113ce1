"""Training resumes to the bit, refuses what does not fit, and loses nothing that was saved."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch

import torchstone.models.__main__ as program
from tests.models.small import SMALL, events, files, make_text, stop_after, weights
from torchstone import distributed, kernels
from torchstone.core.i18n import catalogue
from torchstone.models.__main__ import main
from torchstone.models.refusal import Refusal
from torchstone.models.text import Text, decode, encode, read_text
from torchstone.models.training.curve import curve
from torchstone.models.training.plan import build

pytestmark = [pytest.mark.torch, pytest.mark.full]


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Text:
    return make_text(tmp_path_factory.mktemp("text"))


@pytest.mark.gate("changes0")
@pytest.mark.parametrize("changes", [{}, {"precision": "bfloat16", "accumulate": 2}])
def test_it_goes_on_to_the_same_bits(tmp_path: Path, text: Text, changes: dict[str, Any]) -> None:
    whole = replace(SMALL, folder=tmp_path / "whole", **changes)
    parts = replace(SMALL, folder=tmp_path / "parts", **changes)
    at_once = events(whole, text)[-1]
    stop_after(parts, text, 2)
    # Whatever was drawn from chance in between is of no account.
    torch.rand(7)
    stop_after(parts, text, 4, resume=True)
    in_parts = events(parts, text, resume=True)[-1]
    for name, value in weights(whole).items():
        assert torch.equal(value, weights(parts)[name]), name
    assert [each["loss"] for each in in_parts["history"]] == [
        each["loss"] for each in at_once["history"]
    ]
    assert in_parts["sample"] == at_once["sample"]


@pytest.mark.full
def test_it_learns(tmp_path: Path, text: Text) -> None:
    plan = replace(SMALL, steps=40, dropout=0.0, lr=1e-2, save_every=20, folder=tmp_path)
    begin, *_, end = events(plan, text)
    first, last = (each["held_loss"] for each in end["history"])
    assert begin["parameters"] == sum(each.numel() for each in build(plan).parameters())
    # 256 bytes told apart by nothing would be 5.55 nats, the letters of this text 2.6.
    assert last < first
    assert last < 2.4
    assert Path(end["curve"]).is_file()
    assert end["sample"].startswith("The ")


@pytest.mark.full
def test_parts_of_a_step_add_up_to_it(tmp_path: Path, text: Text) -> None:
    one = replace(SMALL, steps=2, dropout=0.0, folder=tmp_path / "one")
    two = replace(one, accumulate=2, folder=tmp_path / "two")
    losses = [events(plan, text)[-1]["history"][-1]["loss"] for plan in (one, two)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_another_plan_or_text_is_not_gone_on_with(tmp_path: Path, text: Text) -> None:
    plan = replace(SMALL, steps=2, folder=tmp_path)
    events(plan, text)
    before = files(plan)
    other = Text(text.name, "0" * 64, text.tokens, text.held)
    for name, asked, what in (
        ("width", replace(plan, width=32), text),
        ("lr", replace(plan, lr=1.0), text),
        ("steps", replace(plan, steps=9), text),
        ("text", plan, other),
    ):
        with pytest.raises(Refusal) as refused:
            events(asked, what, resume=True)
        assert refused.value.code == "checkpoint_other"
        assert refused.value.values["name"] == name
    # Where it is written, and how often, changes nothing.
    events(replace(plan, save_every=1), text, resume=True)
    assert files(plan) == before


def test_a_loss_that_is_no_number_ends_it_and_leaves_what_was_saved(
    tmp_path: Path, text: Text, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = replace(SMALL, folder=tmp_path)
    stop_after(plan, text, 2)
    before = files(plan)
    from torchstone.models.training import loop

    monkeypatch.setattr(loop, "cross_entropy", lambda scores, _: scores.sum() * torch.nan)
    with pytest.raises(Refusal) as refused:
        events(plan, text, resume=True)
    assert (refused.value.code, refused.value.values["step"]) == ("diverged", 3)
    assert files(plan) == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("steps", 0), ("batch_size", 0), ("width", 15), ("key_heads", 3), ("lr", 0.0),
        ("lr", float("nan")), ("dropout", 1.0), ("seed", -1), ("warm_up", 7), ("accumulate", 0),
        ("norm", "batch"), ("position", "nowhere"), ("backend", "magic"), ("precision", "int8"),
        ("activation", "tanh"), ("micro_batch", 3), ("micro_batch", 0), ("order", "random"),
        ("parallel", "zero4"), ("timeout", 0.0), ("timeout", float("inf")),
        ("comm_backend", "mpi"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_named(name: str, value: object) -> None:
    with pytest.raises(Refusal) as refused:
        replace(SMALL, **{name: value})  # type: ignore[arg-type]
    assert refused.value.values["name"] == name
    assert name in str(refused.value)


def test_code_that_is_compiled_is_not_cut_into_shards() -> None:
    with pytest.raises(Refusal, match="exclude each other"):
        replace(SMALL, is_compiled=True, parallel="zero3")
    replace(SMALL, is_compiled=True, parallel="zero2")


@pytest.mark.parametrize(
    ("batch_size", "context", "wanted"),
    [
        (16, 128, 2),
        (64, 512, 2),
        (8, 16, 1),
        (6, 16, 1),
        (2, 16, 1),
        (13, 128, 1),
        (1, 16, 1),
        (22, 16, 2),
        (17, 128, 1),
    ],
)
def test_a_step_is_divided_by_its_size(batch_size: int, context: int, wanted: int) -> None:
    plan = replace(SMALL, batch_size=batch_size, context=context)
    assert plan.micro_batch_size == wanted
    assert replace(plan, accumulate=batch_size).micro_batch_size == 1
    with pytest.raises(Refusal, match="accumulate is 3"):
        replace(plan, batch_size=6, accumulate=3, micro_batch=3)


def test_an_odd_head_is_refused_where_places_are_turned() -> None:
    with pytest.raises(Refusal, match="width is 18"):
        replace(SMALL, width=18, heads=2)
    replace(SMALL, width=18, heads=2, position="alibi")


@pytest.mark.parametrize(
    ("is_installed", "is_interpreted", "code"),
    [(True, True, None), (True, False, "card_missing"), (False, True, "part_missing")],
)
def test_triton_is_refused_where_nothing_serves_it(
    monkeypatch: pytest.MonkeyPatch, is_installed: bool, is_interpreted: bool, code: str | None
) -> None:
    knobs = SimpleNamespace(runtime=SimpleNamespace(interpret=is_interpreted))
    monkeypatch.setitem(sys.modules, "triton", SimpleNamespace(knobs=knobs))
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: object() if is_installed else None)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(Refusal) if code else nullcontext() as refused:
        build(replace(SMALL, backend="triton"))
    if refused is not None:
        assert refused.value.code == code


@pytest.mark.full
def test_compiled_it_computes_the_same(tmp_path: Path, text: Text) -> None:
    plan = replace(SMALL, steps=2, dropout=0.0)
    eager, compiled = (
        events(replace(plan, is_compiled=each, folder=tmp_path / str(each)), text)[-1]
        for each in (False, True)
    )
    for name in ("loss", "held_loss"):
        want = eager["history"][-1][name]
        assert compiled["history"][-1][name] == pytest.approx(want, rel=1e-4)
    # What was trained compiled has the same names and may go on uncompiled.
    left, right = (weights(replace(plan, folder=tmp_path / str(each))) for each in (False, True))
    assert left.keys() == right.keys()


def test_a_text_is_windows_of_what_it_says(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(bytes(range(256)) * 4)
    text = read_text(path, 8)
    assert len(text.tokens) + len(text.held) == 1024
    tokens, targets = text.batch(5, 8, seed=3)
    assert torch.equal((tokens + 1) % 256, targets)
    assert torch.equal(tokens, text.batch(5, 8, seed=3)[0])
    assert not torch.equal(tokens, text.batch(5, 8, seed=4)[0])
    held = torch.cat([each for each, _ in text.held_batches(3, 8)]).flatten()
    assert torch.equal(held, text.held[: len(held)].long())
    # Less than a window is left over.
    assert len(text.held) - len(held) <= 8
    # The last place that a window may begin at is drawn, too.
    starts = {int(each[0]) for seed in range(200) for each in text.batch(8, 8, seed)[0]}
    assert int(text.tokens[-9]) in starts


@pytest.mark.parametrize("body", [b"", b"a", b"a" * 89])
def test_too_little_text_is_refused(tmp_path: Path, body: bytes) -> None:
    path = tmp_path / "text"
    path.write_bytes(body)
    with pytest.raises(Refusal) as refused:
        read_text(path, 8)
    assert refused.value.code == "text_short"
    # What is said to be enough is enough.
    path.write_bytes(b"a" * int(str(refused.value.values["wanted"])))
    read_text(path, 8)


def test_a_text_that_is_not_there_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path / "none", tmp_path):
        with pytest.raises(Refusal) as refused:
            read_text(path, 8)
        assert refused.value.code == "unreadable"


def test_a_text_ships() -> None:
    text = read_text(None, 128)
    assert len(text.tokens) > 200_000
    assert "softmax" in decode(text.tokens)


def test_any_text_comes_back_from_its_tokens() -> None:
    assert decode(encode("试金石 a\n")[0]) == "试金石 a\n"
    assert decode(torch.tensor([0xFF, 0x41])) == "\ufffdA"


def test_the_curve_holds_the_losses_that_there_are() -> None:
    history = [{"step": n, "loss": 4.0 / n, "held_loss": 3.0 / n} for n in (1, 2)]
    told = curve(history)
    assert told.count("<polyline") == 2
    assert "held back 1.5000" in told
    told = curve([{"step": n, "loss": 4.0 / n} for n in (1, 2)])
    assert told.count("<polyline") == 1
    assert "<title>loss 2.0000</title>" in told


def run(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, list[dict[str, Any]]]:
    code = main(list(words))
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_the_program_trains_goes_on_and_samples(
    tmp_path: Path, text: Text, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = f"--folder={tmp_path}"
    shape = ["--steps=2", "--batch-size=2", "--context=16", "--width=16", "--depth=1"]
    shape += ["--heads=2", "--warm-up=0", "--save-every=1"]
    words = ["transformer", "train", f"--text={text.name}", folder, *shape]
    code, told = run(capsys, *words)
    assert code == 0
    assert [each["event"] for each in told if each["event"] != "step"] == [
        "begin", "measured", "measured", "end",
    ]  # fmt: skip
    # What is not given is as the checkpoint has it, the text, too.
    code, told = run(capsys, "transformer", "train", folder, "--resume")
    assert (code, told[0]["step"], told[0]["text"]) == (0, 2, text.name)
    code, told = run(capsys, "transformer", "train", folder, "--resume", "--width=32")
    assert (code, told[-1]["code"], told[-1]["values"]["name"]) == (2, "checkpoint_other", "width")
    words = ["transformer", "sample", folder, "--count=40", "--seed=1", "the "]
    code, told = run(capsys, *words)
    assert code == 0
    assert told[0]["text"].startswith("the ")
    assert len(encode(told[0]["text"])[0]) >= 44
    assert run(capsys, *words)[1] == told
    assert run(capsys, *words[:-2], "--seed=2", "the ")[1] != told


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["train", "--lr=-1"], "number"),
        (["train", "--text=/nowhere/at/all"], "unreadable"),
        (["sample", "a"], "checkpoint_missing"),
        (["sample", ""], "text_empty"),
        (["sample", "a", "--temperature=-1"], "number"),
        (["sample", "a", "--top-k=0"], "number"),
        (["sample", "a", "--count=0"], "number"),
        (["profile", "--chart=a.png", "--width=16", "--heads=2"], "choice"),
    ],
)
def test_the_program_says_why_it_refuses(
    words: list[str],
    code: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    status, told = run(capsys, "transformer", *words)
    assert (status, told[-1]["event"], told[-1]["code"]) == (2, "error", code)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("error", "event", "code"),
    [
        (distributed.RankLost("rank 1 says nothing"), "rank_lost", "rank_lost"),
        (distributed.Mismatch("all_reduce #3"), "error", "collectives_differ"),
        (distributed.Refusal("batch_large", came=3, wanted=2), "error", "batch_large"),
    ],
)
def test_any_rank_tells_what_ranks_have_come_to(
    error: Exception,
    event: str,
    code: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr(program, "train", fails)
    ended, (told,) = run(capsys, "transformer", "train", f"--folder={tmp_path}")
    assert (ended, told["event"], told["code"]) == (2, event, code)
    # With this the commands find the sentences in the language of their users.
    assert catalogue("distributed", "zh")[f"{told['section']}.{code}.message"]


def test_the_program_profiles(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chart = tmp_path / "chart.html"
    words = ["transformer", "profile", "--width=16", "--heads=2", "--context=16"]
    words += ["--batch-size=2", "--depth=2", "--levels=2", f"--chart={chart}", "--lang=zh"]
    code, (told,) = run(capsys, *words)
    assert code == 0
    names = {row["name"] for row in told["rows"]}
    assert {"", "stack", "stack.layers.0", "scores"} <= names
    assert "stack.layers.0.attention" not in names
    whole = told["rows"][0]
    assert whole["saved_bytes"] <= whole["peak_bytes"] <= told["training_peak_bytes"]
    assert "模块" in chart.read_text(encoding="utf-8")
    if not torch.cuda.is_available():
        assert told["cuda"] is None


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="GPU: there is none")
def test_a_profile_on_a_card_has_the_allocator_s_own_account(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chart = tmp_path / "chart.svg"
    code, (told,) = run(capsys, "transformer", "profile", "--depth=1", f"--chart={chart}")
    assert code == 0
    assert "Peak Usage" in told["cuda"]["summary"]
    assert os.path.getsize(told["cuda"]["snapshot"]) > 0


@pytest.mark.parametrize("kind", ["transformer", "diffusion"])
def test_a_training_waits_for_the_kernels(
    kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    monkeypatch.setattr(kernels, "load", lambda: calls.append("load"))
    for module in (program, program.diffusion):
        monkeypatch.setattr(module, "train", lambda *_, **__: calls.append("train") or iter(()))
    assert run(capsys, kind, "train", f"--folder={tmp_path}") == (0, [])
    assert calls == ["load", "train"]
