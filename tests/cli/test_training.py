"""Training at a terminal: a line for every epoch, one JSON object, an end that is understood."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from torchstone.app.programs import training
from torchstone.app.programs.training import Begun, TrainingEvent, TrainingPlan

pytestmark = pytest.mark.plain

TRAIN = ("microtorch", "train")
BEGIN = {"event": "begin", "model": "mlp", "data": "digits", "train": 2, "test": 1, "done": 0,
         "parameters": 3, "epochs": 2, "checkpoint": "c", "was_there": False}  # fmt: skip
BATCH = {"event": "batch", "epoch": 1, "epochs": 2, "batch": 3, "batches": 40, "loss": 0.5}
EPOCH = {"event": "epoch", "epoch": 1, "epochs": 1, "loss": 0.5, "accuracy": 1.0, "seconds": 9.0}
END = {"event": "end", "accuracy": 1.0, "history": [], "checkpoint": "c", "curve": "v"}
Pretend = Callable[..., None]


def test_each_epoch_has_a_line_and_the_end_says_where_everything_lies(
    run: Run, tmp_path: Path
) -> None:
    done = run(*TRAIN, "--epochs", 3, "--out", tmp_path)
    assert (done.code, done.err) == (0, "")
    lines = [line for line in done.out.splitlines() if re.match(r" +\d/3 ", line)]
    assert [line.split()[0] for line in lines] == ["1/3", "2/3", "3/3"]
    assert all("loss" in line and "accuracy" in line for line in lines)
    assert max(map(len, done.out.splitlines()[1:5])) <= 78
    for name in ("checkpoint.safetensors", "loss.svg"):
        assert f"{tmp_path / name}\n" in done.out
        assert (tmp_path / name).is_file()


def test_chinese_says_the_same_numbers(run: Run, tmp_path: Path) -> None:
    first = run(*TRAIN, "--epochs", 1, "--out", tmp_path).out
    again = run(*TRAIN, "--epochs", 1, "--out", tmp_path, "--lang", "zh").out
    assert "准确率" in again
    assert re.findall(r"[\d.]+%", first) == re.findall(r"[\d.]+%", again)


def test_json_is_one_object_with_the_whole_history(run: Run, tmp_path: Path) -> None:
    run(*TRAIN, "cnn", "--epochs", 1, "--out", tmp_path)
    done = run(*TRAIN, "cnn", "--epochs", 2, "--out", tmp_path, "--resume", "--json")
    answer = done.json
    require_listed("microtorch train", answer)
    assert (answer["ok"], answer["model"], answer["epochs"]) == (True, "cnn", 2)
    assert len(answer["history"]) == 2
    assert answer["history"][-1]["accuracy"] == answer["accuracy"]
    assert sorted(answer["history"][0]) == ["accuracy", "loss", "seconds"]


def test_what_a_checkpoint_means_for_this_training_is_said(run: Run, tmp_path: Path) -> None:
    here = ("--out", tmp_path)
    assert "the training starts from epoch 1" in run(*TRAIN, "--epochs", 1, "--resume", *here).err
    assert "after epoch 1" in run(*TRAIN, "--epochs", 2, "--resume", *here).err
    assert "2 epochs are done already" in run(*TRAIN, "--epochs", 1, "--resume", *here).err
    assert "replaces it" in run(*TRAIN, "--epochs", 1, *here).err


@pytest.mark.full
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--data", "absent"], "app.training.data_missing"),
        (["--lr", "nan"], "app.training.number"),
        (["--epochs", "0"], "app.training.number"),
        (["--batch-size", "-3"], "app.training.number"),
        (["--lr", "1e300"], "app.training.diverged"),
        (["perceptron"], "app.training.model_unknown"),
        (["--epochs", "many"], "cli.value_unusable"),
    ],
)
def test_misuse_ends_with_2_in_both_languages(
    run: Run, tmp_path: Path, arguments: list[str], code: str
) -> None:
    for lang in ("en", "zh"):
        done = run(*TRAIN, *arguments, "--out", tmp_path / "out", "--json", "--lang", lang)
        assert (done.code, done.json["code"]) == (2, code)
    plain = run(*TRAIN, *arguments, "--out", tmp_path / "out")
    assert plain.code == 2
    assert plain.err.startswith("Error: ")


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Put a shell script that says events in the place of Python."""

    def write(*events: dict[str, Any]) -> None:
        python = tmp_path / "python"
        said = "".join(f"echo '{json.dumps(each)}'\n" for each in events)
        python.write_text(f"#!/bin/sh\n{said}")
        python.chmod(stat.S_IRWXU)
        monkeypatch.setattr(sys, "executable", str(python))

    return write


def test_a_person_who_watches_sees_how_far_an_epoch_is(
    run: Run, pretend: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(BEGIN, BATCH, EPOCH, END)
    assert run(*TRAIN).err == ""
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    erase = "\r\x1b[K"
    # The live line is gone before anything else is written.
    live = ("Reading the images", "", "epoch 1 of 2: batch 3 of 40, loss 0.5000", "", "")
    assert run(*TRAIN).err == "".join(erase + each for each in live)


@pytest.mark.parametrize(
    ("done", "words"), [(3, "3 epochs are saved in c"), (0, "nothing is saved")]
)
def test_an_interruption_says_what_is_left(
    run: Run, monkeypatch: pytest.MonkeyPatch, done: int, words: str
) -> None:
    def begin_and_stop(plan: TrainingPlan) -> Iterator[TrainingEvent]:
        yield msgspec.convert({**BEGIN, "done": done}, Begun)
        raise KeyboardInterrupt

    monkeypatch.setattr(training, "train", begin_and_stop)
    ended = run(*TRAIN)
    assert ended.code == 1
    assert words in ended.err


def test_ctrl_c_ends_with_1_and_keeps_what_is_done(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "torchstone", *TRAIN, "--epochs", "1000000"]
    process = subprocess.Popen(
        [*command, "--out", str(tmp_path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        assert process.stdout is not None
        for line in process.stdout:
            if re.match(r" +2/", line):
                # As a terminal does: to the command and to the process that trains.
                os.killpg(process.pid, signal.SIGINT)
                break
        out, err = process.communicate()
    assert process.returncode == 1
    assert "--resume continues from there" in err
    assert "Traceback" not in err + out
    assert (tmp_path / "checkpoint.safetensors").is_file()


def test_the_command_itself_computes_nothing(tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from torchstone.cli.main import main\n"
        f"assert main(['microtorch', 'train', '--epochs', '1', '--out', {str(tmp_path)!r}]) == 0\n"
        "heavy = {'numpy', 'torch', 'torchstone.microtorch', 'sqlalchemy', 'torchstone.bank'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"
