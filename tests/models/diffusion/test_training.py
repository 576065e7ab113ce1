"""A training falls, is resumed bit for bit, and refuses by name what it can't go on with."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
import torch
from torch.utils._pytree import tree_leaves, tree_structure

from torchstone.models import training_checkpoint
from torchstone.models.__main__ import main
from torchstone.models.diffusion import digits
from torchstone.models.diffusion.average import Average
from torchstone.models.diffusion.drawing import sample_to
from torchstone.models.diffusion.plan import KIND, Plan
from torchstone.models.diffusion.training import Event, plan_to_go_on, train
from torchstone.models.refusal import Refusal

pytestmark = [pytest.mark.torch, pytest.mark.full]

SMALL = {"batch_size": 16, "width": 16, "depth": 1, "heads": 2, "noise_steps": 20, "save_every": 3}


@pytest.fixture(autouse=True)
def hasty_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    """Judge at once: how well is tested elsewhere."""
    monkeypatch.setattr(digits, "JUDGE_STEPS", 10)


def plan(folder: Path, **named: Any) -> Plan:
    return Plan(**({"folder": folder, "steps": 6} | SMALL | named))


def run_until(event: str, count: int, plan: Plan, *, resume: bool = False) -> list[Event]:
    """Train until an event has come so often, and let it be interrupted there."""
    going, events = train(plan, resume=resume), []
    for each in going:
        events.append(each)
        if sum(one["event"] == event for one in events) == count:
            going.close()
    return events


def state_in(plan: Plan) -> dict[str, Any]:
    return training_checkpoint.load(plan.checkpoint, KIND)[1]


@pytest.mark.full
def test_the_loss_falls_and_what_happens_is_told(tmp_path: Path) -> None:
    whole = plan(tmp_path / "deep", steps=60, batch_size=32, lr=0.03, save_every=20)
    random = torch.get_rng_state()
    begin, *middle, end = train(whole)
    assert torch.equal(torch.get_rng_state(), random)
    assert begin == {
        "event": "begin", "parameters": begin["parameters"], "step": 0, "steps": 60,
        "checkpoint": str(whole.checkpoint), "was_there": False,
    }  # fmt: skip
    parameters = state_in(whole)["model"].values()
    assert begin["parameters"] == sum(each.numel() for each in parameters)
    saved = [each for each in middle if each["event"] == "measured"]
    assert [each["step"] for each in saved] == [20, 40, 60]
    assert saved[-1]["loss"] < 0.75 * saved[0]["loss"]
    assert {each["event"] for each in middle} <= {"step", "measured"}
    assert end["history"] == [
        {name: each[name] for name in ("step", "loss", "seconds")} for each in saved
    ]
    assert "held back" not in whole.curve.read_text("utf-8")
    assert 0 <= end["recognised"] <= 1
    assert whole.picture.read_bytes().startswith(b"\x89PNG")
    assert end["picture"] == str(whole.picture)
    assert json.loads(json.dumps([begin, *middle, end])) == [begin, *middle, end]
    assert sorted(each.name for each in whole.folder.iterdir()) == [
        "checkpoint.pt", "loss.svg", "samples.png",
    ]  # fmt: skip

    told = sample_to(whole.checkpoint, tmp_path / "a.png", labels=[3, 3], num_steps=4, seed=1)
    assert told["count"] == 2
    assert told["recognised"] in (0.0, 0.5, 1.0)
    sample_to(whole.checkpoint, tmp_path / "b.png", labels=[3, 3], num_steps=4, seed=1)
    any_digit = sample_to(whole.checkpoint, tmp_path / "c.png", labels=[3, 10], num_steps=4, seed=1)
    assert any_digit["recognised"] is None
    one, same, other = ((tmp_path / f"{name}.png").read_bytes() for name in "abc")
    assert one == same != other


def test_it_is_resumed_bit_for_bit(tmp_path: Path) -> None:
    at_once, parts = plan(tmp_path / "once"), plan(tmp_path / "parts")
    run_until("measured", 2, at_once)
    run_until("measured", 1, parts)
    assert state_in(parts)["done"] == 3
    # The steps may grow, and how often it is saved may change.
    longer = plan(parts.folder, save_every=2, steps=6)
    events = run_until("measured", 2, longer, resume=True)
    assert (events[0]["step"], events[0]["was_there"]) == (3, True)
    assert [each["step"] for each in events if each["event"] == "measured"] == [4, 6]
    begin, end = train(longer, resume=True)
    assert (begin["step"], end["event"]) == (6, "end")
    assert [each["step"] for each in end["history"]] == [3, 4, 6]
    wanted, found = state_in(at_once), state_in(parts)
    # The mean losses are those of other steps.
    del wanted["history"], found["history"]
    assert tree_structure(found) == tree_structure(wanted)
    for one, other in zip(tree_leaves(found), tree_leaves(wanted), strict=True):
        assert torch.equal(one, other) if isinstance(one, torch.Tensor) else one == other


def test_without_resume_it_begins_anew_and_replaces(tmp_path: Path) -> None:
    run_until("measured", 2, plan(tmp_path))
    events = run_until("measured", 1, plan(tmp_path, seed=1))
    assert (events[0]["step"], events[0]["was_there"]) == (0, True)
    assert state_in(plan(tmp_path))["done"] == 3


def refused(plan: Plan, **values: Any) -> str:
    """Train on, and give why it is refused; the checkpoint stays as it was."""
    before = plan.checkpoint.read_bytes()
    with pytest.raises(Refusal) as error:
        next(train(plan, resume=True))
    assert plan.checkpoint.read_bytes() == before
    assert values.items() <= error.value.values.items()
    return error.value.code


def test_another_plan_is_refused(tmp_path: Path) -> None:
    run_until("measured", 2, plan(tmp_path))
    assert refused(plan(tmp_path, lr=1.0), name="lr", wanted=1.0) == "checkpoint_other"
    assert refused(plan(tmp_path, width=32), name="width") == "checkpoint_other"
    assert refused(plan(tmp_path, steps=5), name="steps", before=6) == "checkpoint_other"


def test_a_broken_checkpoint_is_refused(tmp_path: Path) -> None:
    small = plan(tmp_path)
    run_until("measured", 1, small)
    whole, state = small.checkpoint.read_bytes(), state_in(small)
    small.checkpoint.write_bytes(whole[:-20])
    assert refused(small) == "checkpoint_broken"
    with pytest.raises(Refusal, match="not a checkpoint of this program"):
        sample_to(small.checkpoint, tmp_path / "a.png")
    for name in state.keys() - {"steps"}:
        training_checkpoint.save(small.checkpoint, KIND, small.terms, state | {name: {}})
        assert refused(small) == "checkpoint_broken", name
    training_checkpoint.save(small.checkpoint, KIND, small.terms, state | {"done": 2})
    assert refused(small) == "checkpoint_broken"
    hollow = state["average"] | {"parameters": {}}
    training_checkpoint.save(small.checkpoint, KIND, small.terms, state | {"average": hollow})
    assert refused(small) == "checkpoint_broken"


def test_what_is_not_asked_for_is_as_before(tmp_path: Path) -> None:
    before = plan(tmp_path, lr=0.01)
    assert plan_to_go_on({"folder": tmp_path, "depth": 2}) == Plan(folder=tmp_path, depth=2)
    run_until("measured", 1, before)
    found = plan_to_go_on({"folder": tmp_path, "steps": 9})
    assert found == plan(tmp_path, lr=0.01, steps=9, save_every=Plan().save_every)
    terms, state = training_checkpoint.load(before.checkpoint, KIND)
    del state["steps"]
    training_checkpoint.save(before.checkpoint, KIND, terms, state)
    with pytest.raises(Refusal, match="not a checkpoint of this program"):
        plan_to_go_on({"folder": tmp_path})


def diverges(plan: Plan) -> int:
    """Train anew until it is refused, and give the step; the checkpoint stays as it was."""
    before = plan.checkpoint.read_bytes()
    with pytest.raises(Refusal) as error:
        list(train(plan))
    assert plan.checkpoint.read_bytes() == before
    assert error.value.code == "diverged"
    return int(str(error.value.values["step"]))


def test_a_training_that_diverges_leaves_the_last_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_until("measured", 1, plan(tmp_path))
    assert diverges(plan(tmp_path, lr=1e30)) == 2

    def spoil(average: Average) -> None:
        next(iter(average._parameters.values())).data.fill_(math.inf)

    # What the last step before a checkpoint does to the weights shows in no loss yet.
    monkeypatch.setattr(Average, "update", spoil)
    assert diverges(plan(tmp_path, save_every=1)) == 1


def test_weights_are_those_of_the_seed(tmp_path: Path) -> None:
    first = plan(tmp_path).make_model().state_dict()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(7)
        again = plan(tmp_path).make_model().state_dict()
    other = plan(tmp_path, seed=1).make_model().state_dict()
    assert all(torch.equal(first[name], again[name]) for name in first)
    assert not torch.equal(first["labels.weight"], other["labels.weight"])


def test_a_checkpoint_that_can_t_be_written_is_named(tmp_path: Path) -> None:
    plan(tmp_path).checkpoint.mkdir()
    with pytest.raises(Refusal) as error:
        list(train(plan(tmp_path)))
    assert error.value.code == "unwritable"


@pytest.mark.parametrize(
    ("name", "came"),
    [
        ("steps", 0), ("batch_size", 0), ("lr", 0.0), ("lr", math.nan), ("lr", 1e31),
        ("seed", -1), ("seed", 2**63), ("noise_steps", 0), ("width", 6), ("width", 0), ("depth", 0),
        ("heads", 0), ("heads", 3), ("label_drop", 1.0), ("label_drop", -0.1),
        ("ema_decay", 1.0), ("save_every", 0),
    ],
)  # fmt: skip
def test_a_number_out_of_range_is_refused(tmp_path: Path, name: str, came: float) -> None:
    with pytest.raises(Refusal) as error:
        plan(tmp_path, **{name: came})
    assert (error.value.code, error.value.values["name"]) == ("number", name)


@pytest.mark.parametrize(("name", "known"), [("schedule", "linear"), ("prediction", "epsilon")])
def test_a_choice_that_there_is_not_is_refused(tmp_path: Path, name: str, known: str) -> None:
    with pytest.raises(Refusal, match=f"{name} is none; expected .*{known}"):
        plan(tmp_path, **{name: "none"})


@pytest.mark.parametrize(
    ("name", "came"),
    [
        ("labels", []), ("labels", [11]), ("labels", [-1]), ("scale", math.nan),
        ("num_steps", 0), ("num_steps", 21), ("eta", 1.5), ("eta", math.nan), ("seed", -1),
    ],
)  # fmt: skip
def test_what_can_t_be_drawn_is_refused(tmp_path: Path, name: str, came: Any) -> None:
    small = plan(tmp_path)
    run_until("measured", 1, small)
    with pytest.raises(Refusal) as error:
        sample_to(small.checkpoint, tmp_path / "a.png", **{name: came})
    assert (error.value.code, error.value.values["name"]) == ("number", name)
    assert not (tmp_path / "a.png").exists()


def test_a_picture_that_can_t_be_written_is_named(tmp_path: Path) -> None:
    small = plan(tmp_path)
    run_until("measured", 1, small)
    with pytest.raises(Refusal) as error:
        sample_to(small.checkpoint, tmp_path, labels=[1], num_steps=1)
    assert error.value.code == "unwritable"
    with pytest.raises(Refusal) as error:
        sample_to(tmp_path / "none.pt", tmp_path / "a.png")
    assert error.value.code == "checkpoint_missing"


@pytest.mark.full
def test_the_program_trains_and_draws(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def run(*words: str) -> tuple[int, list[Event]]:
        code = main(["diffusion", *words, f"--folder={tmp_path}"])
        return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    small = [f"--{name.replace('_', '-')}={value}" for name, value in SMALL.items()]
    code, events = run("train", "--steps=3", *small)
    assert (code, events[0]["event"], events[-1]["event"]) == (0, "begin", "end")
    code, events = run("train", "--resume")
    assert (code, events[0]["step"], len(events[-1]["history"])) == (0, 3, 1)
    code, (drawn,) = run("sample", "--digits=3x", "--num-steps=2")
    assert (code, drawn["count"], drawn["recognised"]) == (0, 2, None)
    assert drawn["picture"] == str(tmp_path / "drawn.png")
    for asked in ("", "3y"):
        code, (error,) = run("sample", f"--digits={asked}")
        assert (code, error["code"], error["values"]["name"]) == (2, "choice", "digits")
    code, (error,) = run("train", "--prediction=noise")
    assert (code, error["code"]) == (2, "choice")
