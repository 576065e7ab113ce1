"""A moment comes back from the database as it went in, and sorts as it should."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Table
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.schema import CreateTable

from torchstone.store.schema import Moment, metadata

pytestmark = pytest.mark.pure

ZONES = st.sampled_from([UTC, timezone(timedelta(hours=8)), timezone(timedelta(hours=-9.5))])
MOMENTS = st.datetimes(datetime(1900, 1, 1), datetime(9000, 1, 1), timezones=ZONES)
DIALECT = sqlite.dialect()


@given(MOMENTS)
def test_a_moment_survives_to_the_microsecond(moment: datetime) -> None:
    kind = Moment()
    stored = kind.process_bind_param(moment, DIALECT)
    assert isinstance(stored, int)
    read = kind.process_result_value(stored, DIALECT)
    assert read == moment
    assert read is not None
    assert read.tzinfo is UTC


@given(MOMENTS, MOMENTS)
def test_stored_moments_sort_like_moments(one: datetime, other: datetime) -> None:
    stored = [Moment().process_bind_param(moment, DIALECT) or 0 for moment in (one, other)]
    assert (stored[0] < stored[1]) == (one < other)


def test_no_moment_is_no_moment() -> None:
    assert Moment().process_bind_param(None, DIALECT) is None
    assert Moment().process_result_value(None, DIALECT) is None


@pytest.mark.parametrize("table", metadata.sorted_tables, ids=lambda table: table.name)
def test_postgresql_could_hold_the_tables(table: Table) -> None:
    made = str(CreateTable(table).compile(dialect=postgresql.dialect()))  # type: ignore[no-untyped-call]
    assert "number BIGSERIAL NOT NULL" in made
    assert "BIGINT" in made


def test_the_form_of_a_stored_moment_is_fixed() -> None:
    # Databases are full of it: microseconds since 1970 in UTC.
    moment = datetime(2026, 3, 1, 9, 0, 0, 7, tzinfo=UTC)
    assert Moment().process_bind_param(moment, DIALECT) == 1_772_355_600_000_007
