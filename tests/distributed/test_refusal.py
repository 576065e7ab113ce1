"""Each refusal has a sentence and a hint in both languages, made of its values alone."""

from __future__ import annotations

import ast
import copy
import pickle
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest

import torchstone.distributed
from torchstone.core.i18n import LANGS, catalogue
from torchstone.distributed.refusal import Phrase, Refusal, packed, unpacked

pytestmark = [pytest.mark.torch]

SOURCES = Path(torchstone.distributed.__file__).parent
REFUSAL, PHRASE = "distributed.refusal.", "distributed.phrase."


def keys(prefix: str) -> set[str]:
    return {
        key.removeprefix(prefix).removesuffix(".message").removesuffix(".hint")
        for key in catalogue("distributed", "en")
        if key.startswith(prefix)
    }


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Yield each call of the package, with the name of what is called."""
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call):
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                yield name, node


def words_of_sources() -> set[str]:
    return {
        node.value
        for path in SOURCES.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_both_languages_have_the_same_keys_and_values() -> None:
    english, chinese = (catalogue("distributed", lang) for lang in LANGS)
    assert english.keys() == chinese.keys()
    for key, sentence in english.items():
        assert fields(sentence) == fields(chinese[key]), key
        if key.startswith(REFUSAL):
            assert re.search("[\u4e00-\u9fff]", chinese[key]), key


def test_each_code_that_is_raised_has_a_sentence_and_each_sentence_is_raised() -> None:
    codes = keys(REFUSAL)
    words = words_of_sources()
    for name, call in calls():
        if name == "Refusal" and call.args and isinstance(call.args[0], ast.Constant):
            assert call.args[0].value in codes, ast.unparse(call)
        if name == "Phrase" and call.args and isinstance(call.args[0], ast.Constant):
            assert call.args[0].value in keys(PHRASE), ast.unparse(call)
        if name == "Damaged" and call.args and isinstance(call.args[0], ast.Constant):
            assert f"damage_{call.args[0].value}" in keys(PHRASE), ast.unparse(call)
    assert codes <= words, codes - words
    phrases = {each.removeprefix("damage_") for each in keys(PHRASE)}
    assert phrases <= words, phrases - words


def test_what_is_raised_gives_every_value() -> None:
    for name, call in calls():
        code = call.args[0] if call.args else None
        if name != "Refusal" or not isinstance(code, ast.Constant):
            continue
        given = {each.arg for each in call.keywords}
        if None in given:
            continue
        told = {key: catalogue("distributed", "en")[f"{REFUSAL}{code.value}.{key}"]
                for key in ("message", "hint")}  # fmt: skip
        assert fields(told["message"]) | fields(told["hint"]) == given, ast.unparse(call)


@pytest.mark.parametrize("lang", LANGS)
def test_a_refusal_says_its_values_in_each_language(lang: str) -> None:
    refusal = Refusal("interface", name="X", came="eth9", wanted=("lo", Phrase("nothing")))
    assert isinstance(refusal, ValueError)
    told = refusal.message(lang)
    assert {"en": "there are lo, nothing.", "zh": "只有 lo、没有。"}[lang] in told
    assert "'eth9'" in told
    assert str(refusal) == f"{refusal.message('en')} {refusal.hint('en')}"


def test_a_value_that_is_missing_is_a_fault_of_ours() -> None:
    with pytest.raises(KeyError):
        Refusal("backend", came="x")


def test_a_refusal_is_copied_and_pickled() -> None:
    refusal = Refusal("data_differ", rank=1, name="seed", came=Phrase("nothing"), wanted=3)
    for again in (pickle.loads(pickle.dumps(refusal)), copy.copy(refusal)):
        assert (again.code, again.values, str(again)) == (
            refusal.code,
            refusal.values,
            str(refusal),
        )
        assert again.message("zh") == refusal.message("zh")


def test_values_travel_between_ranks() -> None:
    inner = Phrase("damage_changed", folder="a", file="b")
    values = {"path": Path("x"), "reason": (inner, Phrase("nothing")), "rank": 3, "share": 0.5}
    again = unpacked(packed(values))
    assert again == {"path": "x", "reason": (inner, "nothing"), "rank": 3, "share": 0.5}
    assert again["reason"][0].told("zh") == inner.told("zh") == "a/b 写入之后被改动过"
