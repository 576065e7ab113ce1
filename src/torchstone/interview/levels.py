"""Four candidate levels, interview formats, and minutes per section."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from torchstone.core.errors import BadInput

LEAST_FULL, MOST_FULL = 125, 155
SHORT = (30, 60)


class Level(StrEnum):
    """Candidate level of an interview."""

    JUNIOR = "junior"
    MID = "mid"
    SENIOR = "senior"
    EXPERT = "expert"


class Mode(StrEnum):
    """Interviewer: the program or a person."""

    SELF = "self"
    CONDUCT = "conduct"


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelFacts:
    """Parameters of a level.

    Args:
        mean: Prior mean of the ability.
        emphasis: Multiplier of each section's minutes.
    """

    mean: float
    emphasis: tuple[float, ...]


LEVELS = {
    Level.JUNIOR: LevelFacts(mean=-1.0, emphasis=(1.5, 1.4, 0.9, 0.8, 0.7, 0.3)),
    Level.MID: LevelFacts(mean=0.0, emphasis=(0.9, 1.1, 1.1, 1.1, 1.1, 0.7)),
    Level.SENIOR: LevelFacts(mean=1.0, emphasis=(0.6, 0.8, 1.1, 1.1, 1.4, 1.1)),
    Level.EXPERT: LevelFacts(mean=1.8, emphasis=(0.4, 0.6, 1.0, 1.1, 1.4, 1.6)),
}
# Difficulty of a question by its level in the bank, 1 to 4.
DIFFICULTY = {1: -1.2, 2: -0.2, 3: 0.8, 4: 1.7}


def read_level(name: str) -> Level:
    """Return a level by name.

    Raises:
        BadInput: There is no such level.
    """
    if name not in set(Level):
        raise BadInput("interview.level_unknown", came=name[:40], known=", ".join(Level))
    return Level(name)


def read_mode(name: str) -> Mode:
    """Return a mode by name.

    Raises:
        BadInput: There is no such mode.
    """
    if name not in set(Mode):
        raise BadInput("interview.mode_unknown", came=name[:40], known=", ".join(Mode))
    return Mode(name)


def read_minutes(minutes: int) -> int:
    """Return the length of an interview after a check.

    Raises:
        BadInput: There is no format of this length.
    """
    if minutes in SHORT or LEAST_FULL <= minutes <= MOST_FULL:
        return minutes
    raise BadInput("interview.minutes", came=minutes, least=LEAST_FULL, most=MOST_FULL)


def format_of(minutes: int) -> str:
    """Return the name of the format: quick, standard or full."""
    return {30: "quick", 60: "standard"}.get(minutes, "full")


def share_minutes(
    ranges: tuple[tuple[int, int], ...], level: Level, minutes: int
) -> tuple[float, ...]:
    """Allocate the minutes to sections by the level's emphasis.

    In the full format every section stays within its range in the outline.

    Args:
        ranges: Minimum and maximum minutes of each section in a full interview.
        level: The level.
        minutes: The length of the interview.
    """
    middle = [(low + high) / 2 for low, high in ranges]
    wanted = [m * e for m, e in zip(middle, LEVELS[level].emphasis, strict=True)]
    wanted = [each * minutes / sum(wanted) for each in wanted]
    if format_of(minutes) != "full":
        return tuple(round(each, 2) for each in wanted)
    return tuple(round(each, 2) for each in _clip(wanted, ranges, minutes))


def _clip(wanted: list[float], ranges: tuple[tuple[int, int], ...], minutes: int) -> list[float]:
    """Shift all shares by a constant, so that the clipped values sum to the minutes."""
    low, high = -float(minutes), float(minutes)
    for _ in range(100):
        shift = (low + high) / 2
        clipped = [
            min(max(each + shift, least), most)
            for each, (least, most) in zip(wanted, ranges, strict=True)
        ]
        if sum(clipped) < minutes:
            low = shift
        else:
            high = shift
    return clipped
