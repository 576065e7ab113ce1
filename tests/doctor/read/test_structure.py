"""Where objects are in a text, against Python's own reader."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.doctor.read.structure import find_objects

pytestmark = pytest.mark.pure

VALUES = st.recursive(
    st.none() | st.integers(-9, 9) | st.text('a"\\{}[],:é\n', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("a}", max_size=2), inner),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text('k"\\', max_size=3), VALUES, max_size=3)


def objects(text: bytes) -> list[Any]:
    found = find_objects(text)
    pairs = zip(found.begins.tolist(), found.ends.tolist(), strict=True)
    return [json.loads(text[begin:end]) for begin, end in pairs]


@given(st.lists(OBJECTS, max_size=5), st.booleans())
def test_all_objects_are_found_whole(listed: list[dict[str, Any]], is_ascii: bool) -> None:
    text = json.dumps(listed, ensure_ascii=is_ascii).encode()[1:]
    foot = b', "foot": [{}, {"a": "]"}]}'
    assert objects(text + foot) == listed
    assert find_objects(text + foot).closed_at == len(text)


@given(st.lists(OBJECTS, min_size=1, max_size=4), st.data())
def test_a_cut_text_has_the_objects_before_the_cut(
    listed: list[dict[str, Any]], data: st.DataObject
) -> None:
    text = json.dumps(listed).encode()[1:-1]
    at = data.draw(st.integers(0, len(text)))
    found = objects(text[:at])
    assert found == listed[: len(found)]
    # One more would not fit.
    rest = json.dumps(listed[: len(found) + 1])[1:-1]
    assert len(found) == len(listed) or len(rest) > at


def test_what_is_no_object_is_left_out() -> None:
    assert objects(b'1, [{"a": 1}], {"b": 2}, "x", null, {"c": []}]') == [{"b": 2}, {"c": []}]


def test_nothing_has_no_objects() -> None:
    for text in (b"", b"]", b"}", b'"', b"\\", b'{"a": "'):
        assert objects(text) == []
    assert find_objects(b" ] }").closed_at == 2
