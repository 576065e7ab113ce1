"""Terminal colours and glyphs; gold marks only proven problems.

A verdict has a glyph, a word and a colour, so that two of them are enough to read it.
"""

from dataclasses import dataclass

from torchstone.core.verdict import Family, Verdict

# Colours of the 256; a terminal with 16 uses the nearest, one with NO_COLOR none.
GOLD = "bold color(179)"
WRONG = "bold color(209)"
CRASH = "bold color(175)"
LIMIT = "bold color(111)"
HAZARD = "bold color(147)"
BANNED = "bold color(79)"
SECONDARY = "color(246)"
NUMBER = "color(250)"
STRONG = "bold"
PLAIN = ""
# Code inside a sentence differs from it by its weight.
CODE_STYLES = {STRONG: "not bold color(250)"}
CODE = "bold color(250)"

PASSED, FAILED, UNREACHED = "✓", "✗", "·"
STREAK, STREAK_END = "━", "╸"
STAR = "★"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """The style of a verdict."""

    glyph: str
    style: str


_FAMILY_MARKS = {
    Family.ACCEPTED: Mark(glyph="✓", style=GOLD),
    Family.WRONG: Mark(glyph="✗", style=WRONG),
    Family.CRASH: Mark(glyph="✗", style=CRASH),
    Family.LIMIT: Mark(glyph="◷", style=LIMIT),
    Family.HAZARD: Mark(glyph="⇄", style=HAZARD),
    Family.BANNED: Mark(glyph="⊘", style=BANNED),
    Family.FAULT: Mark(glyph="!", style=SECONDARY),
}
MARKS = {verdict: _FAMILY_MARKS[verdict.family] for verdict in Verdict}

# A run of the samples proves nothing, whatever its verdict: neither its glyph nor gold.
RUN = "▷"

# By the values of study.Status, whose import would load the scheduler.
STATUS_MARKS = {
    "proven": Mark(glyph="✓", style=GOLD),
    "tried": Mark(glyph="○", style=PLAIN),
    "untouched": Mark(glyph="·", style=SECONDARY),
}
