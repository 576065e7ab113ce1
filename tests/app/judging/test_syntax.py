"""A text is parsed as the judge parses it, beside the server and within limits."""

import asyncio
import os
from pathlib import Path

import pytest

from torchstone.app.home import Home
from torchstone.app.judging import syntax, syntax_program
from torchstone.app.judging.source import MAX_SOURCE_BYTES
from torchstone.app.judging.syntax import SyntaxCheck, SyntaxChecker
from torchstone.app.judging.syntax_program import find_error
from torchstone.core.bundle import write_bundle
from torchstone.core.errors import NotFound

pytestmark = pytest.mark.pure


def check(home: Home, source: str, problem: str = "01") -> SyntaxCheck:
    return asyncio.run(SyntaxChecker(home).check(problem, source))


@pytest.mark.parametrize(
    ("source", "kind", "line", "words"),
    [
        ("def softmax(x)\n    return x\n", "SyntaxError", 1, "expected ':'"),
        ("x = 1\n  y = 2\n", "IndentationError", 2, "unexpected indent"),
        ("if x:\n\ty = 1\n        z = 2\n", "TabError", 3, "inconsistent use of tabs"),
        ("\n\nreturn 1\n", "SyntaxError", 3, "'return' outside function"),
        ("x = (1,\n", "SyntaxError", 1, "was never closed"),
        ("x = '''\n", "SyntaxError", 1, "unterminated triple-quoted"),
        ("x = 1\0\n", None, None, "null bytes"),
    ],
)
def test_an_error_is_that_of_python(
    home: Home, source: str, kind: str | None, line: int | None, words: str
) -> None:
    found = check(home, source)
    assert found.is_checked
    assert found.error is not None
    assert found.error.type == kind or kind is None
    assert (found.error.line == line) or kind is None
    assert words in found.error.message


@pytest.mark.parametrize(
    "source",
    [
        "",
        "def softmax(x, dim=-1):\n    return x\n",
        "match x:\n    case [*rest]: pass\n",
        "值 = 1\n",
        "# -*- coding: latin-1 -*-\nx = 'é'\n",
        # It is parsed, not run; and a warning is no error.
        "raise SystemExit\n",
        "x = '\\d'\n",
    ],
)
def test_a_right_text_has_no_error(home: Home, source: str) -> None:
    assert check(home, source) == SyntaxCheck(is_checked=True)


def test_every_solution_and_starter_in_python_is_right(home: Home) -> None:
    for problem in home.bank:
        if problem.spec.language == "python":
            for text in (problem.starter, problem.solution.source):
                assert find_error(text) is None, problem.id


@pytest.mark.parametrize(
    "source",
    [
        "(" * 100_000,
        "-" * 200_000 + "1",
        "x" + ".y" * 100_000,
        "f(" * 50 + "{" * 90,
        "[" * 199 + "]" * 199,
        "x = " + "1 if " * 40_000,
        "\n".join("if x:" for _ in range(10)),
    ],
)
def test_no_text_ends_or_holds_up_the_server(home: Home, source: str) -> None:
    async def parse() -> SyntaxCheck:
        return await asyncio.wait_for(SyntaxChecker(home).check("01", source), 60)

    assert isinstance(asyncio.run(parse()), SyntaxCheck)


def test_what_takes_too_long_is_ended_and_nothing_is_said(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "sleeper.py"
    pid = tmp_path / "pid"
    program.write_text(
        f"import os, time\nopen({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    )
    monkeypatch.setattr(syntax, "_COMMAND", (*syntax._COMMAND[:-1], str(program)))
    monkeypatch.setattr(syntax, "PATIENCE_SECONDS", 1.0)
    assert check(home, "x = 1\n") == SyntaxCheck(is_checked=False)
    with pytest.raises(ProcessLookupError):
        os.kill(int(pid.read_text()), 0)


def test_a_parser_that_dies_says_nothing(
    home: Home, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "dying.py"
    program.write_text("import os\nprint('null', flush=True)\nos.abort()\n")
    monkeypatch.setattr(syntax, "_COMMAND", (*syntax._COMMAND[:-1], str(program)))
    assert check(home, "x = 1\n") == SyntaxCheck(is_checked=False)


def test_only_python_of_a_solution_s_length_is_checked(home: Home) -> None:
    assert check(home, "int x = ;", "44") == SyntaxCheck(is_checked=False)
    assert check(home, "===", "50") == SyntaxCheck(is_checked=False)
    assert check(home, "#" * (MAX_SOURCE_BYTES + 1)) == SyntaxCheck(is_checked=False)
    with pytest.raises(NotFound):
        check(home, "x", "99")


def test_many_at_once_are_all_answered(home: Home) -> None:
    async def parse() -> list[SyntaxCheck]:
        checker = SyntaxChecker(home)
        return await asyncio.gather(*(checker.check("01", "x = = 1") for _ in range(12)))

    assert all(found.error is not None for found in asyncio.run(parse()))


def test_the_processor_time_ends_before_the_patience() -> None:
    assert syntax_program.CPU_SECONDS < syntax.PATIENCE_SECONDS


PROJECT = "[project]\nname = 'a'\n"


@pytest.mark.parametrize(
    ("files", "file", "line"),
    [
        ({"pyproject.toml": PROJECT, "setup.py": "x = 1\n"}, None, None),
        ({"pyproject.toml": "[project]\nx = = 1\n", "setup.py": "x = (\n"}, "pyproject.toml", 2),
        ({"pyproject.toml": PROJECT, "a/b.py": "\nif x\n"}, "a/b.py", 2),
        # Only a compiler can say more of these.
        ({"pyproject.toml": PROJECT, "a.cpp": "int x = ;\n", "a.txt": "if x\n"}, None, None),
    ],
)
def test_the_files_of_a_package_are_parsed(
    home: Home, files: dict[str, str], file: str | None, line: int | None
) -> None:
    found = check(home, write_bundle(files), "50")
    assert found.is_checked
    error = found.error
    assert (error and error.file, error and error.line) == (file, line)


def test_a_text_that_is_no_package_is_not_parsed(home: Home) -> None:
    assert check(home, "x = (\n", "50") == SyntaxCheck(is_checked=False)
