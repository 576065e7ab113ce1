"""The colours and glyphs of the terminal: gold for what is proven, and for nothing else.

A verdict is glyph, word and colour, so that it reads without any one of them.
"""

from dataclasses import dataclass

from torchstone.core.verdict import Verdict

# Colours of the 256; a terminal with 16 gets the nearest, one with NO_COLOR none.
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

PASSED, FAILED, UNREACHED = "✓", "✗", "·"
STREAK, STREAK_END = "━", "╸"
STAR = "★"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a verdict looks."""

    glyph: str
    style: str


_FAMILIES = (
    (Mark(glyph="✓", style=GOLD), (Verdict.AC,)),
    (Mark(glyph="✗", style=WRONG), (Verdict.WA,)),
    (Mark(glyph="✗", style=CRASH), (Verdict.RTE, Verdict.CE)),
    (
        Mark(glyph="◷", style=LIMIT),
        (Verdict.TLE, Verdict.MLE, Verdict.OLE, Verdict.HUNG, Verdict.SLOW),
    ),
    (Mark(glyph="⇄", style=HAZARD), (Verdict.RACE, Verdict.OOB, Verdict.UNINIT)),
    (Mark(glyph="⊘", style=BANNED), (Verdict.FORBIDDEN_OP, Verdict.INPUT_MUTATED)),
    (Mark(glyph="!", style=SECONDARY), (Verdict.IE,)),
)
MARKS = {verdict: mark for mark, verdicts in _FAMILIES for verdict in verdicts}

# By the values of study.Status, which would import the scheduler.
STATUS_MARKS = {
    "proven": Mark(glyph="✓", style=GOLD),
    "tried": Mark(glyph="○", style=PLAIN),
    "untouched": Mark(glyph="·", style=SECONDARY),
}
