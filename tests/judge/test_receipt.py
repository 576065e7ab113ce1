"""A receipt names everything that decided a verdict, and a change of it shows."""

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from tests.reports import make_case, make_report
from torchstone.bank.schema import Deny, Kind, Limits
from torchstone.core.verdict import Aspect, Verdict
from torchstone.judge.messages import Receipt, Report, plain
from torchstone.judge.order import Assignment, Order
from torchstone.judge.receipt import (
    Difference,
    RecordedReceipt,
    judge_hash,
    receipt_hash,
    same_result,
    text_hash,
    write_receipt,
)

pytestmark = pytest.mark.pure

ORDER = Order(
    assignment=Assignment(
        problem_id="01",
        folder=Path("/"),
        kind=Kind.FUNCTION,
        names=("f",),
        limits=Limits(),
        deny=Deny(),
        probe="",
        content_hash="abc",
    ),
    source="x = 'π\ud800'\n",
    seed=12345,
    groups=("sample",),
)


def report(verdict: str = "WA", **changed: Any) -> Report:
    return make_report(verdict=verdict, cases=(make_case(code=verdict),), **changed)


def recorded(receipt: Receipt) -> RecordedReceipt:
    """Read a receipt back, as from a file."""
    return msgspec.convert(plain(receipt), RecordedReceipt)


def test_a_receipt_can_be_run_again() -> None:
    receipt = write_receipt(ORDER, report())
    assert (receipt.seed, receipt.groups, receipt.problem) == (12345, ("sample",), "01")
    assert receipt.content_hash == "abc"
    assert receipt.judge_hash == judge_hash()
    assert receipt.source_hash == text_hash(ORDER.source)
    assert receipt.isolation == "full"
    assert receipt.hash == receipt_hash(plain(receipt))


def test_every_entry_counts_but_the_hash_and_an_attached_source() -> None:
    receipt = plain(write_receipt(ORDER, report()))
    assert receipt_hash(receipt | {"source": "anything", "hash": ""}) == receipt["hash"]
    for key in receipt.keys() - {"hash"}:
        assert receipt_hash(receipt | {key: "changed"}) != receipt["hash"], key


def test_two_receipts_of_one_verdict_have_ids_of_their_own() -> None:
    first, second = write_receipt(ORDER, report()), write_receipt(ORDER, report())
    assert first.id != second.id
    assert first.hash != second.hash


@pytest.mark.parametrize("verdict", Verdict)
def test_what_depends_on_load_is_not_replayable(verdict: Verdict) -> None:
    assert write_receipt(ORDER, report(verdict)).replayable is verdict.is_replayable


def test_a_replay_that_differs_says_what_and_where() -> None:
    receipt = recorded(write_receipt(ORDER, report()))
    assert same_result(receipt, report()) == []
    other = report(aspect=Aspect.GRAD)
    assert same_result(receipt, other) == [Difference(field="aspect", recorded="value", now="grad")]
    other = replace(report(), cases=(make_case(code="AC"),))
    assert [each for each in same_result(receipt, other) if each.case == 1] == [
        Difference(field="case", case=1, recorded="sample WA", now="sample AC")
    ]
    longer = replace(report(), cases=(*report().cases, make_case(code="AC", group="large")))
    assert same_result(receipt, longer) == [
        Difference(field="case", case=len(report().cases) + 1, recorded=None, now="large AC")
    ]
