from typing import cast

import pytest

from tests.cli.conftest import Run
from tools.commands_doc import commands
from torchstone.cli.manual import read_page
from torchstone.core.i18n import LANGS, Lang, catalogue, display_width

pytestmark = pytest.mark.pure


def test_every_command_and_option_says_what_it_is_for_in_both_languages() -> None:
    for path, command in commands():
        for lang in LANGS:
            page = read_page(command, path, lang)
            entries = [*page.arguments, *page.options, *page.commands]
            assert page.words
            assert all(entry.words for entry in entries), path
            # The words that stand in place of a missing text name its key.
            shown = [page.words, *(entry.words for entry in entries)]
            assert not [words for words in shown if "cli." in words], path


@pytest.mark.parametrize("lang", LANGS)
@pytest.mark.parametrize(
    ("words", "key"),
    [
        (("--help",), "cli.command.submit"),
        (("submit", "--help"), "cli.command.submit"),
        (("submit", "--help"), "cli.option.file"),
        (("submit", "--help"), "cli.argument.problem"),
        (("bank", "--help"), "cli.command.bank_.check"),
    ],
)
def test_a_missing_text_is_named_by_its_key_and_help_still_opens(
    run: Run, monkeypatch: pytest.MonkeyPatch, lang: Lang, words: tuple[str, ...], key: str
) -> None:
    before = run(*words, "--lang", lang)
    messages = cast(dict[str, str], catalogue("cli", lang))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.delitem(messages, key)
    done = run(*words, "--lang", lang)
    assert (before.code, done.code, done.err) == (0, 0, "")
    assert key not in before.out
    assert len([line for line in done.out.splitlines() if key in line]) == 1


@pytest.mark.parametrize("columns", [78, 40, 26])
def test_help_fits_the_terminal(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    for lang in LANGS:
        done = run("--lang", lang, "--help")
        assert done.code == 0
        for line in done.out.splitlines():
            assert display_width(line) <= columns or " " not in line.strip() or "torchstone" in line


def test_help_speaks_chinese(run: Run) -> None:
    out = run("submit", "--help", "--lang", "zh").out
    assert out.startswith("用法： torchstone submit PROBLEM [选项]")
    assert "  --file PATH   评测这个文件" in out
