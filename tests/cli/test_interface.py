import dataclasses
import re
import string
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import GROUPS, LISTED, LONGER, VARIANTS, WITHOUT_JSON, name_of, require_listed
from tools.commands_doc import commands, page_path, write_page
from torchstone.app.home import BANK_VARIABLE
from torchstone.app.judging.receipts import Verification
from torchstone.app.judging.submission import Tried
from torchstone.cli.manual import read_page
from torchstone.cli.screen import Screen
from torchstone.core.config import Settings
from torchstone.core.i18n import LANGS, Lang, catalogue
from torchstone.core.isolation import Isolation
from torchstone.core.verdict import Aspect, ExitCode, State, Verdict

pytestmark = pytest.mark.pure

ROOT = Path(__file__).resolve().parents[2]
EVERYWHERE = ("--lang", "--json", "--help")


def test_codes_are_the_listed_ones() -> None:
    for name, members in (
        ("verdicts", Verdict), ("aspects", Aspect), ("states", State), ("isolation", Isolation),
    ):  # fmt: skip
        assert [str(member) for member in members] == LISTED[name]
    assert {code.name.lower(): code.value for code in ExitCode} == LISTED["exit_codes"]


def test_commands_and_flags_are_the_listed_ones() -> None:
    found = {}
    for path, command in commands():
        page = read_page(command, path, "en")
        entries = [*page.arguments, *page.options]
        found[path] = [e.name for e in entries if e.name.split()[0] not in EVERYWHERE]
        assert {e.name.split()[0] for e in page.options} >= set(EVERYWHERE)
    assert found == LISTED["commands"]


def test_variables_are_the_listed_ones() -> None:
    folders = ("CACHE", "CONFIG", "DATA", "RUNTIME", "WORKSPACE")
    settings = (name.upper() for name in Settings.__dataclass_fields__)
    found = [BANK_VARIABLE, *(f"TORCHSTONE_{name}" for name in (*folders, *settings))]
    assert sorted(found) == LISTED["environment"]


def test_the_keys_of_json_are_the_listed_ones(run: Run, alone: Path) -> None:
    for name, arguments in (
        ("list", ["list"]), ("show", ["show", "01"]), ("start", ["start", "01"]),
        ("hint", ["hint", "01"]), ("solution", ["solution", "01", "--give-up"]),
        ("editorial", ["editorial", "01"]), ("status", ["status"]), ("history", ["history", "01"]),
        ("system", ["system"]), ("host status", ["host", "status"]),
        ("host stop", ["host", "stop"]),
        ("export", ["export", str(alone / "out")]), ("import", ["import", str(alone / "out")]),
        ("error", ["show", "99"]),
    ):  # fmt: skip
        require_listed(name, run(*arguments, "--json").json)


def test_every_command_has_its_keys_listed_and_nothing_else_has() -> None:
    leaves = {path.removeprefix("torchstone ") for path in LISTED["commands"]} - {
        group.removeprefix("torchstone ") for group in GROUPS
    }
    answering = leaves - set(WITHOUT_JSON)
    assert answering <= LISTED["json"].keys()
    variants = {f"{name} {option}".strip() for name in ("", *answering) for option in VARIANTS}
    # After a colon: the keys of what the answer holds.
    named = {name.partition(": ")[0] for name in LISTED["json"]}
    assert named <= answering | variants | {"error", *LONGER.values()}


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (["submit", "01"], "submit"),
        (["--lang", "zh", "submit", "01", "--file", "x.py", "--json"], "submit --file"),
        (["history", "01"], "history"),
        (["history", "01", "c41e08"], "history ID"),
        (["review"], "review"),
        (["review", "01"], "review PROBLEM"),
        (["review", "01", "--undo"], "review --undo"),
        (["bank", "check", "01"], "bank check"),
        (["--version", "--json"], "--version"),
        (["--json"], "serve"),
    ],
)
def test_a_command_line_has_one_list_of_keys(arguments: list[str], name: str) -> None:
    assert name_of(arguments) == name


def test_a_key_that_is_not_listed_fails_whatever_test_runs_the_command(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = Screen.answer
    monkeypatch.setattr(
        Screen, "answer", lambda screen, result: answer(screen, result | {"unlisted": 1})
    )
    with pytest.raises(AssertionError) as refused:
        run("--lang", "zh", "list", "--json")
    for part in (
        "`torchstone --lang zh list --json`",
        "docs/handbook/interface.toml",
        "it does not list unlisted.",
        '"list" = ["broken", "ok", "problems", "unlisted"]',
    ):
        assert part in str(refused.value)


@pytest.mark.parametrize(
    ("name", "keys", "found"),
    [
        ("list", ["ok"], "no answer has broken, problems."),
        ("list", ["ok", "x"], "it does not list x; no answer has broken, problems."),
        ("absent", ["ok"], "it does not list ok."),
    ],
)
def test_what_differs_from_the_list_is_named(name: str, keys: list[str], found: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(f'"{name}": {found}')):
        require_listed(name, keys)


@pytest.mark.parametrize(
    ("name", "answer"), [("run --input", Tried), ("receipt verify", Verification)]
)
def test_the_keys_of_what_only_a_judge_answers_are_the_listed_ones(
    name: str, answer: type[Any]
) -> None:
    require_listed(name, ["ok", *(field.name for field in dataclasses.fields(answer))])


def test_the_keys_of_authoring_are_the_listed_ones(
    run: Run, alone: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHSTONE_BANK", str(alone / "bank"))
    for name, arguments in (
        ("bank new", ["bank", "new", "51", "gelu"]),
        ("bank check", ["bank", "check"]),
        ("bank expand", ["bank", "expand", str(alone / "bank/problems/51_gelu/solution.py")]),
        ("bank export", ["bank", "export", str(alone / "out")]),
    ):
        require_listed(name, run(*arguments, "--json").json)


@pytest.mark.parametrize("lang", LANGS)
def test_the_page_of_commands_is_up_to_date(lang: Lang) -> None:
    assert page_path(lang).read_text(encoding="utf-8") == write_page(lang), (
        "run `python tools/commands_doc.py`"
    )


@pytest.mark.parametrize("part", ["app", "cli"])
def test_both_languages_say_the_same_with_the_same_values(part: str) -> None:
    english, chinese = (catalogue(part, lang) for lang in LANGS)
    assert english.keys() == chinese.keys()
    for key, sentence in english.items():
        assert fields(sentence) == fields(chinese[key]), key


def fields(sentence: str) -> set[str]:
    return {field for _, field, _, _ in string.Formatter().parse(sentence) if field}
