"""A report is the same as JSON and as a type, in every version that a store may hold."""

import ast
import json
import math
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.reports import (
    make_report,
    make_row,
    make_smallest,
    make_tensor,
    stored_report,
    with_later_fields,
)
from torchstone.core.verdict import Verdict
from torchstone.judge.messages import (
    Raised,
    Receipt,
    Report,
    ValuePreview,
    Words,
    plain,
    read_report,
    spell,
    words_of,
)
from torchstone.judge.receipt import RecordedReceipt, receipt_hash

pytestmark = pytest.mark.pure

# As the judge of version 0.1.0 wrote them into a store, before the report had a type.
RECORDED = sorted((Path(__file__).parent / "recorded").glob("*.json"))
# What the first reports did not have yet.
LATER = ("subtasks", "native", "symptoms", "saved")
SOURCE = Path(__file__).resolve().parents[2] / "src/torchstone"


def as_json(message: msgspec.Struct) -> Any:
    """Write a message as JSON and read it as plain data."""
    return json.loads(json.dumps(plain(message), allow_nan=False))


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_report_is_read_and_written_unchanged(path: Path) -> None:
    stored = json.loads(path.read_text("utf-8"))
    report = read_report(stored["report"])
    assert as_json(report) == with_later_fields(stored["report"])
    assert report.verdict is Verdict(stored["report"]["verdict"])
    assert as_json(msgspec.convert(stored["receipt"], Receipt)) == stored["receipt"]


@pytest.mark.parametrize("path", RECORDED, ids=lambda path: path.stem)
def test_a_recorded_receipt_still_has_the_hash_that_it_states(path: Path) -> None:
    receipt = json.loads(path.read_text("utf-8"))["receipt"]
    assert receipt_hash(receipt) == receipt["hash"]
    assert receipt_hash(plain(msgspec.convert(receipt, Receipt))) == receipt["hash"]
    assert msgspec.convert(receipt, RecordedReceipt).hash == receipt["hash"]


def test_what_was_recorded_has_every_part_of_a_report() -> None:
    reports = [json.loads(path.read_text("utf-8"))["report"] for path in RECORDED]
    fields = Report.__struct_fields__
    assert not [name for name in fields if not any(report.get(name) for report in reports)]


def test_a_report_without_the_fields_of_later_versions_is_read() -> None:
    stored = {key: each for key, each in stored_report().items() if key not in LATER}
    report = read_report(stored)
    assert (report.subtasks, report.native, report.symptoms, report.saved) == ((), None, (), None)
    required = {each.name for each in msgspec.structs.fields(Report) if each.required}
    assert required == stored.keys()


@pytest.mark.parametrize(
    "change",
    [{"verdict": "OK"}, {"cases": None}, {"misconception": "no_shift"}, {"isolation": "strong"}],
)
def test_what_no_judge_writes_is_no_report(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=next(iter(change))):
        read_report(stored_report() | change)


def test_a_field_of_another_version_is_ignored() -> None:
    assert read_report(stored_report() | {"of_tomorrow": 1}) == make_report()


def test_a_report_with_all_its_parts_is_the_same_as_json() -> None:
    row = make_row(make_tensor([1.0, "nan"], [2], [1]), ValuePreview(text="None"))
    report = make_report(verdict="WA", smallest=make_smallest(row, x=ValuePreview(text="-1")))
    assert read_report(as_json(report)) == report


@pytest.mark.parametrize(("number", "spelt"), [(1.5, 1.5), (math.inf, "inf"), (math.nan, "inf")])
def test_what_json_cannot_hold_is_spelt(number: float, spelt: float | str) -> None:
    assert spell(number) == spelt


def test_words_are_said_in_one_of_both_languages() -> None:
    said = words_of({"en": "so", "zh": "因此"})
    assert said == Words(en="so", zh="因此")
    assert (said.said_in("en"), said.said_in("zh")) == ("so", "因此")


def test_an_exception_is_written_as_python_writes_it() -> None:
    assert str(Raised(type="ValueError", message="no")) == "ValueError: no"
    assert str(Raised(type="KeyError", message="")) == "KeyError"


def test_one_module_declares_the_keys_of_a_report() -> None:
    declaring, spelling = set(), set()
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        if re.search(r"^\s+failed_groups: ", text, re.MULTILINE):
            declaring.add(path.relative_to(SOURCE).as_posix())
        if re.search(r"""["']failed_groups["']""", text):
            spelling.add(path.relative_to(SOURCE).as_posix())
    assert (declaring, spelling) == ({"judge/messages.py"}, set())


@pytest.mark.full
def test_no_test_writes_a_report_by_hand() -> None:
    tests = SOURCE.parents[1] / "tests"
    for path in tests.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Dict):
                keys = {key.value for key in node.keys if isinstance(key, ast.Constant)}
                is_factory = path == tests / "reports.py"
                assert is_factory or not {"verdict", "isolation", "stdout"} <= keys, path
