"""Columns of a file that a stranger has made: nothing in it runs, and no value is misread."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import numpy as np
import pytest

from tests.doctor.read.exports import write
from torchstone.doctor.read import limits
from torchstone.doctor.read.nsys_tables import MISSING, open_tables
from torchstone.doctor.refusal import Refusal

pytestmark = pytest.mark.pure


def test_columns_are_found_by_name_and_other_types_are_missing(tmp_path: Path) -> None:
    values = [7, None, "8", b"9", 10.5, -3, 2**63 - 1, -(2**63), 9.3e18, float("inf")]
    rows = [{"b": value, "a": at} for at, value in enumerate(values)]
    with open_tables(write(tmp_path / "a", {"T": rows})) as tables:
        found = tables.numbers("T", "a", "b", "c")
        assert "T" in tables
        assert "U" not in tables
        assert tables.columns("T") == {"a", "b"}
    assert found["a"].tolist() == list(range(len(values)))
    largest = 2**63 - 1
    assert found["b"].tolist()[:6] == [7, MISSING, MISSING, MISSING, 10, -3]
    assert found["b"].tolist()[6:] == [largest, -(2**63), largest, largest]
    assert set(found["c"].tolist()) == {MISSING}


def test_texts_are_cut_and_repaired(tmp_path: Path) -> None:
    rows = [{"t": text} for text in ("a", None, 5, b"x", "y" * 100_000)]
    path = write(
        *(tmp_path / "a", {"T": rows}, "INSERT INTO T VALUES (CAST(x'61ff62' AS TEXT))"),
    )
    with open_tables(path) as tables:
        found = list(tables.texts("T", "t"))
        assert list(tables.texts("T", "none")) == [None] * len(found)
        assert list(tables.texts("U", "t")) == []
    assert found[:4] == ["a", None, None, None]
    assert found[4] is not None
    assert len(found[4]) == 16384
    assert found[5] == "a\ufffdb"


def test_strings_and_small_tables(tmp_path: Path) -> None:
    strings = [{"id": 1, "value": "one"}, {"id": 2, "value": None}, {"id": 3, "value": "three"}]
    enum = [{"id": 5, "name": "FIVE"}, {"id": None, "name": "x"}, {"id": 6, "name": None}]
    told = [{"name": "A", "value": "1"}, {"name": "B", "value": 2}]
    path = write(tmp_path / "a", {"StringIds": strings, "ENUM_X": enum, "META": told})
    with open_tables(path) as tables:
        assert tables.strings(np.array([1, 1, 2, 9, MISSING])) == {1: "one"}
        assert tables.labels("ENUM_X") == {5: "FIVE", MISSING: "x"}
        assert tables.values("META") == {"A": "1"}
        assert tables.values("ENUM_X") == {}
        assert tables.labels("ENUM_Y") == {}


def test_views_triggers_virtual_tables_and_computed_columns_never_run(tmp_path: Path) -> None:
    path = tmp_path / "a"
    write(
        *(path, {"R": [{"a": 1}]}),
        "CREATE VIEW V AS SELECT 1 AS a FROM R",
        # A sentence that would take until the end of time.
        "CREATE VIEW W AS WITH RECURSIVE n(a) AS (SELECT 1 UNION ALL SELECT a + 1 FROM n)"
        " SELECT a FROM n",
        "CREATE TABLE C (a INTEGER, b INTEGER AS (length(hex(zeroblob(a)))) VIRTUAL)",
        "INSERT INTO C (a) VALUES (30000000)",
        "CREATE TRIGGER K AFTER INSERT ON R BEGIN SELECT raise(FAIL, 'ran'); END",
    )
    with open_tables(path) as tables:
        assert "V" not in tables
        assert "W" not in tables
        assert tables.columns("W") == set()
        assert len(tables.numbers("W", "a")["a"]) == 0
        assert tables.columns("C") == {"a"}
        assert tables.numbers("C", "a", "b")["b"].tolist() == [MISSING]


def test_virtual_tables_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "a"
    file = sqlite3.connect(path)
    # Written into the schema: not every SQLite has a module to make one with.
    file.execute("PRAGMA writable_schema = ON")
    made = "CREATE VIRTUAL TABLE F USING absent(a)"
    file.execute("CREATE TABLE R (a)")
    file.execute("INSERT INTO sqlite_master VALUES ('table', 'F', 'F', 0, ?)", (made,))
    file.commit()
    file.close()
    with open_tables(path) as tables:
        assert "R" in tables
        assert "F" not in tables


def test_a_name_cannot_leave_its_quotes(tmp_path: Path) -> None:
    path = write(tmp_path / "a ? b#c%20.sqlite", {"T": [{"a": 3}]})
    with open_tables(path) as tables:
        assert tables.numbers("T", "a")["a"].tolist() == [3]
    assert sorted(each.name for each in tmp_path.iterdir()) == [path.name]


def test_what_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a", {"T": [{"a": at} for at in range(50)]})
    monkeypatch.setattr(limits, "MAX_EVENTS", 49)
    with open_tables(path) as tables, pytest.raises(Refusal) as refused:
        tables.numbers("T", "a")
    assert refused.value.code == "too_many_events"
    monkeypatch.setattr(limits, "MAX_BYTES", 100)
    with pytest.raises(Refusal) as refused, open_tables(path):
        pass
    assert refused.value.code == "too_large"


def test_rows_before_the_damage_are_read(tmp_path: Path) -> None:
    path = write(tmp_path / "a", {"T": [{"a": at} for at in range(50_000)]})
    whole = path.read_bytes()
    half = len(whole) // 8192 * 4096
    path.write_bytes(whole[:half] + b"\xff" * (len(whole) - half))
    with open_tables(path) as tables:
        found = tables.numbers("T", "a")["a"]
        assert tables.is_cut
    assert 0 < len(found) < 50_000
    assert found.tolist() == list(range(len(found)))


def test_a_file_without_its_end_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a", {"T": [{"a": at} for at in range(5000)]})
    path.write_bytes(path.read_bytes()[:20_000])
    with pytest.raises(Refusal) as refused, open_tables(path):
        pass
    assert refused.value.code == "nsys_damaged"


def test_a_file_whose_tables_cannot_be_listed_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "a", {"T": [{"a": 1}]})
    path.write_bytes(path.read_bytes()[:40] + bytes(60) + b"\xff" * 4000)
    with pytest.raises(Refusal) as refused, open_tables(path):
        pass
    assert refused.value.code == "nsys_damaged"
