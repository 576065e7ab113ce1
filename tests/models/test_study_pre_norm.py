"""The study of where the norm stands: its language, its measures, and the effect it claims."""

import json
import math
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
import torch

from torchstone.models.studies import pre_norm
from torchstone.models.studies.pre_norm import LANGUAGE, Language, Plan, build_model

pytestmark = [pytest.mark.torch, pytest.mark.full]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def short() -> dict[str, Any]:
    """Do the short form once, on one thread as the program does."""
    num_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return pre_norm.study(pre_norm.SHORT)
    finally:
        torch.set_num_threads(num_threads)


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_a_token_follows_from_the_one_before_the_last() -> None:
    text = Language(noise=0.0).draw(200, 12, generator())
    for token in range(LANGUAGE.num_tokens):
        assert len(text[:, 2:][text[:, :-2] == token].unique()) == 1
    # What comes right before says nothing: all tokens follow each.
    assert len(text[:, 1:][text[:, :-1] == 0].unique()) == LANGUAGE.num_tokens


def test_the_losses_of_the_language_are_those_of_its_counts() -> None:
    text = LANGUAGE.draw(2000, 32, generator())
    counts = torch.zeros(16, 16, dtype=torch.float64)
    ones = torch.ones(text[:, 2:].numel(), dtype=torch.float64)
    counts.index_put_((text[:, :-2].flatten(), text[:, 2:].flatten()), ones, accumulate=True)
    frequencies, follows = counts.sum(0) / counts.sum(), counts / counts.sum(1, keepdim=True)
    unigram = -frequencies @ frequencies.log()
    least = -(counts * follows.log()).sum() / counts.sum()
    assert abs(unigram - LANGUAGE.unigram_loss) < 1e-3
    assert abs(least - LANGUAGE.least_loss) < 1e-2
    assert Language(noise=0.0).least_loss == 0
    assert math.isclose(Language(noise=1.0).least_loss, math.log(16))


def test_both_kinds_begin_with_the_same_weights() -> None:
    post, pre = (build_model(2, is_pre_norm=kind, seed=3).state_dict() for kind in (False, True))
    assert pre.keys() - post.keys() == {"stack.norm.weight", "stack.norm.bias"}
    assert all(torch.equal(post[name], pre[name]) for name in post)
    other = build_model(2, is_pre_norm=False, seed=4).state_dict()
    assert not torch.equal(post["tokens.weight"], other["tokens.weight"])


def test_the_stream_ends_where_the_scores_begin() -> None:
    model = build_model(2, is_pre_norm=True, seed=0)
    text = LANGUAGE.draw(3, 8, generator())
    stream = pre_norm.stream_of(model, text)
    assert len(stream) == 3
    assert model.stack.norm is not None
    torch.testing.assert_close(model.scores(model.stack.norm(stream[-1])), model(text))


def test_a_gradient_is_that_of_backward() -> None:
    found = pre_norm.measure_gradients(2, is_pre_norm=False, num_seeds=1)
    model = build_model(2, is_pre_norm=False, seed=0)
    text = LANGUAGE.draw(pre_norm.NUM_GRADIENT_TEXTS, pre_norm.NUM_PLACES, generator())
    pre_norm.loss_of(model, text).backward()
    want = [layer.feed_forward.down.weight.grad.norm().item() for layer in model.stack.layers]
    assert found.norms == pytest.approx(want, abs=1e-4)


@pytest.mark.full
def test_the_last_gradient_of_pre_norm_is_smaller_by_the_size_of_the_stream(
    short: dict[str, Any],
) -> None:
    post, pre = (
        [each for each in short["gradients"] if each["is_pre_norm"] is kind]
        for kind in (False, True)
    )
    assert post[1]["sizes"] == pytest.approx([1.0] * 6, abs=1e-3)
    assert post[1]["norms"][-1] > post[0]["norms"][-1]
    assert pre[1]["norms"][-1] < pre[0]["norms"][-1]
    # The stream grows as the root of the depth, and the last norm divides the gradient by it.
    for theirs, ours in zip(post, pre, strict=True):
        quotient = theirs["norms"][-1] / ours["norms"][-1]
        assert quotient == pytest.approx(ours["sizes"][-1], rel=0.2)
    assert pre[1]["sizes"][-1] > 1.3 * pre[0]["sizes"][-1]


def test_what_is_learned_is_told_from_chance() -> None:
    unigram, least = LANGUAGE.unigram_loss, LANGUAGE.least_loss
    assert all(map(pre_norm.has_failed, (math.nan, math.inf, unigram, unigram - 0.01)))
    assert not pre_norm.has_failed(0.8 * unigram + 0.2 * least)


def test_places_that_are_alike_have_no_spread() -> None:
    model = build_model(1, is_pre_norm=True, seed=0)
    text = LANGUAGE.draw(4, 16, generator())
    assert pre_norm.spread_of(model, text) > 0.3
    model.position = None
    with torch.no_grad():
        model.tokens.weight.copy_(model.tokens.weight[:1].expand(16, -1))
    assert pre_norm.spread_of(model, text) < 1e-5


def test_a_loss_that_is_not_finite_ends_a_training_that_failed() -> None:
    run = pre_norm.train(1, is_pre_norm=True, lr=math.inf, warmup=0, seed=0, num_steps=20)
    assert (run.is_finite, run.has_failed, run.losses) == (False, True, [])
    plan = {"depths": [1], "lrs": [math.inf], "warmups": [0]}
    table = pre_norm.table_of({"plan": plan, "gradients": [], "runs": [asdict(run)] * 2})
    assert table.splitlines()[-1].endswith("2/2 (-)")


def test_warm_up_shortens_the_first_steps_alone() -> None:
    def losses(warmup: int) -> list[float]:
        run = pre_norm.train(1, is_pre_norm=True, lr=4e-3, warmup=warmup, seed=0, num_steps=10)
        return run.losses

    assert losses(0) == losses(1)
    # The shorter the steps, the less is learned in as many of them.
    assert losses(0)[-1] < losses(20)[-1] < losses(1000)[-1]


def test_post_norm_fails_where_pre_norm_learns(short: dict[str, Any]) -> None:
    post, pre = short["runs"]
    assert (post["is_pre_norm"], pre["is_pre_norm"]) == (False, True)
    assert (post["has_failed"], pre["has_failed"]) == (True, False)
    # The failure is no explosion: all places have become alike.
    assert post["is_finite"]
    assert post["spread"] < 1e-2 < 0.3 < pre["spread"]


def test_results_are_written_and_told_as_a_table(
    short: dict[str, Any],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[Plan] = []
    monkeypatch.setattr(pre_norm, "study", lambda plan: asked.append(plan) or short)
    path = tmp_path / "found.json"
    assert pre_norm.main(["--short", "--json", str(path)]) == 0
    assert asked == [pre_norm.SHORT]
    written = json.loads(path.read_text(encoding="utf-8"))
    host = written.pop("machine")
    assert host["num_threads"] == 1
    assert host["instruction_set"] == torch.backends.cpu.get_cpu_capability()
    assert written == json.loads(json.dumps(short))
    lines = capsys.readouterr().out.splitlines()
    assert f"instruction set {host['instruction_set']}, " in lines[0]
    assert [line.split()[0] for line in lines[-2:]] == ["post-norm", "pre-norm"]
    assert ["1/1" in line for line in lines[-2:]] == [True, False]


@pytest.mark.parametrize("name", ["none/found.json", "."])
def test_what_cannot_be_written_is_refused_before_the_work(tmp_path: Path, name: str) -> None:
    with pytest.raises(SystemExit, match="2"):
        pre_norm.main(["--json", str(tmp_path / name)])


@pytest.mark.parametrize("num_steps", [0, 5, 11])
def test_steps_that_are_no_whole_windows_are_refused(num_steps: int) -> None:
    with pytest.raises(ValueError, match="a multiple of 10"):
        pre_norm.train(1, is_pre_norm=True, lr=1e-3, warmup=0, seed=0, num_steps=num_steps)


def test_the_results_that_are_kept_are_those_of_the_whole_plan() -> None:
    path = ROOT / "benchmarks" / "studies" / "pre_norm.json"
    kept = json.loads(path.read_text(encoding="utf-8"))
    plan = json.loads(json.dumps(asdict(pre_norm.LONG)))
    assert {name: kept["plan"][name] for name in plan} == plan
    cells = 2 * len(plan["depths"]) * len(plan["lrs"]) * len(plan["warmups"]) * len(plan["seeds"])
    assert len(kept["runs"]) == cells
    for run in kept["runs"]:
        learned = run["is_finite"] and not pre_norm.has_failed(run["losses"][-1])
        assert run["has_failed"] is not learned


def test_the_figures_are_what_the_results_draw() -> None:
    command = [sys.executable, ROOT / "tools" / "pre_norm_figures.py", "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")
