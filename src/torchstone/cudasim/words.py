"""Every sentence of a report, in English and Chinese: ``messages/en.toml`` and ``zh.toml``.

The files are like those of every other part, and held to the same keys and placeholders. They are
read here because cudasim stands alone: it imports nothing of Torchstone.
"""

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
        **values: One for each placeholder of the entry.

    >>> say("fact.never-freed", "zh", bytes=256)
    '256 字节从未释放'
    """
    said = ""
    for literal, name, form, _ in string.Formatter().parse(_find(key, lang)):
        said = _join(said, literal)
        if name is not None:
            said = _join(said, format(values[name], form or ""))
    return said


def say_name(name: str, lang: Lang) -> str:
    """Return what the runtime calls something; a name of the program stays as it is.

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
    """Put a space between Chinese and a Latin word, a number or a parenthesis."""
    before, after = left[-1:], right[:1]
    has_gap = (_is_han(before) and _is_word(after)) or (_is_word(before) and _is_han(after))
    return f"{left} {right}" if has_gap else left + right


def _is_han(char: str) -> bool:
    return "\u4e00" <= char <= "\u9fff"


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or (char != "" and char in "_()<>-&*"))
