"""Checkpoints of a training: broken, damaged, of an earlier version, of another training."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.models.small import SMALL, events, files, make_text, stop_after, weights
from torchstone.distributed.checkpoint.format import read_index, write_index
from torchstone.models import training_checkpoint
from torchstone.models.refusal import Refusal
from torchstone.models.text import Text
from torchstone.models.training.loop import train
from torchstone.models.training.plan import build
from torchstone.models.training.restore import plan_to_go_on, restore

pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Text:
    return make_text(tmp_path_factory.mktemp("text"))


def test_a_checkpoint_whose_values_fit_nowhere_is_broken(tmp_path: Path, text: Text) -> None:
    plan = replace(SMALL, steps=2, folder=tmp_path)
    events(plan, text)
    step = plan.checkpoint / "step-00000002"
    written = read_index(step)
    for name, value in (("plan", {}), ("plan", None), ("history", 3), ("transformer", None)):
        changed = json.loads(json.dumps(written.values))
        held = changed if name == "transformer" else changed["transformer"]
        held[name] = value
        write_index(step, replace(written, values=changed))
        with pytest.raises(Refusal) as refused:
            events(plan_to_go_on({"folder": tmp_path}), text, resume=True)
        assert refused.value.code == "checkpoint_broken"
    (step / "index.json").write_text("{}")
    with pytest.raises(Refusal, match="not a checkpoint of this program"):
        restore(tmp_path)


def test_a_damaged_checkpoint_gives_way_to_the_one_before(tmp_path: Path, text: Text) -> None:
    plan = replace(SMALL, folder=tmp_path / "damaged")
    whole = replace(SMALL, folder=tmp_path / "whole")
    events(plan, text)
    events(whole, text)
    shard = plan.checkpoint / "step-00000006" / "rank-00000.safetensors"
    shard.write_bytes(shard.read_bytes()[:-1] + b"x")
    with pytest.warns(UserWarning, match="has changed since it was written"):
        begin, *_ = events(plan, text, resume=True)
    assert begin["step"] == 4
    for name, value in weights(whole).items():
        assert torch.equal(value, weights(plan)[name]), name


def test_a_checkpoint_of_an_earlier_version_is_sampled_and_not_trained_on(
    tmp_path: Path, text: Text
) -> None:
    plan = replace(SMALL, steps=2, folder=tmp_path)
    model = build(replace(plan, seed=5))
    before = plan.binding(text.digest)
    del before["micro_batch"], before["order"]
    state = {"model": model.state_dict(), "text": text.name}
    training_checkpoint.save(tmp_path / "checkpoint.pt", "transformer", before, state)
    found, its_plan = restore(tmp_path)
    assert its_plan.text == Path(text.name)
    for name, value in model.state_dict().items():
        assert torch.equal(value, found.state_dict()[name]), name
    for go_on in (
        lambda: plan_to_go_on({"folder": tmp_path}),
        lambda: events(plan, text, resume=True),
    ):
        with pytest.raises(Refusal) as refused:
            go_on()
        assert refused.value.code == "checkpoint_old"
    # One that begins anew is preferred to it.
    events(plan, text)
    assert torch.equal(restore(tmp_path)[0].scores.weight, weights(plan)["scores.weight"])
    assert not torch.equal(restore(tmp_path)[0].scores.weight, model.scores.weight)


@pytest.mark.full
def test_a_new_training_keeps_what_is_there_until_it_has_saved(tmp_path: Path, text: Text) -> None:
    plan = replace(SMALL, folder=tmp_path)
    events(plan, text)
    before = files(plan)
    running = train(replace(plan, seed=9), text)
    assert next(running)["was_there"]
    running.close()
    assert files(plan) == before
    # What it saves is not taken for older than what is there.
    stop_after(replace(plan, seed=9), text, 2)
    assert [each.name for each in plan.checkpoint.iterdir()] == ["step-00000002"]
    assert {each.name for each in tmp_path.iterdir()} == {"checkpoint", "loss.svg"}
