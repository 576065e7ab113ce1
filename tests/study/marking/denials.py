"""Sentences that deny a misconception, made from its own words."""

import re
from collections.abc import Iterator

_VERB = re.compile(
    r"^(?:\S+ ){1,5}?(?:always |also |automatically )?(copies|makes|gives|returns|takes|keeps|turns"
    r"|raises|needs|uses|means|holds|adds|allows|applies|computes|stores|saves|prevents|sets|calls"
    r"|drops|divides|multiplies|updates|reduces|stops|frees|clears|moves|changes|cuts|puts|shares"
    r"|averages|freezes|switches|disables|removes|cures|fixes|repairs|reads|writes|follows|decides"
    r"|counts|restores|affects|loads|registers|converts|rounds)\b"
)
_AUXILIARY = re.compile(r"^(?:\S+ ){1,5}?(is|are|can|must|may|will|has to|were|was)\b")
# A denial of the first of several clauses leaves the others standing, and they may be wrong.
_SEVERAL_EN = re.compile(r"[,;:]| and | until | that ")
_SEVERAL_ZH = re.compile("[，；：]")
_NOT_ZH = (
    ("总是", "并不总是"),
    ("会", "不会"),
    ("就是", "并不就是"),
    ("必须", "不必"),
    ("是", "不是"),
    ("能", "不能"),
    ("等于", "不等于"),
)


def deny_en(said: str) -> Iterator[str]:
    """Yield denials of an English sentence."""
    said = said.rstrip(".")
    inner = said[0].lower() + said[1:] if re.match(r"[A-Z][a-z]* ", said) else said
    yield f"It is not true that {inner}."
    yield f"It is wrong to say that {inner}."
    yield f"People often think that {inner}, but that is a mistake."
    yield f"It doesn't mean that {inner}."
    yield f"{said}. That is not true."
    if _SEVERAL_EN.search(said):
        return
    auxiliary, verb = _AUXILIARY.search(said), _VERB.search(said)
    if auxiliary and (not verb or auxiliary.start(1) < verb.start(1)):
        yield f"{said[: auxiliary.end()]} not{said[auxiliary.end() :]}."
    elif verb:
        yield f"{said[: verb.start(1)]}does not {_infinitive(verb[1])}{said[verb.end() :]}."


def deny_zh(said: str) -> Iterator[str]:
    """Yield denials of a Chinese sentence."""
    said = said.rstrip("。")
    yield f"并不是{said}。"
    yield f"{said}，这种说法不对。"
    yield f"有人认为{said}，其实不是这样。"
    yield f"{said}。这是错的。"
    if _SEVERAL_ZH.search(said) or "学会" in said:
        return
    for word, denied in _NOT_ZH:
        if word in said and denied not in said:
            yield f"{said.replace(word, denied, 1)}。"
            return


def _infinitive(verb: str) -> str:
    if verb.endswith("ies"):
        return f"{verb[:-3]}y"
    return verb[:-2] if re.search(r"(?:ch|sh|ss)es$", verb) else verb[:-1]
