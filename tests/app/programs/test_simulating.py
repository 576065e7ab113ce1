"""Programs of CUDA run in a process of cudasim's own, whatever becomes of that."""

import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from torchstone.app.programs.simulating import Simulation, simulate
from torchstone.core.errors import BadInput, NotFound, TorchstoneError
from torchstone.core.i18n import LANGS

pytestmark = pytest.mark.pure

Pretend = Callable[[str], Path]


@pytest.fixture
def pretend(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pretend:
    """Put a shell script in the place of Python, and of a compiler."""

    def write(script: str) -> Path:
        for name, text in (("python", script), ("g++", "echo g++ 12")):
            path = tmp_path / name
            path.write_text(f"#!/bin/sh\n{text}\n")
            path.chmod(stat.S_IRWXU)
        monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
        monkeypatch.setenv("CXX", str(tmp_path / "g++"))
        monkeypatch.setenv("CUSIM_CACHE", str(tmp_path / "cache"))
        (tmp_path / "-a.cu").write_text("int main() {}")
        return tmp_path / "-a.cu"

    return write


def test_cudasim_gets_every_word_and_no_name_is_an_option(
    pretend: Pretend, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pretend('printf "<%s>" "$@"')
    monkeypatch.chdir(file.parent)
    plan = Simulation(
        verb="check", file=Path("-a.cu"), arguments=["x y", "--json"], options=["--orders=2"]
    )
    assert simulate(plan) == 0
    assert capfd.readouterr().out == (
        f"<-P><-m><torchstone.cudasim><check><--orders=2><{file}><--><x y><--json>"
    )


@pytest.mark.parametrize(("verb", "code"), [("run", 0), ("run", 2), ("run", 130), ("check", 1)])
def test_the_exit_code_is_handed_on(pretend: Pretend, verb: str, code: int) -> None:
    file = pretend(f"exit {code}")
    assert simulate(Simulation(verb=verb, file=file)) == code  # type: ignore[arg-type]


def test_a_quiet_program_speaks_to_stderr(
    pretend: Pretend, capfd: pytest.CaptureFixture[str]
) -> None:
    file = pretend("echo word")
    simulate(Simulation(verb="run", file=file, is_quiet=True))
    assert capfd.readouterr() == ("", "word\n")


@pytest.mark.parametrize(
    ("code", "error", "key"),
    [(2, BadInput, "app.cuda.refused"), (7, TorchstoneError, "app.cuda.died")],
)
def test_a_check_that_could_not_be_is_an_error(
    pretend: Pretend, code: int, error: type[TorchstoneError], key: str
) -> None:
    file = pretend(f"exit {code}")
    with pytest.raises(error) as caught:
        simulate(Simulation(verb="check", file=file))
    assert caught.value.code == key
    assert len({caught.value.message(lang) for lang in LANGS}) == 2


def test_what_is_missing_is_said_before_anything_runs(
    pretend: Pretend, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = pretend("exit 9")
    with pytest.raises(NotFound):
        simulate(Simulation(verb="run", file=file.with_name("absent.cu")))
    monkeypatch.setenv("CXX", "absent++")
    with pytest.raises(BadInput) as caught:
        simulate(Simulation(verb="run", file=file))
    assert caught.value.code == "app.cuda.no_compiler"
