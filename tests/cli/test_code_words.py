"""Code in sentences: a style with colour, backticks without."""

import pytest

from tests.cli.test_verdict import report
from torchstone.app.home import find_home
from torchstone.app.judging.submission import judged_from
from torchstone.cli.code_words import mark_code, wrap_marked
from torchstone.cli.palette import CODE, PLAIN, STRONG
from torchstone.cli.screen import Screen
from torchstone.cli.verdict import draw_verdict
from torchstone.core.i18n import LANGS, Lang, display_width
from torchstone.judge.messages import Raised, Report, Symptom, Words

pytestmark = pytest.mark.pure

SYMPTOM = Symptom(
    name="input", words=Words(en="It equals the input `x`.", zh="它等于输入 `x`。"), cases=3
)
TERMINAL = {"FORCE_COLOR": "1", "TERM": "xterm-256color"}


def lines(monkeypatch: pytest.MonkeyPatch, found: Report, lang: Lang, **env: str) -> list[str]:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    judged = judged_from(find_home().problem("01"), found)
    return [line.plain for line in draw_verdict(Screen(lang=lang), judged)]


@pytest.mark.parametrize("lang", LANGS)
def test_a_symptom_has_backticks_only_where_there_is_no_colour(
    monkeypatch: pytest.MonkeyPatch, lang: Lang
) -> None:
    found, said = report("WA", symptoms=(SYMPTOM,)), SYMPTOM.words.said_in(lang)
    assert f"  {said.replace('`', '')}" in lines(monkeypatch, found, lang, **TERMINAL)
    assert f"  {said}" in lines(monkeypatch, found, lang)
    assert f"  {said}" in lines(monkeypatch, found, lang, NO_COLOR="1", **TERMINAL)


def test_what_a_program_raises_is_quoted_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    error = Raised(type="ValueError", message="no `x` here", line=2, text="s = '`x`'")
    drawn = lines(monkeypatch, report("RTE", error=error), "en", **TERMINAL)
    assert any("no `x` here" in line for line in drawn)
    assert any("s = '`x`'" in line for line in drawn)


@pytest.mark.parametrize("style", [PLAIN, STRONG])
def test_code_differs_from_its_sentence(style: str) -> None:
    marked = mark_code("a `b` c", style, has_colour=True)
    assert marked.plain == "a b c"
    code = next(span for span in marked.spans if marked.plain[span.start] == "b")
    assert (code.start, code.end) == (2, 3)
    assert ("not bold" in str(code.style)) is (style == STRONG)


def test_a_single_backtick_stays() -> None:
    assert mark_code("a ` b", has_colour=True).plain == "a ` b"
    assert mark_code("``", has_colour=True).plain == "``"


@pytest.mark.parametrize("words", ["It equals `x` " * 20, "它等于输入 `x`，" * 20, "`x`\n\n`y`"])
def test_a_marked_sentence_is_wrapped_with_its_styles(words: str) -> None:
    marked = mark_code(words, has_colour=True)
    wrapped = [*wrap_marked(marked, 40)]
    assert all(display_width(line.plain) <= 40 for line in wrapped)
    kept = "".join("".join(line.plain for line in wrapped).split())
    assert kept == "".join(words.replace("`", "").split())
    code = [line.plain[span.start] for line in wrapped for span in line.spans if span.style == CODE]
    assert len(code) == words.count("`") // 2
    assert set(code) <= {"x", "y"}
