"""The result of a program says by its exit code whether it is ok, as JSON and as lines."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from rich.text import Text

from tests.cli.conftest import Run
from torchstone.cli.program_result import answer_of
from torchstone.core.verdict import ExitCode

pytestmark = pytest.mark.pure


class Ended(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="end"):
    """A result as a program prints it."""

    ok: bool
    path: str


def test_an_answer_is_the_result_without_the_name_of_the_event() -> None:
    assert answer_of(Ended(ok=True, path="a")) == {"ok": True, "path": "a"}


@pytest.mark.parametrize(
    ("is_ok", "code"), [(True, ExitCode.ACCEPTED), (False, ExitCode.NOT_ACCEPTED)]
)
@pytest.mark.parametrize("as_json", [True, False])
def test_a_result_is_printed_whole_and_decides_the_exit_code(
    run: Run, monkeypatch: pytest.MonkeyPatch, is_ok: bool, code: ExitCode, as_json: bool
) -> None:
    # Longer than a line of the terminal, so that one that wraps would break it.
    path = str(Path("/", *["folder"] * 20))
    told = Ended(ok=is_ok, path=path)
    monkeypatch.setattr("torchstone.app.programs.distributed.checkpoint", lambda *_: told)
    draw = "torchstone.cli.distributing.draw_checkpoint"
    monkeypatch.setattr(draw, lambda *_: iter([Text(path)]))
    # The keys of this answer are of no command.
    monkeypatch.setattr("torchstone.cli.screen.Screen.answer", lambda _, answer: print_(answer))
    printed: list[str] = []

    def print_(answer: object) -> None:
        printed.append(json.dumps(answer))

    done = run("distributed", "checkpoint", "show", "a", *(["--json"] if as_json else []))
    assert done.code == code
    if as_json:
        assert json.loads(printed[0]) == {"ok": is_ok, "path": path}
    else:
        assert path in done.out.splitlines()
