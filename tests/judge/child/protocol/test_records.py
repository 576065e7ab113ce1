"""A record travels as the dictionary of its entries; what belongs to a problem is not touched."""

from dataclasses import dataclass

import pytest

from torchstone.judge.child.protocol.records import as_dict

pytestmark = pytest.mark.pure


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A record inside a record."""

    at: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outer:
    """A record with everything that an entry may be."""

    second: Inner | None
    first: tuple[Inner, ...]
    params: dict[str, object]
    data: bytes


def test_a_record_keeps_the_order_of_its_entries_and_lists_its_tuples() -> None:
    params: dict[str, object] = {"shape": (2, 3)}
    found = as_dict(Outer(second=None, first=(Inner(at=(1, 2)),), params=params, data=b"x"))
    assert list(found) == ["second", "first", "params", "data"]
    assert found == {"second": None, "first": [{"at": [1, 2]}], "params": params, "data": b"x"}
    assert found["params"] is params
    nested = as_dict(Outer(second=Inner(at=()), first=(), params={}, data=b""))
    assert nested["second"] == {"at": []}


def test_tuples_inside_a_tuple_are_lists() -> None:
    assert as_dict(Outer(second=None, first=((3, (4,)),), params={}, data=b""))["first"] == [  # type: ignore[arg-type]
        [3, [4]]
    ]
