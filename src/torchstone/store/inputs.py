"""Own inputs that the learner keeps under names, as facts like all activities.

The last fact about a name counts. One without a text says that the input was removed, so that a
merge of two databases keeps the later of both, and no earlier text leaves the database.
"""

from abc import ABC
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from torchstone.store.damage import fact_hash, is_intact
from torchstone.store.document import MAX_INPUT
from torchstone.store.order import TICK, next_moment
from torchstone.store.records import KeptInput
from torchstone.store.schema import inputs
from torchstone.store.section import Section
from torchstone.store.validation import storable_name, storable_text


class Inputs(Section, ABC):
    """The section of the store with the kept inputs."""

    def keep_input(self, problem_id: str, name: str, code: str, *, replace: bool = False) -> bool:
        """Keep an input under a name; without a change nothing is recorded.

        Returns:
            Whether it is kept now: not if the name has another text and ``replace`` is False.

        Raises:
            ValueError: The name or the text is empty or too long.
        """
        if not 1 <= len(code) <= MAX_INPUT:
            raise ValueError(f"keep_input: {len(code)} characters; expected 1 to {MAX_INPUT}.")
        with self._writing() as connection:
            known = _kept(connection, problem_id).get(name)
            if known is not None and known.code == code:
                return True
            if known is not None and not replace:
                return False
            self._note_input(connection, problem_id, name, code)
        return True

    def drop_input(self, problem_id: str, name: str) -> bool:
        """Remove a kept input; False if there is none of that name."""
        with self._writing() as connection:
            if name not in _kept(connection, problem_id):
                return False
            self._note_input(connection, problem_id, name, "")
        return True

    def rename_input(self, problem_id: str, name: str, new_name: str) -> bool:
        """Keep an input under another name; False if it is absent or the new name is in use."""
        with self._writing() as connection:
            known = _kept(connection, problem_id)
            if name not in known or new_name in known:
                return False
            self._note_input(connection, problem_id, new_name, known[name].code)
            self._note_input(connection, problem_id, name, "")
        return True

    def inputs_of(self, problem_id: str) -> tuple[KeptInput, ...]:
        """Read the kept inputs of a problem, by name."""
        with self._reading() as connection:
            known = _kept(connection, problem_id)
        return tuple(
            KeptInput(problem_id=problem_id, name=row.name, code=row.code, kept_at=row.kept_at)
            for row in sorted(known.values(), key=lambda row: (row.name.casefold(), row.name))
        )

    def _note_input(self, connection: Connection, problem_id: str, name: str, code: str) -> None:
        now = self._clock()
        same = (inputs.c.problem_id == problem_id, inputs.c.name == name)
        latest = select(inputs.c.kept_at).where(*same).order_by(inputs.c.kept_at.desc()).limit(1)
        last = connection.execute(latest).scalar()
        fact: dict[str, Any] = {
            "problem_id": storable_name(problem_id, what="problem_id"),
            "name": storable_name(name, what="name"),
            "code": storable_text(code, what="code"),
            # A coarse clock may return the same moment twice.
            "kept_at": now if last is None or last < now else last + TICK,
        }
        fact |= {
            "ordered_at": next_moment(connection, now),
            "fact_hash": fact_hash("inputs", fact),
        }
        connection.execute(insert(inputs).values(**fact))


def _kept(connection: Connection, problem_id: str) -> dict[str, Row[Any]]:
    """Read the last intact fact about each name, without the removed ones."""
    query = select(inputs).where(inputs.c.problem_id == problem_id)
    ordered = query.order_by(inputs.c.ordered_at, inputs.c.number)
    rows = connection.execute(ordered).all()
    last = {row.name: row for row in rows if is_intact("inputs", row)}
    return {name: row for name, row in last.items() if row.code}
