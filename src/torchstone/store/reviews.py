"""Review log: immutable entries; the card of an item is that of its last valid review.

The store only keeps the card; ``study.schedule`` computes it.
"""

import json
from abc import ABC
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, func, insert, select, true, update

from torchstone.store.card import canonical_card
from torchstone.store.damage import fact_hash, is_intact
from torchstone.store.order import TICK, next_moment
from torchstone.store.records import ReviewCard, ReviewEntry
from torchstone.store.schema import reviews
from torchstone.store.section import Section
from torchstone.store.validation import aware, encode_json, storable_name

_table = reviews.c
RATINGS = range(1, 5)


class Reviews(Section, ABC):
    """The section of the store with the reviews."""

    def record_review(
        self,
        item: str,
        *,
        previous: str | None,
        rating: int,
        evidence: Mapping[str, object],
        card: str,
        due: datetime,
        reviewed_at: datetime,
    ) -> bool:
        """Add a review to the log, if the item still has the card from which it was computed.

        Args:
            item: The reviewed item, e.g. ``"problem:01"``.
            previous: The card before the review; None at the first review.
            rating: 1 Again, 2 Hard, 3 Good, 4 Easy.
            evidence: The evidence of the rating, a JSON object.
            card: The new card, FSRS JSON as text.
            due: The next due date of the item.
            reviewed_at: The moment of the review.

        Returns:
            False if another process has reviewed the item in the meantime; nothing is stored then.

        Raises:
            ValueError: The rating is unknown, the card is not an FSRS card, or the evidence is not
                a JSON object.
        """
        values = _fact(item, rating=rating, evidence=evidence, card=card, due=due)
        expected = None if previous is None else canonical_card(previous)
        moment = aware(reviewed_at, what="record_review: reviewed_at")
        with self._writing() as connection:
            standing = _standing(connection, item)
            if (standing.card if standing else None) != expected:
                return False
            _add(connection, values, moment=moment)
        return True

    def undo_review(self, item: str, *, reviewed_at: datetime | None = None) -> bool:
        """Undo the last review of an item, so that its previous card is valid again.

        Args:
            item: The reviewed item.
            reviewed_at: The moment of the review to undo, so that two equal requests undo one
                review; the last review by default.

        Returns:
            False if there is no review to undo, or the given review is not the last one.
        """
        with self._writing() as connection:
            standing = _standing(connection, item)
            if standing is None or reviewed_at not in (None, standing.reviewed_at):
                return False
            undo = update(reviews).where(_table.number == standing.number)
            undone_at = next_moment(connection, self._clock())
            connection.execute(undo.values(undone_at=undone_at))
        return True

    def amend_review(
        self,
        item: str,
        *,
        reviewed_at: datetime,
        rating: int,
        evidence: Mapping[str, object],
        card: str,
        due: datetime,
    ) -> bool:
        """Replace the last review of an item by another rating of the same work.

        The replaced review stays in the log as undone. The arguments are those of
        ``record_review``.

        Args:
            item: The reviewed item.
            reviewed_at: The moment of the review to replace.
            rating: The new rating.
            evidence: The new evidence.
            card: The new card, computed from the card before the replaced review.
            due: The next due date of the item.

        Returns:
            False if the given review is not the last one; nothing is stored then.
        """
        values = _fact(item, rating=rating, evidence=evidence, card=card, due=due)
        with self._writing() as connection:
            standing = _standing(connection, item)
            if standing is None or standing.reviewed_at != reviewed_at:
                return False
            undo = update(reviews).where(_table.number == standing.number)
            undone_at = next_moment(connection, self._clock())
            connection.execute(undo.values(undone_at=undone_at))
            _add(connection, values, moment=undone_at)
        return True

    def review_card(self, item: str) -> ReviewCard | None:
        """Read the review schedule of one item; None if it has no review."""
        with self._reading() as connection:
            standing = _standing(connection, item)
        return _card(standing) if standing else None

    def review_cards(self) -> dict[str, ReviewCard]:
        """Read the review schedule of every reviewed item, by item."""
        with self._reading() as connection:
            return {row.item: _card(row) for row in _all_standing(connection)}

    def last_reviews(self) -> dict[str, ReviewEntry]:
        """Read the last valid review of every item, by item."""
        with self._reading() as connection:
            return {row.item: _entry(row) for row in _all_standing(connection)}

    def last_undo(self, item: str) -> datetime | None:
        """Return the time of the last undo of an item's review; None if there is none."""
        return self._undos(_table.item == item).get(item)

    def last_undos(self) -> dict[str, datetime]:
        """Return the time of the last undo of a review, by item."""
        return self._undos(true())

    def _undos(self, condition: ColumnElement[bool]) -> dict[str, datetime]:
        undone = select(reviews).where(condition, _table.undone_at.is_not(None))
        with self._reading() as connection:
            rows = connection.execute(undone.order_by(_table.undone_at)).all()
        return {row.item: row.undone_at for row in rows if is_intact("reviews", row)}

    def review_log(self, item: str | None = None) -> list[ReviewEntry]:
        """List the reviews of one item, or of all, oldest first; undone reviews are marked."""
        query = select(reviews).order_by(_table.reviewed_at, _table.number)
        if item is not None:
            query = query.where(_table.item == item)
        with self._reading() as connection:
            rows = connection.execute(query).all()
        return [_entry(row) for row in rows if is_intact("reviews", row)]


def _fact(
    item: str, *, rating: int, evidence: Mapping[str, object], card: str, due: datetime
) -> dict[str, Any]:
    if rating not in RATINGS:
        raise ValueError(f"record_review: rating is {rating}; expected 1 to 4.")
    return {
        "item": storable_name(item, what="record_review: item"),
        "rating": rating,
        "evidence": encode_json(evidence, what="record_review: evidence"),
        "card": canonical_card(card),
        "due": aware(due, what="record_review: due"),
    }


def _add(connection: Connection, values: dict[str, Any], *, moment: datetime) -> None:
    # The log must stay in order even if the clock was set back.
    of_item = select(func.max(_table.reviewed_at)).filter_by(item=values["item"])
    last = connection.scalar(of_item)
    if last is not None:
        moment = max(moment, last + TICK)
    values |= {"reviewed_at": moment}
    values |= {
        "ordered_at": next_moment(connection, moment),
        "fact_hash": fact_hash("reviews", values),
    }
    connection.execute(insert(reviews).values(**values))


def _standing(connection: Connection, item: str) -> Row[Any] | None:
    query = select(reviews).where(_table.item == item, _table.undone_at.is_(None))
    rows = connection.execute(query.order_by(_table.reviewed_at.desc()))
    return next((row for row in rows if is_intact("reviews", row)), None)


def _all_standing(connection: Connection) -> list[Row[Any]]:
    """Read the last valid review of every item; one before it where that is damaged."""
    damaged: list[int] = []
    while True:
        rows = connection.execute(_latest(_table.number.not_in(damaged))).all()
        found = [row.number for row in rows if not is_intact("reviews", row)]
        if not found:
            return list(rows)
        damaged += found


def _latest(condition: ColumnElement[bool]) -> Select[Any]:
    latest = (
        select(_table.item, func.max(_table.reviewed_at).label("reviewed_at"))
        .where(condition, _table.undone_at.is_(None))
        .group_by(_table.item)
        .subquery()
    )
    is_latest = (_table.item == latest.c.item) & (_table.reviewed_at == latest.c.reviewed_at)
    return select(reviews).join(latest, is_latest).order_by(_table.due, _table.item)


def _card(row: Row[Any]) -> ReviewCard:
    return ReviewCard(
        item=row.item,
        card=row.card,
        due=row.due,
        reviewed_at=row.reviewed_at,
        ordered_at=row.ordered_at,
    )


def _entry(row: Row[Any]) -> ReviewEntry:
    return ReviewEntry(
        item=row.item,
        rating=row.rating,
        evidence=json.loads(row.evidence),
        card=row.card,
        due=row.due,
        reviewed_at=row.reviewed_at,
        undone_at=row.undone_at,
    )
