"""The program tells all in lines of JSON, and ends in order however it is ended."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from torchstone.core.event_program import INTERRUPTED
from torchstone.microtorch.__main__ import main
from torchstone.microtorch.serialization import load
from torchstone.microtorch.training.refusal import SENTENCES

pytestmark = pytest.mark.plain

COMMAND = [sys.executable, "-m", "torchstone.microtorch", "train"]


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, list[dict[str, Any]]]:
    code = main(["train", *map(str, arguments)])
    return code, [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def test_each_line_is_an_event(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, events = run(capsys, "--epochs", 2, "--out", tmp_path)
    assert code == 0
    # How often the progress is told in between depends on the machine.
    kinds = [each["event"] for each in events if each["event"] != "batch"]
    assert kinds == ["begin", "epoch", "epoch", "end"]
    assert events[0]["data"] == "digits"
    assert len(load(events[-1]["checkpoint"])["history"]) == 2
    assert Path(events[-1]["curve"]).is_file()


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--data", "absent"], "data_missing"),
        (["--data", ""], "data_missing"),
        (["--synthetic", 0], "number"),
        (["--lr", "nan"], "number"),
        (["--lr=1e300"], "diverged"),
        (["perceptron"], "model_unknown"),
    ],
)
def test_a_refusal_is_the_last_event_with_its_code_and_values(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[object],
    code: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    status, events = run(capsys, *arguments)
    assert (status, events[-1]["event"], events[-1]["code"]) == (2, "error", code)
    assert SENTENCES[code].format_map(events[-1]["values"]) == events[-1]["message"]


def test_what_is_written_goes_below_the_folder_one_is_in(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    _, events = run(capsys, "cnn", "--epochs", 1)
    assert (tmp_path / "runs/microtorch/cnn/checkpoint.safetensors").samefile(
        events[-1]["checkpoint"]
    )


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_a_whole_checkpoint_and_no_traceback(
    tmp_path: Path, sent: signal.Signals
) -> None:
    command = [*COMMAND, "--epochs", "1000000", "--out", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if json.loads(line)["event"] == "epoch":
                process.send_signal(sent)
                break
        _, errors = process.communicate()
    assert (process.returncode, errors) == (INTERRUPTED, b"")
    assert load(tmp_path / "checkpoint.safetensors")["history"]
    assert not list(tmp_path.glob("*.part"))


def test_a_reader_that_hangs_up_ends_it_quietly(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [*COMMAND, "--epochs", "1000000", "--out", str(tmp_path)]
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_path_that_is_no_text_is_told(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path) + b"/\xff"
    command = [*map(os.fsencode, COMMAND), b"--epochs=1", b"--out=" + folder]
    done = subprocess.run(command, capture_output=True, check=True)
    assert os.fsencode(json.loads(done.stdout.splitlines()[-1])["curve"]) == folder + b"/loss.svg"
