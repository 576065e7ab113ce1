import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.app.streaming import Place
from torchstone.web.stream import parse_place

pytestmark = pytest.mark.pure


def test_the_id_of_an_event_is_its_place() -> None:
    assert parse_place("0123456789ab:17") == Place(host="0123456789ab", number=17)


@pytest.mark.parametrize(
    "given_id", [None, "", ":", "x", "a:", ":1", "a:-1", "a:1.5", "a b:1", "a:٣", f"a:{'9' * 11}"]
)
def test_anything_else_is_no_place(given_id: str | None) -> None:
    assert parse_place(given_id) is None


@given(st.text())
def test_no_header_breaks_the_stream(header: str) -> None:
    place = parse_place(header)
    assert place is None or f"{place.host}:{place.number:d}".isascii() or place.host.isalnum()
