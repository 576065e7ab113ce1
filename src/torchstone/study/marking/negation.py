"""Scope of negation: negated words of an answer, and sentences that deny a quoted claim."""

import re
from bisect import bisect_right
from dataclasses import dataclass

from torchstone.study.marking.normal import HAN

NEGATOR = (
    r"\b(?:not|never|no|without|neither|nor|cannot|nothing|none|nobody|hardly|avoids?|unable"
    r"|rather than|instead of)\b|n't\b|\b(?:can|don|doesn|isn|aren|won)t\b"
    r"|不(?![同仅管但过论断])|没|无(?![论穷])|(?<![并除莫若])非(?!常|叶|连续|标量|线性|零)|未(?![来必])|并非|未必|免"
)
_NEGATOR = re.compile(NEGATOR, re.I | re.A)
# Words that end the scope of a negation.
_EDGE = re.compile(
    r"\b(?:and|because|since|so|then|if|when|unless|which|until|yet)\b"
    r"|因为|所以|因此|而且|并且|如果|从而|于是|[、()]",
    re.I | re.A,
)
_TOKEN = re.compile(rf"[A-Za-z0-9_.()']+|[{HAN}]")
_REACH_EN = 8
_REACH_HAN = 9
# Words between a negation and its target, as in "does not really copy".
_AT_ONCE = re.compile(
    r"\s*(?:(?:be|been|a|an|any|really|actually|even|directly|simply|itself|automatically|ever)\s+"
    r"|会|能|再|用|要|被|去|到|得|必|是|直接|自动|真的|完全|需要|可以)*\s*",
    re.I | re.A,
)
# Words after a target that dismiss it, as in "warm-up is useless".
_USELESS = re.compile(
    r"\s*(?:(?:is|are|was) )?(?:useless|pointless|meaningless|superfluous)\b"
    r"|\s*(?:是|根本|其实|完全|就|并)*(?:没用|没有用|没什么用|没必要|没有必要|没意义|没有意义|多余)",
    re.I | re.A,
)
_SAID = r"(?:that|this|it|which|claim|idea|statement|belief|assumption)"
_DENIAL = re.compile(
    r"\b(?:not|isn't|never|n't) (?:actually |quite |really |at all )?"
    r"(?:true|the case|correct|right)\b"
    rf"|\b{_SAID}(?: is|'s| would be) (?:simply |just |plain |plainly )?(?:false|untrue|wrong"
    r"|incorrect|mistaken|a myth|an error|a misconception|a mistake)\b"
    r"|\b(?:wrong|incorrect|false|mistaken|a mistake) "
    r"(?:to (?:say|think|believe|assume|claim)|that)\b"
    r"|\b(?:myth|misconception|misbelief|untrue)\b|\b(?:does not|doesn't|not) mean\b"
    r"|\b(?:contrary to|by no means|far from|nobody should)\b"
    r"|\b(?:people|some|many|one|you|beginners)(?: often| sometimes| might| may| would| people)*"
    r" (?:think|believe|assume|claim)s?\b|\bpeople(?: often| sometimes)? say\b"
    r"|并不是|并非|不是说|说法.{0,6}(?:不对|错)|不正确|不成立|不准确|不属实|(?:这|说|认为|以为).{0,4}(?:错的|错误的|不对)"
    r"|误以为|误认为|误解|误区|有人(?:说|认为|以为)|很多人|(?<!可)以为|不等于说|不意味着|不代表",
    re.I | re.A,
)
_VERDICT = re.compile(r"\s*(?:that|this|it|which|no|wrong|这|那|上面|以上|前面)", re.I)
_TURN = re.compile(
    r"\b(?:but|instead|rather|actually|in fact|in truth)\b|其实|实际上|而是|但", re.I
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Negators:
    """Negation words of an answer, by position."""

    text: str
    spans: tuple[tuple[int, int], ...]

    def before(self, start: int, *, since: int) -> int | None:
        """Return the start of the word that negates the text at ``start``; None if there is none.

        The scope does not extend beyond the start of the clause, ``since``.
        """
        index = bisect_right(self.spans, (start, start)) - 1
        if index < 0:
            return None
        first, end = self.spans[index]
        between = self.text[end:start]
        if first < since or end > start or _EDGE.search(between):
            return None
        reach = _REACH_HAN if re.search(f"[{HAN}]", between) else _REACH_EN
        return first if len(_TOKEN.findall(between)) < reach else None

    def stands_before(self, start: int) -> bool:
        """Return whether a negation word immediately precedes a position."""
        index = bisect_right(self.spans, (start, start)) - 1
        if index < 0 or self.spans[index][1] > start:
            return False
        return _AT_ONCE.fullmatch(self.text, self.spans[index][1], start) is not None

    def is_dismissed(self, end: int) -> bool:
        """Return whether the text before a position is immediately called useless."""
        return _USELESS.match(self.text, end) is not None

    def num_between(self, start: int, end: int) -> int:
        """Count the negation words between two positions, including one after them: "is not"."""
        while self.text[end : end + 1] == " ":
            end += 1
        return sum(start <= first <= end for first, _ in self.spans)

    def num_within(self, start: int, end: int) -> int:
        """Count the negation words that start in a span."""
        return sum(start <= first < end for first, _ in self.spans)


def find_negators(text: str) -> Negators:
    """Find the negation words of a text."""
    return Negators(text=text, spans=tuple(match.span() for match in _NEGATOR.finditer(text)))


def denied_spans(text: str, sentences: tuple[tuple[int, int], ...]) -> tuple[tuple[int, int], ...]:
    """Find the spans that an answer denies, or attributes to others.

    "It is not true that X copies, but Y does": from the start of the sentence to the contrast. If
    the denial comes last ("..., which is wrong"), everything before it in the sentence. A sentence
    that starts with "That is wrong" denies the previous one.
    """
    spans = []
    before = 0
    for start, end in sentences:
        for match in _DENIAL.finditer(text, start, end):
            turn = _TURN.search(text, match.end(), end)
            is_verdict = _VERDICT.match(text, start, end) is not None
            spans.append((before if is_verdict else start, turn.start() if turn else end))
        before = start
    return tuple(spans)
