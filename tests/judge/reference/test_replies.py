"""What the reference process replies and what the host reads are the same, entry by entry."""

import dataclasses
from typing import Any, get_args

import pytest

from torchstone.judge import messages
from torchstone.judge import replies as read
from torchstone.judge.kit.expect import EarnedStar
from torchstone.judge.kit.grade import Finding
from torchstone.judge.kit.preview import TensorPreview, ValuePreview
from torchstone.judge.mutation.mutants import Sight
from torchstone.judge.reference import replies as sent

pytestmark = pytest.mark.torch

PAIRS: list[tuple[type[Any], type[Any]]] = [
    (sent.Opened, read.Opened),
    (sent.CaseHead, read.CaseHead),
    (sent.Made, read.Made),
    (sent.NativeFound, read.NativeFound),
    (sent.SavedFound, read.SavedFound),
    (sent.Graded, read.Graded),
    (sent.Grades, read.Grades),
    (sent.NamedVariant, messages.Misconception),
    (sent.SeenSymptom, read.SeenSymptom),
    (sent.Named, read.Named),
    (sent.FarthestOff, read.FarthestOff),
    (sent.WrongRow, read.WrongRow),
    (sent.ShownInput, read.ShownInput),
    (sent.SmallestFailure, read.SmallestFailure),
    (sent.NoCandidate, read.Candidate),
    (sent.ParityError, read.ParityError),
    (sent.Battery, read.Battery),
    (sent.Executed, read.Executed),
    (sent.Seen, read.Seen),
    (Finding, read.FoundWrong),
    (EarnedStar, messages.Star),
]


def names(record: type[Any]) -> list[str]:
    return [each.name for each in dataclasses.fields(record)]


@pytest.mark.parametrize(("record", "reply"), PAIRS)
def test_both_sides_name_the_same_entries(record: type[Any], reply: type[Any]) -> None:
    assert names(record) == list(reply.__struct_fields__)


@pytest.mark.parametrize(
    ("record", "shown"),
    [
        (TensorPreview, messages.TensorPreview),
        (ValuePreview, messages.ValuePreview),
    ],
)
def test_a_preview_begins_with_its_kind(record: type[Any], shown: type[Any]) -> None:
    assert names(record) == ["kind", *shown.__struct_fields__]


def test_every_reply_is_compared_and_none_can_be_changed() -> None:
    records: set[Any] = {record for record, _ in PAIRS}
    assert set(get_args(sent.Reply)) <= records
    assert all(record.__dataclass_params__.frozen for record in (*records, Sight))
