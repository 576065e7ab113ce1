"""Export and merging import of all progress between databases.

Progress is a set of facts, and a merge is the union: a second import changes nothing, and no known
fact is overwritten. A review that is undone on either side is undone.
"""

import json
import secrets
from abc import ABC
from dataclasses import dataclass
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, RowMapping, Table, insert, select, update

from torchstone.core.errors import BadInput
from torchstone.core.verdict import State, Verdict
from torchstone.store.card import CardState, card_text
from torchstone.store.damage import damaged_parts, fact_hash, has_its_hash, result_hash, source_hash
from torchstone.store.document import (
    FORMAT,
    VERSION,
    ActivityFact,
    Document,
    InputFact,
    ReviewFact,
    SubmissionFact,
    parse_document,
)
from torchstone.store.order import order_arriving
from torchstone.store.records import Export, ImportSummary, LeftOut
from torchstone.store.schema import activities, inputs, reviews, submissions
from torchstone.store.section import Section
from torchstone.store.submissions import measured_time
from torchstone.store.validation import encode_json, storable_text

_CLIENT_KEY_BYTES = 16
_OVER = (State.DONE, State.CANCELLED)
_Values = dict[str, Any]


class Transfer(Section, ABC):
    """The section of the store for export and import."""

    def export_progress(self) -> Export:
        """Write all progress as a JSON document, without unfinished and damaged rows."""
        with self._reading() as connection:
            stored = connection.execute(
                select(submissions).order_by(submissions.c.ordered_at, submissions.c.id)
            ).all()
            noted = connection.execute(
                select(activities).order_by(
                    activities.c.ordered_at,
                    activities.c.problem_id,
                    activities.c.kind,
                    activities.c.rung,
                )
            ).all()
            reviewed = connection.execute(
                select(reviews).order_by(reviews.c.reviewed_at, reviews.c.item)
            ).all()
            kept = connection.execute(
                select(inputs).order_by(inputs.c.ordered_at, inputs.c.problem_id, inputs.c.name)
            ).all()
        intact = [row for row in stored if not damaged_parts(row)]
        actions = [row for row in noted if has_its_hash("activities", row)]
        ratings = [row for row in reviewed if has_its_hash("reviews", row)]
        keepings = [row for row in kept if has_its_hash("inputs", row)]
        document = Document(
            format=FORMAT,
            version=VERSION,
            exported_at=self._clock(),
            submissions=[_submission_fact(row) for row in intact if row.state in _OVER],
            activities=[_activity_fact(row) for row in actions],
            reviews=[_review_fact(row) for row in ratings],
            inputs=[_input_fact(row) for row in keepings],
        )
        return Export(
            document=msgspec.json.format(msgspec.json.encode(document), indent=1) + b"\n",
            left_out=LeftOut(
                submissions=len(stored) - len(intact),
                activities=len(noted) - len(actions),
                reviews=len(reviewed) - len(ratings),
                inputs=len(kept) - len(keepings),
            ),
        )

    def import_progress(self, document: bytes) -> ImportSummary:
        """Merge an exported document into this database, all of it or nothing.

        Raises:
            BadInput: The document is not valid, or contradicts a known submission or review.
            StoreError: The database cannot be written.
        """
        parsed = parse_document(document, now=self._clock())
        try:
            arriving = [_submission_values(fact) for fact in parsed.submissions]
            noted = [_activity_values(fact) for fact in parsed.activities]
            reviewed = [_review_values(fact) for fact in parsed.reviews]
            kept = [_input_values(fact) for fact in parsed.inputs]
            order_arriving(arriving, moment="created_at")
            order_arriving(noted, moment="happened_at")
            order_arriving(reviewed, moment="reviewed_at")
            order_arriving(kept, moment="kept_at")
        except (ValueError, OverflowError, RecursionError) as error:
            raise BadInput("store.import_invalid", reason=error) from error
        with self._writing() as connection:
            summary = ImportSummary(
                submissions=_SUBMISSIONS.merge(connection, arriving),
                activities=_ACTIVITIES.merge(connection, noted),
                reviews=_REVIEWS.merge(connection, reviewed),
                inputs=_INPUTS.merge(connection, kept),
            )
            _adopt_undos(connection, reviewed)
        return summary


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """One table of facts: the identity of a fact, and the fields that two records must share."""

    table: Table
    known_by: tuple[str, ...]
    fixed: tuple[str, ...]

    def merge(self, connection: Connection, arriving: list[_Values]) -> int:
        columns = [self.table.c[name] for name in self.known_by + self.fixed]
        known = {
            self._key(row): {name: row[name] for name in self.fixed}
            for row in connection.execute(select(*columns)).mappings()
        }
        added = []
        for values in arriving:
            key = self._key(values)
            fixed = {name: values[name] for name in self.fixed}
            if key not in known:
                known[key] = fixed
                added.append(values)
            elif known[key] != fixed:
                raise BadInput("store.import_conflict", what=f"{self.table.name}: {key[0]}")
        if added:
            connection.execute(insert(self.table), added)
        return len(added)

    def _key(self, values: _Values | RowMapping) -> tuple[object, ...]:
        return tuple(values[name] for name in self.known_by)


_SUBMISSIONS = _Facts(table=submissions, known_by=("id",), fixed=("problem_id", "kind", "source"))
_ACTIVITIES = _Facts(
    table=activities, known_by=("problem_id", "kind", "rung", "happened_at"), fixed=()
)
_REVIEWS = _Facts(table=reviews, known_by=("item", "reviewed_at"), fixed=("rating", "card"))
_INPUTS = _Facts(table=inputs, known_by=("problem_id", "name", "kept_at"), fixed=("code",))


def _adopt_undos(connection: Connection, arriving: list[_Values]) -> None:
    for values in arriving:
        if values["undone_at"] is not None:
            same = [reviews.c[name] == values[name] for name in _REVIEWS.known_by]
            undo = update(reviews).where(*same, reviews.c.undone_at.is_(None))
            connection.execute(undo.values(undone_at=values["undone_at"]))


def _submission_values(fact: SubmissionFact) -> _Values:
    report, receipt = (
        None if value is None else encode_json(value, what=f"submission {fact.id}")
        for value in (fact.report, fact.receipt)
    )
    values = msgspec.structs.asdict(fact) | {
        "problem_id": storable_text(fact.problem_id, what=f"submission {fact.id}"),
        "source": storable_text(fact.source, what=f"submission {fact.id}"),
        "report": report,
        "receipt": receipt,
        "time_ms": measured_time(fact.report) if fact.report else None,
        # A client key has a use only for a client that waits for its answer.
        "client_key": f"import:{secrets.token_hex(_CLIENT_KEY_BYTES)}",
    }
    return values | {
        "source_hash": source_hash(values),
        "result_hash": result_hash(values) if fact.state == "done" else None,
    }


def _activity_values(fact: ActivityFact) -> _Values:
    values = msgspec.structs.asdict(fact) | {
        "problem_id": storable_text(fact.problem_id, what=f"{fact.kind} at {fact.happened_at}")
    }
    return values | {"fact_hash": fact_hash("activities", values)}


def _review_values(fact: ReviewFact) -> _Values:
    values = msgspec.structs.asdict(fact) | {
        "item": storable_text(fact.item, what=f"review at {fact.reviewed_at}"),
        "evidence": encode_json(fact.evidence, what=f"review of {fact.item}"),
        "card": card_text(fact.card),
    }
    return values | {"fact_hash": fact_hash("reviews", values)}


def _input_values(fact: InputFact) -> _Values:
    what = f"input at {fact.kept_at}"
    values = msgspec.structs.asdict(fact) | {
        "problem_id": storable_text(fact.problem_id, what=what),
        "name": storable_text(fact.name, what=what),
        "code": storable_text(fact.code, what=what),
    }
    return values | {"fact_hash": fact_hash("inputs", values)}


def _submission_fact(row: Row[Any]) -> SubmissionFact:
    return SubmissionFact(
        id=row.id,
        problem_id=row.problem_id,
        kind=row.kind,
        state=row.state,
        source=row.source,
        created_at=row.created_at,
        finished_at=row.finished_at,
        interruptions=row.interruptions,
        verdict=None if row.verdict is None else Verdict(row.verdict),
        report=None if row.report is None else json.loads(row.report),
        receipt=None if row.receipt is None else json.loads(row.receipt),
    )


def _activity_fact(row: Row[Any]) -> ActivityFact:
    return ActivityFact(
        problem_id=row.problem_id, kind=row.kind, rung=row.rung, happened_at=row.happened_at
    )


def _review_fact(row: Row[Any]) -> ReviewFact:
    return ReviewFact(
        item=row.item,
        rating=row.rating,
        evidence=json.loads(row.evidence),
        card=msgspec.json.decode(row.card, type=CardState),
        due=row.due,
        reviewed_at=row.reviewed_at,
        undone_at=row.undone_at,
    )


def _input_fact(row: Row[Any]) -> InputFact:
    return InputFact(problem_id=row.problem_id, name=row.name, code=row.code, kept_at=row.kept_at)
