"""Plan an interview, and report the coverage of the outline."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from typing import Any

from torchstone.app.home import Home
from torchstone.app.interview.material import read_material
from torchstone.app.interview.running import plan_for
from torchstone.core.errors import BadInput
from torchstone.interview.coverage import cover
from torchstone.interview.draw import Setting
from torchstone.interview.levels import read_level, read_minutes, read_mode
from torchstone.interview.simulate import DESIGNS, Row, simulate

_MOST_SEED = 2**53
_MOST_CANDIDATES = 5000
FACTORS = (1.0, 1.5, 2.0)


def read_setting(
    *, level: str, minutes: int, seed: int, mode: str = "self", factor: float = 1.0
) -> Setting:
    """Parse the arguments of an interview.

    Raises:
        BadInput: An argument is invalid; the error names the valid ones.
    """
    if not 0 <= seed <= _MOST_SEED:
        raise BadInput("interview.seed", came=seed, most=_MOST_SEED)
    if factor not in FACTORS:
        known = ", ".join(f"{each:g}" for each in FACTORS)
        raise BadInput("interview.factor", came=f"{factor:g}", known=known)
    return Setting(
        seed=seed,
        level=read_level(level),
        minutes=read_minutes(minutes),
        mode=read_mode(mode),
        factor=factor,
    )


def plan_interview(home: Home, setting: Setting) -> dict[str, Any]:
    """Return the plan of an interview as JSON."""
    return plan_for(read_material(home), setting).plain()


def cover_outline(home: Home) -> dict[str, Any]:
    """Return the items of each point, and the points that only open items cover."""
    material = read_material(home)
    points = cover(material.pool, material.outline)
    return {
        "num_topics": sum(1 for _ in material.outline.topics),
        "num_points": len(points),
        "num_items": len(material.pool.items),
        "open": [each.id for each in points if each.stands_in],
        "absent": [each.id for each in points if not each.num_items],
        "points": [asdict(each) for each in points],
        "code": [
            {"family": task.family, "problems": [variant.problem for variant in task.variants]}
            for task in material.tasks
        ],
    }


def simulate_candidates(
    home: Home, candidates: int, on_row: Callable[[Row], None]
) -> tuple[Row, ...]:
    """Simulate candidates of each design with the installed items.

    Raises:
        BadInput: The number of candidates is out of range.
    """
    if not 2 <= candidates <= _MOST_CANDIDATES:
        raise BadInput("interview.candidates", came=candidates, most=_MOST_CANDIDATES)
    material = read_material(home)
    rows = []
    for design in DESIGNS:
        row = simulate(material.pool, material.outline, design, candidates=candidates)
        on_row(row)
        rows.append(row)
    return tuple(rows)
