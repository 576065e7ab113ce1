"""Run commands in this process, each learner apart from the others."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.listed import require_listed_answer
from torchstone.app.home import Home, find_home
from torchstone.cli.main import main
from torchstone.judge.host.client import Client


@dataclass(frozen=True, kw_only=True)
class Done:
    """What a command answered."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """Read the one JSON object of stdout."""
        (line,) = self.out.splitlines()
        return json.loads(line)


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command line; a terminal is 78 columns wide and nobody sits at it."""
    monkeypatch.setenv("COLUMNS", "78")

    def execute(*arguments: object) -> Done:
        capsys.readouterr()
        code = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        done = Done(code=code, out=captured.out, err=captured.err)
        if "--json" in map(str, arguments) and done.out:
            # Of whatever a test runs: no command answers a key that is not listed.
            words = [str(argument) for argument in arguments]
            require_listed_answer(words, done.json)
        return done

    return execute


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the learner of this test an empty database and an empty workspace."""
    for name in ("data", "workspace"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv(f"TORCHSTONE_{name.upper()}", str(tmp_path / name))
    return tmp_path / "workspace"


@pytest.fixture(scope="session")
def bank_read_once() -> Home:
    """Return the home of a learner, whose bank is read when it is first used."""
    return find_home()


@pytest.fixture
def one_bank(bank_read_once: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every command of a test use one bank: each would read all questions again."""
    monkeypatch.setattr("torchstone.app.home.find_home", lambda: bank_read_once)


@pytest.fixture(scope="session")
def judge_host() -> Iterator[None]:
    """Let the tests that judge share one host, which leaves with the last of them."""
    yield
    Client().stop()
