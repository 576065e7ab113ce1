"""Canonical JSON form of an FSRS card."""

from datetime import datetime
from typing import Annotated, Literal

import msgspec


class CardState(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of an FSRS card; moments stay text, so that a copy has the same bytes."""

    card_id: Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
    state: Literal[1, 2, 3]
    step: Annotated[int, msgspec.Meta(ge=0, le=100)] | None
    stability: Annotated[float, msgspec.Meta(gt=0, le=1e6)] | None
    difficulty: Annotated[float, msgspec.Meta(ge=1, le=10)] | None
    due: str
    last_review: str | None

    def __post_init__(self) -> None:
        """Check that the moments are valid and have a time zone."""
        for moment in (self.due, self.last_review):
            if moment is not None and datetime.fromisoformat(moment).tzinfo is None:
                raise ValueError(f"{moment} has no time zone")


def canonical_card(card: str) -> str:
    """Convert the JSON text of a card to its canonical form.

    Raises:
        ValueError: The text is not the JSON of a card.
    """
    try:
        state = msgspec.json.decode(card, type=CardState)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ValueError(f"canonical_card: {error}; give the JSON of an FSRS card.") from error
    return card_text(state)


def card_text(state: CardState) -> str:
    """Write a card in canonical form."""
    return msgspec.json.encode(state, order="sorted").decode()
