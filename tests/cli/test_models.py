"""The commands of the models: trained, gone on with, measured, refused; in words and as JSON."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from torchstone.app.programs import models
from torchstone.core.i18n import LANGS, catalogue
from torchstone.models.refusal import SENTENCES

pytestmark = [pytest.mark.torch, pytest.mark.full]

SMALL = ("--width=16", "--heads=2", "--depth=1", "--context=16", "--batch-size=2")
TRAIN = ("transformer", "train", *SMALL, "--warm-up=0", "--steps=2", "--save-every=1")


@pytest.fixture(scope="module")
def text(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("text") / "text.txt"
    path.write_text("the cat sat on the mat. " * 20, encoding="utf-8")
    return path


def test_a_model_is_trained_gone_on_with_and_writes(run: Run, tmp_path: Path, text: Path) -> None:
    here = ("--out", tmp_path)
    done = run(*TRAIN, "--text", text, *here)
    assert (done.code, done.err) == (0, "")
    lines = [line for line in done.out.splitlines() if re.match(r" +\d/2 ", line)]
    assert [line.split()[0] for line in lines] == ["1/2", "2/2"]
    assert all("held out" in line and "tokens/s" in line for line in lines)
    assert f"{tmp_path / 'checkpoint'}\n" in done.out
    assert f"{tmp_path / 'loss.svg'}\n" in done.out
    again = run("transformer", "train", "--resume", *here, "--json", "--lang", "zh")
    assert "从第 2 步之后继续" in again.err
    require_listed("transformer train", again.json)
    assert [each["step"] for each in again.json["history"]] == [1, 2]
    told = run("transformer", "sample", "--count", 8, *here, "the ")
    assert told.out.startswith("the ")
    assert "replaces it" in run(*TRAIN, "--text", text, *here).err


def test_what_is_written_is_one_object(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told = models.Sampled(text="the cat")
    monkeypatch.setattr(models, "sample", lambda *_: told)
    answer = run("transformer", "sample", "the ", "--json").json
    require_listed("transformer sample", answer)
    assert answer["text"] == "the cat"


def test_a_profile_is_a_table_a_picture_and_one_object(run: Run, tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    words = ("transformer", "profile", *SMALL, "--chart", chart)
    done = run(*words, "--lang", "zh")
    assert (done.code, done.err) == (0, "")
    assert "feed_forward FeedForward" in done.out
    assert f"{chart}\n" in done.out
    assert "模块" in chart.read_text("utf-8")
    assert max(map(len, done.out.splitlines()[:10])) <= 78
    answer = run(*words, "--json").json
    require_listed("transformer profile", answer)
    assert answer["rows"][0]["flops"] > 0


def test_digits_are_learned_and_drawn(run: Run, tmp_path: Path) -> None:
    here = ("--out", tmp_path)
    small = ("--steps=2", "--save-every=1", "--batch-size=4", "--width=8", "--depth=1")
    done = run("diffusion", "train", *small, "--heads=1", "--noise-steps=5", *here)
    assert (done.code, done.err) == (0, "")
    lines = [line for line in done.out.splitlines() if re.match(r" +\d/2 ", line)]
    assert [line.split()[0] for line in lines] == ["1/2", "2/2"]
    for name in ("checkpoint.pt", "loss.svg", "samples.png"):
        assert f"{tmp_path / name}\n" in done.out
    again = run("diffusion", "train", "--resume", *here, "--json")
    assert "after step 2" in again.err
    require_listed("diffusion train", again.json)
    picture = tmp_path / "deep" / "some.png"
    drawn = run("diffusion", "sample", *here, "--digits", "31", "--picture", picture, "--json")
    require_listed("diffusion sample", drawn.json)
    assert (drawn.json["picture"], drawn.json["count"]) == (str(picture), 2)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_what_is_drawn_is_told(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    told = models.Sampled(picture="a/b.png", count=4, seconds=1.25, recognised=0.75)
    monkeypatch.setattr(models, "sample", lambda *_: told)
    out = run("diffusion", "sample").out
    assert "4 digits, drawn in 1.2 s." in out
    assert re.search(r"recognised +75\.0%\n +picture +a/b\.png\n", out)
    told = models.Sampled(picture="a/b.png", count=4)
    assert "识别率" not in run("diffusion", "sample", "--lang", "zh").out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["transformer", "train", "--lr", "nan"], "app.models.number"),
        (["transformer", "train", "--steps", "many"], "cli.value_unusable"),
        (["transformer", "sample", "--count", 0, "a"], "app.models.number"),
        (["diffusion", "sample"], "app.models.checkpoint_missing"),
    ],
)
def test_misuse_ends_with_2(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments, "--json", "--lang", "zh")
    assert (done.code, done.json["code"]) == (2, code)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("lang", LANGS)
def test_each_refusal_has_a_sentence_for_the_reader(lang: str) -> None:
    told = catalogue("app", lang)
    for code, sentence in SENTENCES.items():
        wanted = set(re.findall(r"{(\w+)}", sentence))
        assert set(re.findall(r"{(\w+)}", told[f"app.models.{code}.message"])) <= wanted, code
        assert told[f"app.models.{code}.hint"]


def test_ctrl_c_ends_with_1_and_keeps_what_is_done(tmp_path: Path, text: Path) -> None:
    command = [sys.executable, "-m", "torchstone", *TRAIN, "--steps=1000000", f"--text={text}"]
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
    assert list((tmp_path / "checkpoint").iterdir())
    # Nothing lies there half written.
    assert {each.name for each in tmp_path.iterdir()} <= {"checkpoint", "loss.svg"}


def test_the_command_itself_imports_no_torch(tmp_path: Path, text: Path) -> None:
    words = [*TRAIN, f"--text={text}", f"--out={tmp_path}"]
    program = (
        "import json, sys\n"
        "from torchstone.cli.main import main\n"
        f"assert main(json.loads({json.dumps(json.dumps(words))})) == 0\n"
        "heavy = {'numpy', 'torch', 'torchstone.models', 'torchstone.kernels', 'sqlalchemy'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr.strip() == "[]"
