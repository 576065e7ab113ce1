"""Only what every database can hold is stored."""

import json
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.store.validation import aware, encode_json, storable_name, storable_text

pytestmark = pytest.mark.pure

PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    # Surrogates have no UTF-8 form and are refused below.
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), PLAIN))
def test_plain_json_survives(value: dict[str, object]) -> None:
    assert json.loads(encode_json(value, what="report")) == value


def test_there_is_one_form() -> None:
    one = encode_json({"b": 1, "a": "试"}, what="report")
    assert one == encode_json({"a": "试", "b": 1}, what="report") == '{"a":"试","b":1}'


@pytest.mark.parametrize(
    "value",
    [{"x": float("nan")}, {"x": float("-inf")}, {"x": object()}, {"x": {1, 2}}, {"x": "\udcff"}],
)
def test_what_is_not_plain_is_refused(value: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="report: not"):
        encode_json(value, what="report")


def test_a_list_is_not_a_json_object() -> None:
    with pytest.raises(TypeError, match="report: expected a JSON object; got list"):
        encode_json([], what="report")  # type: ignore[arg-type]


def test_text_passes_unchanged_or_not_at_all() -> None:
    assert storable_text("试金石\x00", what="source") == "试金石\x00"
    with pytest.raises(ValueError, match="source: not Unicode"):
        storable_text("\ud800", what="source")


def test_a_name_fits_its_column() -> None:
    assert storable_name("试" * 64, what="item") == "试" * 64
    for name in ("", "x" * 65):
        with pytest.raises(ValueError, match=f"item: expected 1 to 64 characters; got {len(name)}"):
            storable_name(name, what="item")


def test_a_moment_has_a_time_zone() -> None:
    moment = datetime(2026, 3, 1, tzinfo=UTC)
    assert aware(moment, what="due") is moment
    with pytest.raises(ValueError, match="due: 2026"):
        aware(moment.replace(tzinfo=None), what="due")
