"""Messages in English and Chinese, language detection, and the display width of text.

Each sub-package has its own messages. The key ``"judge.no_sandbox"`` is in
``torchstone/judge/messages/en.toml`` and ``zh.toml``, in the (nested) table ``no_sandbox``. Both
files have the same keys and the same ``{placeholders}``; a test checks this.
"""

import os
import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

Lang: TypeAlias = Literal["en", "zh"]
LANGS: tuple[Lang, ...] = ("en", "zh")

_PACKAGE_ROOT = Path(__file__).resolve().parent.parent
_LOCALE_VARIABLES = ("TORCHSTONE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")


def detect_lang(environ: Mapping[str, str] | None = None) -> Lang:
    """Detect the language from the first locale variable that is set.

    Args:
        environ: The environment variables; those of the process by default.

    >>> detect_lang({"LANG": "zh_CN.UTF-8"})
    'zh'
    """
    variables = os.environ if environ is None else environ
    for name in _LOCALE_VARIABLES:
        value = variables.get(name, "").strip()
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"


def text(key: str, lang: Lang, /, **values: object) -> str:
    """Format a message in one language.

    Args:
        key: ``<sub-package>.<entry>``, e.g. ``"core.setting_unknown.message"``.
        lang: The language of the message.
        **values: One value for each placeholder of the message.

    Raises:
        KeyError: The key does not exist, or a placeholder has no value. The caller is wrong.
    """
    template = catalogue(key.partition(".")[0], lang).get(key)
    if template is None:
        raise KeyError(
            f"text: there is no {lang} message {key!r}; add it to the messages/ of its sub-package."
        )
    return template.format_map(values)


def both(key: str, /, **values: object) -> dict[str, str]:
    """Format a message in both languages: ``{"en": ..., "zh": ...}``."""
    return {lang: text(key, lang, **values) for lang in LANGS}


@cache
def catalogue(part: str, lang: Lang) -> Mapping[str, str]:
    """Load the messages of one sub-package by their full keys; empty if it has none."""
    path = _PACKAGE_ROOT / part / "messages" / f"{lang}.toml"
    if not path.is_file():
        return {}
    return _flatten(tomllib.loads(path.read_text(encoding="utf-8")), prefix=part)


def _flatten(table: Mapping[str, object], *, prefix: str) -> dict[str, str]:
    sentences: dict[str, str] = {}
    for name, value in table.items():
        key = f"{prefix}.{name}"
        if isinstance(value, dict):
            sentences |= _flatten(value, prefix=key)
        elif isinstance(value, str):
            sentences[key] = value
        else:
            raise TypeError(f"catalogue: {key} is {type(value).__name__}; expected a string.")
    return sentences


def display_width(words: str) -> int:
    """Return the number of terminal columns of a line; a Chinese character takes two.

    >>> display_width("手写 Softmax")
    12
    """
    return sum(_columns(char) for char in words)


def _columns(char: str) -> int:
    # Combining marks, joiners and control characters do not move the cursor.
    if unicodedata.category(char) in {"Mn", "Me", "Cf", "Cc"}:
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def truncate(words: str, columns: int, *, ellipsis: str = "…") -> str:
    """Shorten a line to at most ``columns`` columns without splitting a wide character.

    >>> truncate("手写 Softmax", 6)
    '手写 …'
    """
    if columns < 0:
        raise ValueError(f"truncate: columns is {columns}; expected a number from 0 up.")
    if display_width(words) <= columns:
        return words
    room = columns - display_width(ellipsis)
    if room < 0:
        return ""
    kept = 0
    for index, char in enumerate(words):
        kept += _columns(char)
        if kept > room:
            return words[:index] + ellipsis
    raise AssertionError("truncate: a line wider than its columns must exceed them at a character")


def pad(words: str, columns: int, *, align: Literal["left", "right", "center"] = "left") -> str:
    """Pad a line with spaces to ``columns`` columns; a longer line stays unchanged.

    >>> pad("试金石", 8) + "|"
    '试金石  |'
    """
    spare = max(0, columns - display_width(words))
    before = {"left": 0, "right": spare, "center": spare // 2}[align]
    return " " * before + words + " " * (spare - before)
