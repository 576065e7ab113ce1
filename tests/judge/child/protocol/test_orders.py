"""Every kind of order has one type, which reads exactly what the host sends."""

from typing import get_args

import pytest

from torchstone.judge.child.protocol import orders, wire
from torchstone.judge.child.protocol.frames import ToReference
from torchstone.judge.child.protocol.orders import ReferenceOrder, read_order
from torchstone.judge.child.protocol.records import as_dict

pytestmark = pytest.mark.pure

SENT: dict[ToReference, ReferenceOrder] = {
    ToReference.OPEN: orders.Open(
        folder="/bank/01", names=["f"], seed=1 << 61, groups=None, key=b"0123456789"
    ),
    ToReference.MAKE: orders.Make(at_most=3),
    ToReference.GRADE: orders.GradeAnswers(answered=[[0, 2], [1, 0]]),  # type: ignore[list-item]
    ToReference.NAME: orders.Bare(),
    ToReference.COMPARABLE: orders.Comparable(most=2),
    ToReference.COMPARE: orders.Compare(name="a", answered=[1, 0]),
    ToReference.SHRINK: orders.Shrink(index=5, budget=20),
    ToReference.TRIED: orders.Tried(num_answers=1),
    ToReference.BATTERY: orders.TryBattery(seed=9, judged=True),
    ToReference.EXECUTE: orders.Execute(cells=["x = 1"]),
    ToReference.OBSERVE: orders.Observe(source="x = 1"),
    ToReference.REST: orders.Bare(),
}


def framed(kind: bytes, value: object) -> wire.Frame:
    _, tree, _, *blobs = wire.pack(kind, value)
    return wire.Frame(kind=kind, tree=tree, blobs=blobs)


@pytest.mark.parametrize("kind", ToReference)
def test_an_order_is_read_as_it_was_sent(kind: ToReference) -> None:
    assert read_order(framed(kind.value, as_dict(SENT[kind]))) == (kind, SENT[kind])


def test_every_type_of_order_is_sent() -> None:
    assert set(map(type, SENT.values())) == set(get_args(ReferenceOrder))


def test_an_order_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        orders.Make(at_most=3).at_most = 4  # type: ignore[misc]


@pytest.mark.parametrize("value", [{}, {"at_most": 3, "more": 1}, {"most": 3}, None])
def test_an_order_with_other_entries_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        read_order(framed(ToReference.MAKE.value, value))


def test_an_order_of_no_kind_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a valid"):
        read_order(framed(b"?", {}))
