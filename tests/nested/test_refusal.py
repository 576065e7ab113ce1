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

import torchstone.nested
from torchstone.core.i18n import LANGS, catalogue
from torchstone.nested import BadType, BadValue, Refusal

pytestmark = [pytest.mark.torch]

SOURCES = Path(torchstone.nested.__file__).parent
PREFIX = "nested.refusal."


def fields(sentence: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(sentence) if name}


def raised() -> Iterator[tuple[str, set[str]]]:
    """Yield the code of each refusal that is made, and the names of its values."""
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or not node.args or not node.keywords:
                continue
            if getattr(node.func, "id", "") in ("BadValue", "BadType", "refused"):
                (code,) = node.args
                assert isinstance(code, ast.Constant)
                yield code.value, {str(each.arg) for each in node.keywords}


def test_both_languages_have_the_same_keys_and_values() -> None:
    english, chinese = (catalogue("nested", lang) for lang in LANGS)
    assert english.keys() == chinese.keys()
    for key, sentence in english.items():
        assert fields(sentence) == fields(chinese[key]), key
        assert re.search("[\u4e00-\u9fff]", chinese[key]), key


def test_what_is_raised_can_be_said_and_what_can_be_said_is_raised() -> None:
    english = catalogue("nested", "en")
    said = {key[len(PREFIX) :].partition(".")[0] for key in english if key.startswith(PREFIX)}
    codes = set()
    for code, given in raised():
        codes.add(code)
        told = fields(english[f"{PREFIX}{code}.message"]) | fields(english[f"{PREFIX}{code}.hint"])
        assert told == given, code
    assert said - codes <= {"keys_and_values"}, "it has no values"
    assert codes <= said


def test_a_refusal_is_a_value_error_or_a_type_error_and_is_copied() -> None:
    refusal = BadValue("block_divides", function="quantize", came=48, width=64)
    assert isinstance(refusal, ValueError)
    assert issubclass(BadType, TypeError)
    for again in (pickle.loads(pickle.dumps(refusal)), copy.copy(refusal)):
        assert isinstance(again, Refusal)
        assert (again.code, again.values, str(again)) == (
            refusal.code,
            refusal.values,
            str(refusal),
        )
