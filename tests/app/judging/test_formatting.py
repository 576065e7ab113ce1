"""A text is formatted beside the server, within limits; what cannot be formatted stays."""

import asyncio
from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.app.judging import formatting
from torchstone.app.judging.formatting import Formatted, Formatter
from torchstone.app.judging.source import MAX_SOURCE_BYTES
from torchstone.core.i18n import both

pytestmark = pytest.mark.pure


def format_text(home: Home, source: str, problem: str = "01") -> Formatted:
    return asyncio.run(Formatter(home).format(problem, source))


def test_python_is_formatted(home: Home) -> None:
    assert format_text(home, "x  =  {'a':1}\n").text == 'x = {"a": 1}\n'
    assert format_text(home, "").text == ""


@pytest.mark.parametrize("source", ["def f(:\n", "x = 'é\n", "(" * 300])
def test_a_syntax_error_leaves_the_text(home: Home, source: str) -> None:
    assert format_text(home, source) == Formatted(text=None, reason=both("app.format.refused"))


def test_a_missing_formatter_is_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(formatting, "find_tool", lambda name: None)
    for problem, key, command in (("01", "ruff", "pip"), ("44", "clang_format", "apt")):
        found = format_text(home, "x", problem)
        assert found == Formatted(text=None, reason=both(f"app.format.{key}"))
        assert found.reason is not None
        assert command in found.reason["en"]


def test_only_a_file_of_a_solution_s_length_is_formatted(home: Home) -> None:
    unsuited = Formatted(text=None, reason=both("app.format.unsuited"))
    assert format_text(home, "===", "50") == unsuited
    assert format_text(home, "#" * (MAX_SOURCE_BYTES + 1)) == unsuited


@pytest.mark.parametrize("body", ["sleep 600", "exit 0", "kill -9 $$"])
def test_a_formatter_that_fails_leaves_the_text(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, body: str
) -> None:
    tool = tmp_path / "tool"
    tool.write_text(f"#!/bin/sh\nexec /bin/sh -c '{body}'\n")
    tool.chmod(0o755)
    monkeypatch.setattr(formatting, "find_tool", lambda name: str(tool))
    monkeypatch.setattr(formatting, "PATIENCE_SECONDS", 1.0)
    assert format_text(home, "x = 1\n").text is None
