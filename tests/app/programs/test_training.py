"""A training runs in a process of its own, and whatever that does ends in an event or an error."""

import contextlib
import json
import os
import stat
import string
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from torchstone.app.programs.training import (
    BatchDone,
    Begun,
    Ended,
    EpochDone,
    Measured,
    TrainingPlan,
    train,
)
from torchstone.core import child
from torchstone.core.errors import BadInput, TorchstoneError
from torchstone.core.i18n import LANGS, catalogue
from torchstone.microtorch.training.refusal import SENTENCES

pytestmark = pytest.mark.plain

BEGIN = {"event": "begin", "model": "mlp", "data": "digits", "train": 2, "test": 1, "done": 0,
         "parameters": 3, "epochs": 2, "checkpoint": "c", "was_there": False}  # fmt: skip
BATCH = {"event": "batch", "epoch": 1, "epochs": 2, "batch": 3, "batches": 4, "loss": 0.5}
Pretend = Callable[..., None]


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Put a shell script in the place of Python; it may say events first."""

    def write(script: str, *events: dict[str, Any]) -> None:
        path = tmp_path / "python"
        said = "".join(f"echo '{json.dumps(each)}'\n" for each in events)
        path.write_text(f"#!/bin/sh\n{said}{script}\n")
        path.chmod(stat.S_IRWXU)
        monkeypatch.setattr(sys, "executable", str(path))

    return write


def error_of(plan: TrainingPlan) -> TorchstoneError:
    with pytest.raises(TorchstoneError) as caught:
        list(train(plan))
    return caught.value


def test_a_training_is_followed_from_its_beginning_to_its_end(tmp_path: Path) -> None:
    plan = TrainingPlan(model="cnn", epochs=2, batch_size=200, lr=0.01, seed=5, out=tmp_path)
    begun, *between, ended = train(plan)
    assert isinstance(begun, Begun)
    assert (begun.model, begun.data, begun.done, begun.epochs) == ("cnn", "digits", 0, 2)
    epochs = [each for each in between if isinstance(each, EpochDone)]
    assert [each.epoch for each in epochs] == [1, 2]
    assert isinstance(ended, Ended)
    assert ended.history == [
        Measured(loss=each.loss, accuracy=each.accuracy, seconds=each.seconds) for each in epochs
    ]
    assert Path(ended.checkpoint).parent == Path(ended.curve).parent == tmp_path
    again = next(iter(train(TrainingPlan(model="cnn", batch_size=200, lr=0.01, seed=5,
                                         epochs=2, out=tmp_path, resume=True))))  # fmt: skip
    assert isinstance(again, Begun)
    assert (again.done, again.was_there) == (2, True)


def test_what_is_not_given_is_as_the_program_has_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with contextlib.closing(train(TrainingPlan())) as events:
        begun = next(events)
    assert isinstance(begun, Begun)
    assert (begun.model, begun.epochs) == ("mlp", 10)


def test_a_module_in_the_folder_one_is_in_is_not_imported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "numpy.py").write_text("raise SystemExit('not the NumPy you want')")
    monkeypatch.chdir(tmp_path)
    assert isinstance(list(train(TrainingPlan(epochs=1)))[-1], Ended)


@pytest.mark.parametrize(
    ("plan", "code"),
    [
        (TrainingPlan(model="perceptron"), "app.training.model_unknown"),
        (TrainingPlan(model="--help"), "app.training.model_unknown"),
        (TrainingPlan(data=Path("--absent")), "app.training.data_missing"),
        (TrainingPlan(epochs=-1), "app.training.number"),
        (TrainingPlan(batch_size=0), "app.training.number"),
        (TrainingPlan(lr=float("nan")), "app.training.number"),
        (TrainingPlan(seed=-1), "app.training.number"),
        (TrainingPlan(lr=1e300), "app.training.diverged"),
        (TrainingPlan(out=Path("file")), "app.training.unwritable"),
    ],
)
def test_what_the_program_refuses_is_misuse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan: TrainingPlan, code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    error = error_of(plan)
    assert isinstance(error, BadInput)
    assert error.code == code
    assert len({error.message(lang) for lang in LANGS}) == 2


@pytest.mark.parametrize("code", SENTENCES)
@pytest.mark.parametrize("lang", LANGS)
def test_every_refusal_of_the_program_can_be_said_with_its_values(code: str, lang: Any) -> None:
    spoken = catalogue("app", lang)[f"app.training.{code}.message"]
    assert f"app.training.{code}.hint" in catalogue("app", lang)
    assert fields(spoken) == fields(SENTENCES[code])


def fields(sentence: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field}


def test_a_refusal_that_nobody_knows_is_ours_and_said_as_it_came(pretend: Pretend) -> None:
    pretend("", {"event": "error", "code": "new", "message": "no moon", "values": {}})
    error = error_of(TrainingPlan())
    assert (error.code, error.exit_code) == ("app.training.unknown", 3)
    assert "no moon" in error.message("en")


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("echo first >&2; echo Killed by a cow >&2; exit 7", ("7", "Killed by a cow")),
        ("kill -9 $$", ("-9",)),
        ("exit 0", ("0",)),
        # More than a pipe holds: a program that nobody listens to would wait for ever.
        ("yes | head -c 300000 >&2; echo at last >&2", ("0", "at last")),
    ],
)
def test_a_program_that_dies_is_told_with_its_last_words(
    pretend: Pretend, script: str, words: tuple[str, ...]
) -> None:
    pretend(script, BEGIN)
    error = error_of(TrainingPlan())
    assert (error.code, error.exit_code) == ("app.training.died", 3)
    assert all(each in error.message("en") for each in words)
    assert "first" not in error.message("en")


@pytest.mark.parametrize(
    "line",
    ["Segmentation fault", "[1]", "null", '{"event": "moon"}', '{"event": "begin"}',
     '{"event": "batch", "epoch": "one"}', '{"event": 1}', "{", r"\303\050"],
)  # fmt: skip
def test_a_line_that_is_no_event_is_told_and_ends_the_program(
    pretend: Pretend, tmp_path: Path, line: str
) -> None:
    pretend(f"echo $$ >{tmp_path}/pid; printf '{line}\\n'; exec sleep 1000", BEGIN)
    assert error_of(TrainingPlan()).code == "app.training.garbled"
    assert_is_gone(tmp_path / "pid")


@pytest.mark.parametrize("how", ["close", "interrupt"])
@pytest.mark.parametrize("listens", [True, False])
def test_a_training_that_is_left_is_ended(
    pretend: Pretend, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str, listens: bool
) -> None:
    monkeypatch.setattr(child, "END_SECONDS", 0.2 if not listens else 60.0)
    trap = "trap 'touch told; exit' TERM" if listens else "trap '' TERM"
    # The batch is told when everything before it is done.
    said = f"echo $$ >pid; {trap}; echo '{json.dumps(BATCH)}'; while :; do sleep 0.02; done"
    monkeypatch.chdir(tmp_path)
    pretend(said, BEGIN)
    events = train(TrainingPlan())
    assert isinstance(next(events), Begun)
    assert isinstance(next(events), BatchDone)
    if how == "close":
        events.close()
    else:
        with pytest.raises(KeyboardInterrupt):
            events.throw(KeyboardInterrupt())
    assert_is_gone(tmp_path / "pid")
    assert (tmp_path / "told").exists() == listens


def assert_is_gone(pid: Path) -> None:
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)
