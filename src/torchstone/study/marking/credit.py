"""Decide whether the matches of a key point suffice to credit it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

# Log-odds that a person credits the point, from a logistic regression over 681 answers written
# without knowledge of the wordings; rounded.
_TWO_SLOTS = 0.6
_TELLING = 0.5
_WHOLE = 0.7
_LEAD, _LEADS = 3.0, (-0.3, 0.4)
_NEARNESS, _NEAREST = 1.0, 0.5
_MORE_WORDINGS, _MOST_WORDINGS = 1.5, 2
_OTHERS, _MOST_OTHERS = 1.0, 2
_THRESHOLD = 1.9
# A conditional clause needs this larger margin over any other sentence.
_CONDITION_LEAD = 0.1


@dataclass(frozen=True, kw_only=True)
class Touch:
    """Match of a key point's wording in an answer.

    Args:
        index: Index of the clause.
        num_slots: Number of word slots in the wording.
        is_telling: Whether the wording rarely matches by chance.
        is_whole: Whether the clause itself contains all words.
        is_condition: Whether the clause is only the condition of the next one.
        nearness: Similarity of clause and sentence to the sentence of the point, from 0 to 1.
        lead: Margin over the similarity to any other point or misconception.
    """

    index: int
    num_slots: int
    is_telling: bool
    is_whole: bool
    is_condition: bool
    nearness: float
    lead: float

    @cached_property
    def strength(self) -> float:
        """Return the log-odds that this match contributes."""
        least, most = _LEADS
        return (
            _TWO_SLOTS * (self.num_slots >= 2)
            + _TELLING * self.is_telling
            + _WHOLE * self.is_whole
            + _LEAD * min(max(self.lead, least), most)
            + _NEARNESS * min(self.nearness, _NEAREST)
        )


def is_earned(touches: Sequence[Touch], num_others: int) -> bool:
    """Return whether an answer earns a point, by a logistic model of its matches.

    A single match may be due to chance. Additional sentences only increase the odds.

    Args:
        touches: Matches of the point's wordings, at least one.
        num_others: Number of other points with matches.
    """
    if len(touches) == 1 and touches[0].is_condition and touches[0].lead < _CONDITION_LEAD:
        return False
    evidence = max(touch.strength for touch in touches)
    evidence += _MORE_WORDINGS * min(len(touches) - 1, _MOST_WORDINGS)
    evidence += _OTHERS * min(num_others, _MOST_OTHERS)
    return evidence >= _THRESHOLD
