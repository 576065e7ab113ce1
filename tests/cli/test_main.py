import os
import subprocess
import sys
from pathlib import Path

import pytest

import torchstone
from tests.cli.conftest import Run
from torchstone.core.errors import StoreError

pytestmark = pytest.mark.pure

# `torchstone --help` has to open at once: these take their time to import.
HEAVY = {
    "torch", "numpy", "sqlalchemy", "alembic", "rich", "msgspec", "fsrs",
    "torchstone.judge", "torchstone.store", "torchstone.bank", "torchstone.app",
}  # fmt: skip


def test_help_opens_without_anything_heavy() -> None:
    program = (
        "import sys\n"
        "from torchstone.cli.main import main\n"
        "assert main(['submit', '--help']) == 0\n"
        f"print(sorted({HEAVY!r} & set(sys.modules)), file=sys.stderr)\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.startswith("Usage: torchstone submit")
    assert done.stderr.strip() == "[]"


def test_a_file_is_judged_on_the_side_without_the_database() -> None:
    program = (
        "import sys\n"
        "import torchstone.app.judging.submission\n"
        "import torchstone.cli.practice, torchstone.cli.progress\n"
        "print(sorted({'sqlalchemy', 'fsrs', 'torch'} & set(sys.modules)))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["foo"], "cli.command_unknown", "foo"),
        (["bank", "chek"], "cli.command_unknown", "chek"),
        (["list", "--foo"], "cli.option_unknown", "--foo"),
        (["show"], "cli.argument_missing", "PROBLEM"),
        (["bank"], "cli.argument_missing", "COMMAND"),
        (["list", "--part", "six"], "cli.value_unusable", "1 … 5"),
        (["list", "--part", "6"], "cli.value_unusable", "--part"),
        (["list", "--lang", "fr"], "cli.value_unusable", "en|zh"),
        (["show", "01", "02"], "cli.arguments_surplus", "02"),
        (["show", "99"], "bank.problem_unknown", "99"),
        (["show", "sofmax"], "bank.problem_unknown", "sofmax"),
        (["watch", "--json"], "cli.watch_is_for_people", "watch"),
        (["receipt", "verify", "nothing"], "app.receipt_absent", "nothing"),
    ],
)
def test_misuse_is_explained_in_both_forms_and_languages(
    run: Run, alone: Path, arguments: list[str], code: str, words: str
) -> None:
    plain = run(*arguments) if "--json" not in arguments else None
    if plain is not None:
        assert (plain.code, plain.out) == (2, "")
        assert words in plain.err
        assert "Traceback" not in plain.err
    shapes = [run("--json", *arguments, "--lang", "zh" if words != "en|zh" else "fr").json]
    shapes.append(run(*arguments, "--json").json)
    for shape in shapes:
        assert shape["ok"] is False
        assert shape["code"] == code
        assert set(shape) == {"ok", "code", "message", "hint", "status"}


def test_the_language_may_stand_anywhere_and_the_last_one_counts(run: Run, alone: Path) -> None:
    assert "手写 Softmax" in run("--lang", "zh", "list").out
    assert "手写 Softmax" in run("list", "--lang=zh").out
    assert "Softmax from scratch" in run("--lang", "zh", "list", "--lang", "en").out


def test_a_fault_of_ours_ends_with_3(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(arguments: list[str], screen: object) -> int:
        raise StoreError("store.foreign", path="x")

    monkeypatch.setattr("torchstone.app.problems.catalog.list_problems", fail)
    monkeypatch.setattr(
        "torchstone.app.problems.catalog.list_problems", lambda *_, **__: fail([], None)
    )
    done = run("list")
    assert done.code == 3
    assert "not a Torchstone database" in done.err


def test_a_bug_ends_with_3_and_never_with_1(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("torchstone.app.problems.catalog.list_problems", fail)
    done = run("list")
    assert done.code == 3
    assert "ZeroDivisionError: a bug" in done.err
    assert run("list", "--json").json["code"] == "cli.fault"


def test_an_interruption_ends_quietly(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("torchstone.app.problems.catalog.list_problems", interrupt)
    done = run("list")
    assert done.code == 1
    assert "Interrupted" in done.err


def test_a_pipe_that_closes_early_is_no_error(alone: Path) -> None:
    command = [sys.executable, "-m", "torchstone", "show", "01", "--json"]
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
    os.close(writer)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_terminal_without_the_signs_shows_others(alone: Path) -> None:
    environment = os.environ | {"PYTHONIOENCODING": "ascii", "TORCHSTONE_LANG": "zh"}
    command = [sys.executable, "-m", "torchstone", "list"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert (done.returncode, done.stderr) == (0, "")
    assert "Softmax" in done.stdout


def test_the_completion_of_the_shell_knows_commands_and_problems(alone: Path) -> None:
    def complete(words: str) -> str:
        environment = os.environ | {
            "_TORCHSTONE_COMPLETE": "complete_bash",
            "COMP_WORDS": words,
            "COMP_CWORD": str(words.count(" ")),
        }
        command = [sys.executable, "-c", "from torchstone.cli.main import main; main()"]
        done = subprocess.run(command, capture_output=True, text=True, env=environment)
        return done.stdout

    assert "submit" in complete("torchstone sub")
    assert "01" in complete("torchstone show 0")
    assert "--json" in complete("torchstone list --")


def test_there_is_one_json_object_on_stdout(run: Run, alone: Path) -> None:
    for arguments in (["list"], ["show", "01"], ["start", "01"], ["status"], ["history", "01"]):
        assert run(*arguments, "--json").json["ok"] is True


def test_a_broken_setting_is_named(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHSTONE_CONFIG", str(tmp_path))
    (tmp_path / "config.toml").write_text("langg = 'zh'\n")
    done = run("list")
    assert done.code == 2
    assert "langg" in done.err


@pytest.mark.parametrize("where", [[], ["--lang", "zh"]])
def test_the_version_is_said_where_one_looks_for_it(run: Run, where: list[str]) -> None:
    assert run(*where, "--version").out == f"torchstone {torchstone.__version__}\n"
    assert run(*where, "--version", "--json").json["torchstone"] == torchstone.__version__
