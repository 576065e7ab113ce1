"""Exports with wrong values and wrong bytes: a report of the rest, or a sentence."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.read.exports import run_of, write
from torchstone.doctor.case import make_case
from torchstone.doctor.read.nsys import read_export
from torchstone.doctor.refusal import Refusal
from torchstone.doctor.report import diagnose

pytestmark = pytest.mark.pure

# How many damaged files are tried: a few seconds of them, unless more are asked for.
NUM_DAMAGED = int(os.environ.get("TORCHSTONE_DOCTOR_FUZZ", "300"))
TABLES = ("CUPTI_ACTIVITY_KIND_KERNEL", "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS", "StringIds")
CODES = ("ok", "nsys_nothing", "nsys_no_kernels", "nothing_happens")
WRONG: list[Any] = [None, "x", b"\x00\xff", -1, 2**63 - 1, -(2**63), 9.3e18, float("inf"), 0.5]


@pytest.mark.gate("*-None", "*-inf")
@pytest.mark.parametrize("value", WRONG, ids=str)
@pytest.mark.parametrize("table", TABLES)
def test_any_value_in_any_column_of_a_row_leaves_the_rest(
    tmp_path: Path, table: str, value: Any
) -> None:
    for column in run_of()[table][0]:
        if column in ("start", "end") and value in (-1, 0.5):
            continue  # That is a time, too.
        tables = run_of(6)
        tables[table] = [*tables[table], tables[table][-1] | {column: value}]
        rank = read_export(write(tmp_path / f"{column}.sqlite", tables)).ranks[0]
        case = make_case(rank.events, rank.device)
        assert case is not None
        # The row that is added lies where another one already is.
        assert case.accounting.shares["compute"] == pytest.approx(0.8, abs=0.02)


@pytest.mark.gate("None", "inf")
@pytest.mark.parametrize("value", WRONG, ids=str)
def test_any_value_in_a_whole_column_is_a_report_or_a_sentence(tmp_path: Path, value: Any) -> None:
    tables = run_of()
    for table in tables:
        for column in tables[table][0]:
            changed = tables | {table: [row | {column: value} for row in tables[table]]}
            path = write(tmp_path / f"{table}.{column}", changed)
            assert said_of(path) in CODES


def said_of(path: Path) -> str:
    """``ok`` for a report, or the code of a refusal."""
    try:
        report = diagnose([path], "zh")
    except Refusal as refusal:
        return refusal.code if refusal.message("zh") else ""
    return "ok" if report["ok"] else ""


@pytest.mark.full
def test_damaged_files_give_a_report_or_a_sentence(tmp_path: Path) -> None:
    whole = write(tmp_path / "whole", run_of(200)).read_bytes()
    chance = random.Random(7)
    path = tmp_path / "a"
    for _ in range(NUM_DAMAGED):
        bad = bytearray(whole)
        for _ in range(chance.choice((1, 4, 64))):
            bad[chance.randrange(16, len(bad))] = chance.choice((0, 1, 127, 255))
        if chance.random() < 0.2:
            del bad[chance.randrange(16, len(bad)) :]
        path.write_bytes(bad)
        assert said_of(path)
