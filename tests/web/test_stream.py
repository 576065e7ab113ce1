import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.app.judging.streaming import StreamPosition
from torchstone.web.stream import parse_place

pytestmark = pytest.mark.pure


def test_the_id_of_an_event_is_its_place() -> None:
    assert parse_place("0123456789ab:17") == StreamPosition(host="0123456789ab", number=17)
    assert parse_place("0123456789ab-2:0") == StreamPosition(host="0123456789ab-2", number=0)


@pytest.mark.parametrize(
    "given_id", [None, "", ":", "x", "a:", ":1", "a:-1", "a:1.5", "a b:1", "a:٣", f"a:{'9' * 11}"]
)
def test_anything_else_is_no_place(given_id: str | None) -> None:
    assert parse_place(given_id) is None


PARTS = st.text(st.sampled_from("0123456789abefé٣:-. \n"), max_size=12)


@given(st.text() | st.builds("{}:{}".format, PARTS, PARTS))
def test_a_header_is_a_place_or_none_and_a_place_says_what_the_header_said(header: str) -> None:
    place = parse_place(header)
    if place is not None:
        host, _, number = header.rpartition(":")
        assert (place.host, f"{place.number}") == (host, number.lstrip("0") or "0")
