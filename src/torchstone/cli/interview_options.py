"""Options that several commands of interviews share."""

from __future__ import annotations

from typing import Annotated

import typer

_LEVEL = typer.Option("--level", metavar="junior|mid|senior|expert", help="option.interview_level")
_MINUTES = typer.Option("--minutes", metavar="N", help="option.interview_minutes")
_SEED = typer.Option("--seed", metavar="N", help="option.interview_seed")
_MODE = typer.Option("--mode", metavar="self|conduct", help="option.interview_mode")
_FACTOR = typer.Option("--factor", metavar="1|1.5|2", help="option.interview_factor")

LevelOption = Annotated[str, _LEVEL]
MinutesOption = Annotated[int, _MINUTES]
SeedOption = Annotated[int, _SEED]
ModeOption = Annotated[str, _MODE]
FactorOption = Annotated[float, _FACTOR]

# Where a script may state it as well.
LevelGiven = Annotated[str | None, _LEVEL]
MinutesGiven = Annotated[int | None, _MINUTES]
SeedGiven = Annotated[int | None, _SEED]
ModeGiven = Annotated[str | None, _MODE]
FactorGiven = Annotated[float | None, _FACTOR]
