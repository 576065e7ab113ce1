"""Whether what an answer has of a key point is enough to credit it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

# Log-odds that a person credits the point, by logistic regression over 681 answers that were
# written without the wordings; rounded.
_TWO_SLOTS = 0.6
_TELLING = 0.5
_WHOLE = 0.7
_LEAD, _LEADS = 3.0, (-0.3, 0.4)
_NEARNESS, _NEAREST = 1.0, 0.5
_MORE_WORDINGS, _MOST_WORDINGS = 1.5, 2
_OTHERS, _MOST_OTHERS = 1.0, 2
_THRESHOLD = 1.9
# A clause that is but a condition has to be as much nearer than any other sentence.
_CONDITION_LEAD = 0.1


@dataclass(frozen=True, kw_only=True)
class Touch:
    """A wording of a key point, where an answer says it.

    Args:
        index: The number of the clause.
        num_slots: Slots of words in the wording.
        is_telling: Whether the wording is rarely met by chance.
        is_whole: Whether the clause itself has all the words.
        is_condition: Whether the clause is but the condition of the next.
        nearness: How near clause and sentence are to the sentence of the point, from 0 to 1.
        lead: How much nearer than to any other point or misconception.
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
        """Return the log-odds that this wording adds."""
        least, most = _LEADS
        return (
            _TWO_SLOTS * (self.num_slots >= 2)
            + _TELLING * self.is_telling
            + _WHOLE * self.is_whole
            + _LEAD * min(max(self.lead, least), most)
            + _NEARNESS * min(self.nearness, _NEAREST)
        )


def is_earned(touches: Sequence[Touch], num_others: int) -> bool:
    """Tell whether an answer earns a point: by its best wording, by how many, by its other points.

    One wording alone may be there by chance. More sentences only add to it.

    Args:
        touches: The wordings of the point that the answer says, at least one.
        num_others: How many other points it says something of.
    """
    if len(touches) == 1 and touches[0].is_condition and touches[0].lead < _CONDITION_LEAD:
        return False
    evidence = max(touch.strength for touch in touches)
    evidence += _MORE_WORDINGS * min(len(touches) - 1, _MOST_WORDINGS)
    evidence += _OTHERS * min(num_others, _MOST_OTHERS)
    return evidence >= _THRESHOLD
