"""Programs of CUDA are run and checked at a terminal, in both languages."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed
from tests.cudasim.conftest import cusim_settings as cusim_settings  # a fixture
from tests.cudasim.test_main import GOOD, RACE, WILD

pytestmark = pytest.mark.cudasim


@pytest.fixture
def race(tmp_path: Path) -> Path:
    (tmp_path / "race.cu").write_text(RACE)
    return tmp_path / "race.cu"


def test_a_program_runs_with_its_arguments_and_its_exit_code(tmp_path: Path) -> None:
    (tmp_path / "good.cu").write_text(GOOD)
    done = call("run", tmp_path / "good.cu", "--", "6", "--lang", given="5")
    assert (done.returncode, done.stderr) == (6, "")
    assert done.stdout == "last 31, read 5, <6>, <--lang>\n"


def call(*words: object, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own, whose stdout the program has as well."""
    command = [sys.executable, "-m", "torchstone", "cuda", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, input=given)


@pytest.mark.parametrize(("lang", "title"), [("en", "RAW race"), ("zh", "共享内存中的 RAW 竞争")])
def test_a_check_reports_the_race_in_the_readers_language(
    race: Path, lang: str, title: str
) -> None:
    done = call("check", race, "--orders", 2, "--lang", lang)
    assert done.returncode == 1
    assert f"race.cu:5: {title}" in done.stdout


def test_a_run_tells_in_the_readers_language_what_a_kernel_did(tmp_path: Path) -> None:
    (tmp_path / "wild.cu").write_text(WILD)
    done = call("run", tmp_path / "wild.cu", "--lang", "zh")
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert done.stderr.startswith("wild.cu:4: 越界访问（out-of-bounds）：")


def test_json_has_the_listed_keys(race: Path) -> None:
    done = call("check", race, "--json")
    assert done.returncode == 1
    require_listed("cuda check", json.loads(done.stdout))
    assert not json.loads(done.stdout)["ok"]
    told = call("run", race, "--json")
    require_listed("cuda run", json.loads(told.stdout))
    assert (told.returncode, told.stderr) == (0, "done\n")


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_misuse_ends_with_2(run: Run, tmp_path: Path, lang: str) -> None:
    missing = run("cuda", "check", tmp_path / "absent.cu", "--json", "--lang", lang)
    assert (missing.code, missing.json["code"]) == (2, "app.source_absent")
    (tmp_path / "bare.cu").write_text("__global__ void k() {}")
    bare = run("cuda", "check", tmp_path / "bare.cu", "--json", "--lang", lang)
    assert (bare.code, bare.json["code"]) == (2, "app.cuda.refused")
