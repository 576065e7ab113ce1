"""``Draw``: random choices before the first item: available topics, code tasks and minutes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from torchstone.interview.item import Item, Kind, Pool
from torchstone.interview.levels import LEVELS, Level, Mode, format_of, share_minutes
from torchstone.interview.stream import Stream

# Minutes per program.
MINUTES_PER_PROGRAM = 40
# Minimum number of available items per section.
_LEAST_IN_PLAY = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """Arguments of an interview; equal settings give the same plan.

    Args:
        excluded: Items that are not asked, such as those studied a few days ago.
        factor: Time factor: 1, 1.5 or 2.
    """

    seed: int
    level: Level
    minutes: int
    mode: Mode = Mode.SELF
    excluded: tuple[str, ...] = ()
    factor: float = 1.0

    @property
    def format(self) -> str:
        """Return the name of the format."""
        return format_of(self.minutes)

    @property
    def mean(self) -> float:
        """Return the prior mean of the ability."""
        return LEVELS[self.level].mean


@dataclass(frozen=True, kw_only=True)
class Draw:
    """Random choices of the seed.

    Args:
        in_play: Available items of each section, without programs.
        programs: Program of a section, if it has one.
        minutes: Minutes of each section.
    """

    in_play: Mapping[int, tuple[Item, ...]]
    programs: Mapping[int, Item]
    minutes: tuple[float, ...]

    @cached_property
    def ends(self) -> tuple[float, ...]:
        """Return the minute at which each section ends."""
        ends, total = [], 0.0
        for each in self.minutes:
            total += each
            ends.append(total)
        return tuple(ends)


def draw(pool: Pool, ranges: tuple[tuple[int, int], ...], setting: Setting) -> Draw:
    """Draw the available topics and the code tasks, and allocate the minutes.

    Half of the topics of a large section are left out, so that two interviews share few items, and
    the exposure of each item is limited.
    """
    shares = share_minutes(ranges, setting.level, setting.minutes)
    excluded = set(setting.excluded)
    allowed = [item for item in pool if item.id not in excluded]
    programs = _programs(allowed, shares, setting)
    if setting.format != "full" and programs:
        # In a short interview no section is as long as a program: its time comes from all sections.
        taken = sum(item.minutes for item in programs.values())
        left = [each * (setting.minutes - taken) / setting.minutes for each in shares]
        for section, item in programs.items():
            left[section - 1] += item.minutes
        shares = tuple(round(each, 2) for each in left)
    prose = [item for item in allowed if item.kind is not Kind.CODE]
    sections = range(1, len(ranges) + 1)
    return Draw(
        in_play={k: _half([i for i in prose if i.section == k], setting, k) for k in sections},
        programs=programs,
        minutes=shares,
    )


def _half(items: list[Item], setting: Setting, section: int) -> tuple[Item, ...]:
    if len(items) <= _LEAST_IN_PLAY:
        return tuple(items)
    topics = Stream(setting.seed, "topics", section).shuffled(sorted({i.topic for i in items}))
    kept: set[str] = set()
    for number, topic in enumerate(topics):
        chosen = sum(item.topic in kept for item in items)
        if number >= len(topics) / 2 and chosen >= _LEAST_IN_PLAY:
            break
        kept.add(topic)
    return tuple(item for item in items if item.topic in kept)


def _programs(
    items: Iterable[Item], shares: tuple[float, ...], setting: Setting
) -> dict[int, Item]:
    """Choose one program per forty minutes, of different kinds and in different sections."""
    wanted = setting.minutes // MINUTES_PER_PROGRAM
    stream = Stream(setting.seed, "programs")
    fitting = [
        item
        for item in items
        if item.kind is Kind.CODE and item.minutes <= _room(setting, shares[item.section - 1])
    ]
    chosen: dict[int, Item] = {}
    for group in stream.shuffled(sorted({item.group for item in fitting})):
        free = [item for item in fitting if item.group == group and item.section not in chosen]
        families = sorted({item.family for item in free})
        if families and len(chosen) < wanted:
            family = stream.pick(families)
            item = stream.pick([item for item in free if item.family == family])
            chosen[item.section] = item
    return chosen


def _room(setting: Setting, share: float) -> float:
    """Return the maximum minutes of a program: in a short interview, a quarter of the total."""
    return share if setting.format == "full" else setting.minutes / 4
