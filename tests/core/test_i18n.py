import ast
import re
import string
import unicodedata
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import torchstone
from torchstone.core import i18n

pytestmark = pytest.mark.pure

PARTS = sorted(path.parent.name for path in Path(torchstone.__file__).parent.glob("*/messages"))

COMMANDS = (".remedy", ".command")
PACKAGE = Path(torchstone.__file__).parent
ROOT = Path(__file__).parents[2]
# The Chinese word for a thing of ours, and those that say the same and are not written.
ONE_WORD = {
    "评测机": ("判题", "裁判", "评测器", "评测端", "评测系统", "评测主机"),
    "任务": ("作业",),
    "判定": ("评测结果", "判决"),
    "收据": ("凭据",),
    "用例": ("测试点",),
    "沙箱": ("沙盒",),
    "错误写法": ("错法",),
    "分发键": ("分派", "调度键"),
}
CHINESE_TEXTS = (
    "src/torchstone/*/messages/zh.toml",
    "frontend/src/messages/zh/*.ts",
    "*.zh.md",
    "docs/*.zh.md",
    "docs/handbook/zh/*.md",
)
# What judges a program, in the bank: elsewhere an answer to a question is marked by the other word.
ONE_WORD_OF_THE_BANK = {"评测": ("评判",)}
BANK = ("problems", "interviews/code")
# Ideographs, and the punctuation and the wide forms that go with them.
CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
# Docstrings whose examples are about Chinese text.
EXAMPLES = {
    "bank/tokens.py",
    "bank/variant.py",
    "core/i18n.py",
    "core/patch.py",
    "cudasim/words.py",
}
# Characters and words that text is searched or laid out by: no sentences.
TABLES = {
    ("app/search/query.py", "_EMPTY_WORDS"),
    ("app/search/ranking.py", "_GRAMMAR"),
    ("app/search/snippet.py", "_SENTENCE_END"),
    ("bank/questions/copied.py", "_ASKING"),
    ("bank/questions/texts.py", "HEADINGS"),
    ("cli/asking.py", "_BETWEEN"),
    ("cli/lines.py", "_CLOSING"),
    ("study/marking/guards.py", "_GLUE_HAN"),
    ("study/marking/reading.py", "_FILLERS"),
    ("study/marking/reading.py", "_CONDITION"),
    *(
        ("study/marking/clauses.py", name)
        for name in (
            *("_FULL_STOPS", "_SENTENCE", "_CLAUSE", "_EVERYONE", "_AND", "_PRONOUN"),
            *("_FORMER", "_LATTER", "_FRAME", "_ASIDE"),
        )
    ),
    *(
        ("study/marking/negation.py", name)
        for name in ("NEGATOR", "_EDGE", "_DENIAL", "_VERDICT", "_TURN", "_AT_ONCE", "_USELESS")
    ),
}


def placeholders(sentence: str) -> set[str | None]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


@pytest.mark.parametrize("part", PARTS)
def test_both_catalogues_have_the_same_keys_and_placeholders(part: str) -> None:
    english, chinese = i18n.catalogue(part, "en"), i18n.catalogue(part, "zh")
    assert english.keys() == chinese.keys()
    differing = [key for key in english if placeholders(english[key]) != placeholders(chinese[key])]
    assert differing == []


@pytest.mark.parametrize("part", PARTS)
def test_chinese_sentences_are_chinese_and_english_ones_are_not(part: str) -> None:
    def has_han(sentence: str) -> bool:
        return any(unicodedata.name(char, "").startswith("CJK UNIFIED") for char in sentence)

    english, chinese = i18n.catalogue(part, "en"), i18n.catalogue(part, "zh")
    # Two English words in a row; a command to type is the same in every language.
    words = re.compile(r"[A-Za-z]{2} [A-Za-z]{2}")
    untranslated = [
        key
        for key, sentence in chinese.items()
        if words.search(sentence) and not has_han(sentence) and not key.endswith(COMMANDS)
    ]
    assert untranslated == []
    assert [key for key, sentence in english.items() if has_han(sentence)] == []


@pytest.mark.parametrize(("word", "others"), ONE_WORD.items())
def test_a_thing_has_one_word_in_chinese(word: str, others: tuple[str, ...]) -> None:
    check_word(word, others, ours() | of_the_bank())


@pytest.mark.parametrize(("word", "others"), ONE_WORD_OF_THE_BANK.items())
def test_a_thing_has_one_word_in_the_bank(word: str, others: tuple[str, ...]) -> None:
    check_word(word, others, of_the_bank())


def check_word(word: str, others: tuple[str, ...], texts: dict[Path, str]) -> None:
    found = [
        f"{path.relative_to(ROOT)}: {other}, write {word}"
        for path, text in texts.items()
        for other in others
        if other in text
    ]
    assert found == []
    assert any(word in text for text in texts.values())


@cache
def ours() -> dict[Path, str]:
    paths = [path for pattern in CHINESE_TEXTS for path in sorted(ROOT.glob(pattern))]
    return {path: path.read_text(encoding="utf-8") for path in paths}


@cache
def of_the_bank() -> dict[Path, str]:
    """Read whatever holds Chinese for a learner: prose, tables, headers of programs, cases."""
    paths = [path for folder in BANK for path in sorted((PACKAGE / "content" / folder).rglob("*"))]
    read = (".md", ".toml", ".py", ".cu", ".cpp", ".bundle")
    return {path: path.read_text(encoding="utf-8") for path in paths if path.suffix in read}


def chinese_lines(name: str, source: str) -> set[int]:
    """Find the lines with Chinese in a module, but for what is exempt by name."""
    if not CHINESE.search(source):
        return set()
    exempt: set[int] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            if name in EXAMPLES and ast.get_docstring(node) is not None:
                exempt |= lines_of(node.body[0])
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            if isinstance(target, ast.Name) and (name, target.id) in TABLES:
                exempt |= lines_of(node)
    lines = source.split("\n")
    return {n for n, line in enumerate(lines, 1) if CHINESE.search(line)} - exempt


def lines_of(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def test_no_module_holds_chinese_but_for_tables_of_search_and_examples() -> None:
    found = []
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        if not name.startswith("content/"):
            lines = chinese_lines(name, path.read_text(encoding="utf-8"))
            found += [f"{name}:{line}" for line in sorted(lines)]
    assert found == []


def test_chinese_is_found_wherever_it_is_not_exempt() -> None:
    source = '"""说明"""\nX = "，"\n_EMPTY_WORDS = """\n的\n"""\n# 注\n'
    assert chinese_lines("a.py", source) == {1, 2, 4, 6}
    assert chinese_lines("core/i18n.py", source) == {2, 4, 6}
    assert chinese_lines("app/search/query.py", source) == {1, 2, 6}


def test_each_exemption_is_needed() -> None:
    for name in EXAMPLES | {name for name, _ in TABLES}:
        assert CHINESE.search((PACKAGE / name).read_text(encoding="utf-8")), name


def test_the_core_has_sentences() -> None:
    assert "core" in PARTS
    assert i18n.catalogue("core", "en")


@pytest.mark.parametrize(
    ("environ", "wanted"),
    [
        ({}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "ZH"}, "zh"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "en_US.UTF-8"}, "en"),
        ({"LC_MESSAGES": "zh_TW", "LANG": "en_US"}, "zh"),
        ({"TORCHSTONE_LANG": "zh", "LC_ALL": "en_US"}, "zh"),
        ({"TORCHSTONE_LANG": "", "LC_ALL": " ", "LANG": "zh"}, "zh"),
        ({"LANG": "fr_FR"}, "en"),
    ],
)
def test_the_first_locale_variable_that_is_set_decides(
    environ: dict[str, str], wanted: str
) -> None:
    assert i18n.detect_lang(environ) == wanted


def test_the_environment_of_the_process_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHSTONE_LANG", "zh")
    assert i18n.detect_lang() == "zh"


def test_a_missing_value_is_our_fault() -> None:
    with pytest.raises(KeyError, match="reason"):
        i18n.text("core.folder_unusable.message", "en", path="/a")


def test_both_says_a_sentence_in_every_language() -> None:
    said = i18n.both("core.no_home.message")
    assert said.keys() == {"en", "zh"}
    assert said["en"] != said["zh"]


def test_a_part_without_messages_has_an_empty_catalogue() -> None:
    assert i18n.catalogue("nowhere", "en") == {}


def test_a_catalogue_entry_that_is_no_sentence_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "odd/messages").mkdir(parents=True)
    (tmp_path / "odd/messages/en.toml").write_text("[deep]\nnumber = 3\n")
    monkeypatch.setattr(i18n, "_PACKAGE_ROOT", tmp_path)
    with pytest.raises(TypeError, match=r"odd\.deep\.number is int; expected a string"):
        i18n.catalogue("odd", "en")


@pytest.mark.parametrize(
    ("words", "columns"),
    [
        ("", 0),
        ("abc", 3),
        ("试金石", 6),
        ("手写 Softmax", 12),
        ("，", 2),
        ("e\u0301", 1),
        ("a\u200bb", 2),
        ("\uff46", 2),
        ("\x1b", 0),
    ],
)
def test_display_width_counts_columns(words: str, columns: int) -> None:
    assert i18n.display_width(words) == columns


@given(st.text(), st.integers(0, 40))
def test_a_truncated_line_fits_and_a_fitting_line_is_untouched(words: str, columns: int) -> None:
    cut = i18n.truncate(words, columns)
    assert i18n.display_width(cut) <= columns
    if i18n.display_width(words) <= columns:
        assert cut == words
    else:
        assert cut == "" or words.startswith(cut.removesuffix("…"))


def test_truncate_never_cuts_a_wide_character_in_half() -> None:
    assert i18n.truncate("试金石", 4) == "试…"
    assert i18n.truncate("试金石", 5) == "试金…"
    assert i18n.truncate("试金石", 1) == "…"
    assert i18n.truncate("试金石", 0) == ""


def test_truncate_refuses_a_negative_width() -> None:
    with pytest.raises(ValueError, match="columns is -1"):
        i18n.truncate("a", -1)


@given(st.text(alphabet="a试，"), st.integers(0, 30), st.sampled_from(["left", "right", "center"]))
def test_padding_reaches_the_width_and_keeps_the_words(
    words: str, columns: int, align: str
) -> None:
    padded = i18n.pad(words, columns, align=align)  # type: ignore[arg-type]
    assert i18n.display_width(padded) == max(columns, i18n.display_width(words))
    assert padded.strip(" ") == words


def test_padding_puts_the_spaces_on_the_asked_side() -> None:
    assert i18n.pad("石", 5) == "石   "
    assert i18n.pad("石", 5, align="right") == "   石"
    assert i18n.pad("石", 5, align="center") == " 石  "
    assert i18n.pad("石", 8, align="center") == "   石   "
