"""Whatever the runtime can tell has a sentence in both languages, and every sentence a use."""

import ast
import re
import string

import pytest

from torchstone.cudasim.findings import KINDS, RACES, Fact, Finding
from torchstone.cudasim.nvcc import Resources, compute_occupancy
from torchstone.cudasim.profile import _COLUMNS, _PARTS
from torchstone.cudasim.refusals import HEADERS, IDENTIFIERS, PTX
from torchstone.cudasim.report import describe
from torchstone.cudasim.toolchain import HERE, INCLUDE, RUNTIME
from torchstone.cudasim.words import (
    LANGS,
    Lang,
    _catalogue,
    _find,
    _refusals,
    say,
    say_name,
    translate,
)

pytestmark = pytest.mark.pure

SAYS = re.compile(r'\bsay\(\s*"([^"]+)"(?:,\s*\{(\{.*?\})\})?\s*\)[,;})\s:]', re.DOTALL)


def placeholders(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name is not None}


def facts_of_the_runtime() -> dict[str, set[str]]:
    """Read from the sources what the runtime can tell: each name, with the names of its values."""
    told: dict[str, set[str]] = {}
    for path in sorted(RUNTIME.glob("*.cpp")):
        text = path.read_text(encoding="utf-8")
        found = list(SAYS.finditer(text))
        assert len(found) == len(re.findall(r"\bsay\(", text)), f"{path.name}: a say() is not read"
        for match in found:
            values = set(re.findall(r'\{\s*"(\w+)"\s*,', match[2] or ""))
            assert told.setdefault(match[1], values) == values
    return told


@pytest.mark.parametrize("lang", LANGS)
def test_each_fact_of_the_runtime_has_a_sentence_and_no_sentence_is_left_over(lang: Lang) -> None:
    sentences = _catalogue(lang)["fact"]
    assert {name: placeholders(each) for name, each in sentences.items()} == facts_of_the_runtime()


@pytest.mark.parametrize("name", sorted(facts_of_the_runtime()))
def test_each_fact_is_told_in_chinese(name: str) -> None:
    values = tuple((each, 7) for each in sorted(facts_of_the_runtime()[name]))
    told = describe(Finding(kind="trap", detail=(Fact(say=name, values=values),)), "zh")
    assert re.search(r"[\u4e00-\u9fff]", told)
    assert not re.search(r"\b[A-Za-z]{2,} [A-Za-z]{2,}\b", told)


@pytest.mark.parametrize("lang", LANGS)
def test_what_the_runtime_names_itself_is_in_the_catalogue(lang: Lang) -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in RUNTIME.glob("*.cpp"))
    named = set(re.findall(r'variable = "([^"]+)"', text))
    ops = re.search(r"name_of\(int op\) \{.*?\};", text, re.DOTALL)
    assert ops is not None
    named |= {each for each in re.findall(r'"([^"]+)"', ops[0]) if not each.startswith("__")}
    assert set(_catalogue(lang)["name"]) == named
    # Otherwise a variable, or the condition of an assert, could be one of them.
    assert all(re.search(r"\w \w", each) and " or " not in each for each in named)


@pytest.mark.parametrize("lang", LANGS)
def test_each_kind_column_part_and_limit_has_its_words(lang: Lang) -> None:
    words = _catalogue(lang)
    assert set(words["hint"]) == set(KINDS)
    assert set(words["kind"]) == set(KINDS)
    assert set(words["race"]) == set(RACES)
    assert set(words["copy"]) == {*RACES, "hint"}
    profile = words["profile"]
    assert set(profile["column"]) == {*_COLUMNS, "line"}
    assert set(profile["parts"]) == set(_PARTS)
    nothing = Resources(kernel="k", registers=1, spill_store_bytes=0, spill_load_bytes=0,
                        stack_bytes=0, shared_bytes=0)  # fmt: skip
    assert set(compute_occupancy(nothing, num_threads=1024).limits) <= set(profile["limit"])


@pytest.mark.parametrize("lang", LANGS)
def test_whatever_is_said_by_its_whole_key_is_in_the_catalogue(lang: Lang) -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.py"))
    keys = set(re.findall(r'\b_?say\(\s*"([\w.-]+)"', code))
    assert len(keys) > 20
    assert [key for key in keys if not _find(key, lang)] == []


def assertions_of_the_headers() -> list[str]:
    """Read what static assertions of the headers say, as a compiler passes it on."""
    found = []
    for path in sorted(path for path in INCLUDE.rglob("*") if path.is_file()):
        text = path.read_text(encoding="utf-8")
        said = [
            "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', each))
            for each in re.findall(r"static_assert\((?:[^;]|\n)*?\);|static_assert\([^;]*;", text)
        ]
        assert len(said) == text.count("static_assert("), f"{path.name}: one is not read"
        found += said
    return found


def test_each_assertion_of_the_headers_is_said_in_chinese() -> None:
    found = assertions_of_the_headers()
    assert len(found) > 30
    for sentence in found:
        told = translate(sentence, "zh")
        assert re.search(r"[\u4e00-\u9fff]", told), sentence
        assert translate(sentence, "en") == sentence


def test_each_refusal_of_the_catalogue_comes_from_somewhere() -> None:
    code = "".join(path.read_text(encoding="utf-8") for path in HERE.glob("*.py"))
    used = set(re.findall(r'"refusal\.(\w+)"', code))
    said = assertions_of_the_headers()
    used |= {key for key, pattern in _refusals().items() if any(map(pattern.fullmatch, said))}
    assert set(_catalogue("en")["refusal"]) == used
    reasons = {row.reason for row in IDENTIFIERS + HEADERS if row.reason}
    assert set(_catalogue("en")["reason"]) == {*reasons, *dict(PTX).values(), "ptx"}


def test_no_error_of_cudasim_holds_a_sentence_of_its_own() -> None:
    kinds = {"CudaSyntaxError", "CompileError", "CompilerMissing", "RuntimeBroken", "CacheError"}
    found = []
    for path in sorted(HERE.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
            if isinstance(node, ast.Call) and name in kinds | {"_error"}:
                texts = [
                    each for each in node.args if isinstance(each, ast.Constant | ast.JoinedStr)
                ]
                found += [f"{path.name}:{node.lineno}" for _ in texts]
    assert found == []


@pytest.mark.parametrize("key", sorted(_catalogue("en")["refusal"]))
def test_each_refusal_is_recognised_behind_a_place_and_in_quotes(key: str) -> None:
    names = placeholders(_catalogue("en")["refusal"][key])
    values = dict.fromkeys(names, "x")
    if key in ("unsupported", "ptx"):
        values["reason"] = say("reason.textures", "en")
    english, chinese = say(f"refusal.{key}", "en", **values), say(f"refusal.{key}", "zh", **values)
    chinese = chinese.replace(say("reason.textures", "en"), say("reason.textures", "zh"))
    assert translate(english, "en") == english
    assert _bare(translate(english, "zh")) == _bare(chinese)
    if "\n" not in english:
        line = f"a b.cu:3:5: error: {english}\n    3 | int x;"
        assert (
            translate(line, "zh")
            == f"a b.cu:3:5: error: {translate(english, 'zh')}\n    3 | int x;"
        )
        assert translate(f'#error "{english}"', "zh") == translate(english, "zh")


def _bare(text: str) -> str:
    return text.replace(" ", "")


@pytest.mark.parametrize(
    "text",
    [
        "'y' was not declared in this scope",
        "k.cu:2:1: error: expected ';' before '}' token",
        "tex2D is not supported by cudasim: for no reason of ours",
        "",
    ],
)
def test_what_is_not_of_cudasim_stays_as_the_compiler_says_it(text: str) -> None:
    assert translate(text, "zh") == text


def test_chinese_and_latin_words_are_set_apart_and_values_stay_as_they_are() -> None:
    assert say("whole.variable_sized", "zh", name="数据a", size=3) == "数据a（3 字节）"
    assert say("race.RAW", "zh", who="甲", what="x", other="(1)").startswith(
        "甲读取 x，而 (1) 写过"
    )
    assert say("fact.assertion", "zh", expression="a[数] < n") == "断言 `a[数] < n` 不成立"
    assert say("fact.behind-variable", "en", variable="数").endswith("the variable 数")
    assert say("profile.part", "en", name="a", share=12.6) == "a 13%"


def test_names_of_the_program_are_not_translated() -> None:
    assert [say_name(each, "zh") for each in ("threads", "global", "")] == ["threads", "global", ""]
