"""Messages of reports in English and Chinese, from ``messages/en.toml`` and ``zh.toml``.

The files pass the same check of keys and placeholders as all other catalogues. They are read here
because cudasim is self-contained: it imports nothing of Torchstone.
"""

import re
import string
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

Lang: TypeAlias = Literal["en", "zh"]
LANGS: tuple[Lang, ...] = ("en", "zh")

_MESSAGES = Path(__file__).resolve().parent / "messages"


def say(key: str, lang: Lang, /, **values: object) -> str:
    """Format an entry of the catalogue in one language.

    Args:
        key: Its tables and its name: ``"hint.RAW"``.
        lang: The language of the sentence.
        **values: The value of each placeholder of the entry.

    >>> say("fact.never-freed", "zh", bytes=256)
    '256 字节从未释放'
    """
    said = ""
    for literal, name, form, _ in string.Formatter().parse(_find(key, lang)):
        said = _join(said, literal)
        if name is not None:
            said = _join(said, format(values[name], form or ""))
    return said


def translate(text: str, lang: Lang) -> str:
    """Translate a refusal of cudasim; other text stays as it is.

    A refusal may come back through a compiler, from a header or from ``#error``. Then only its
    English sentence is known, perhaps after a source position and in quotes.

    >>> translate("a.cu:3: error: an alignment is a power of two", "zh")
    'a.cu:3: error: 对齐必须是 2 的幂'
    """
    if whole := _translate(text, lang):
        return whole
    return "\n".join(_translate_line(line, lang) for line in text.split("\n"))


def _translate_line(line: str, lang: Lang) -> str:
    place, mark, message = line.rpartition("error: ")
    told = _translate(message, lang)
    return f"{place}{mark}{told}" if told else line


def _translate(message: str, lang: Lang) -> str:
    """Translate a refusal; return an empty string for other text."""
    bare = message.removeprefix("#error ").strip('"')
    for key, pattern in _refusals().items():
        if found := pattern.fullmatch(bare):
            reasons = {text: name for name, text in _catalogue("en")["reason"].items()}
            values = found.groupdict()
            reason = reasons.get(values.get("reason", ""))
            if reason is not None:
                values["reason"] = say(f"reason.{reason}", lang)
            elif "reason" in values and key in _OF_REASON:
                continue
            return say(f"refusal.{key}", lang, **values)
    return ""


# Refusals whose reason is also an entry of the catalogue.
_OF_REASON = ("unsupported", "ptx")
# What a value may contain, so that a sentence is recognised only from its beginning.
_VALUES = {"said": r"(?s:.*)", "name": r"\S+", "variable": r"\w+", "kind": r"\w+"}


@cache
def _refusals() -> dict[str, re.Pattern[str]]:
    """Return the patterns that recognise the English sentence of each refusal."""
    return {key: _recognise(each) for key, each in _catalogue("en")["refusal"].items()}


def _recognise(sentence: str) -> re.Pattern[str]:
    seen: set[str] = set()
    pattern = ""
    for literal, name, _, _ in string.Formatter().parse(sentence):
        pattern += re.escape(literal)
        if name is not None:
            pattern += f"(?P={name})" if name in seen else f"(?P<{name}>{_VALUES.get(name, '.+')})"
            seen.add(name)
    return re.compile(pattern)


def say_name(name: str, lang: Lang) -> str:
    """Translate a name that the runtime uses; a name of the program stays as it is.

    >>> say_name("dynamic shared memory", "zh"), say_name("tile", "zh")
    ('动态共享内存', 'tile')
    """
    known: Mapping[str, str] = _catalogue(lang)["name"]
    return known.get(name, name)


def _find(key: str, lang: Lang) -> str:
    found: Any = _catalogue(lang)
    for name in key.split("."):
        found = found[name]
    assert isinstance(found, str), f"{key} is a table of sentences"
    return found


@cache
def _catalogue(lang: Lang) -> dict[str, Any]:
    return tomllib.loads((_MESSAGES / f"{lang}.toml").read_text(encoding="utf-8"))


def _join(left: str, right: str) -> str:
    """Join texts, with a space between Chinese and a Latin word, a number or a parenthesis."""
    before, after = left[-1:], right[:1]
    has_gap = (_is_han(before) and _is_word(after)) or (_is_word(before) and _is_han(after))
    return f"{left} {right}" if has_gap else left + right


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff"


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or (char != "" and char in "_()<>-&*"))
