"""Nothing that is no value gets onto the wire, and no tree from it does harm."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.judge.child.protocol import wire

pytestmark = pytest.mark.pure

text = st.text(st.characters(codec="utf-8"), max_size=8)
json_trees = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | text,
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(st.sampled_from("tdfybxz") | text, inner, max_size=2)
    ),
    max_leaves=25,
)


@pytest.mark.parametrize("value", [{1: 2}, {1, 2}, object(), 1j, [[object()]], range(3)])
def test_what_is_no_value_is_not_sent(value: Any) -> None:
    with pytest.raises(wire.WireError):
        wire.pack(b"A", value)


def test_nesting_is_bounded_on_both_sides() -> None:
    value: Any = 1
    for _ in range(wire.MAX_DEPTH + 1):
        value = [value]
    with pytest.raises(wire.WireError, match="nests deeper"):
        wire.pack(b"A", value)
    for depth in (wire.MAX_DEPTH + 2, 100_000):
        tree = b"[" * depth + b"]" * depth
        frame = wire.Frame(kind=b"A", tree=tree, blobs=[])
        with pytest.raises(wire.WireError):
            frame.decode()


@given(json_trees, st.lists(st.binary(max_size=8), max_size=3))
def test_a_hostile_tree_is_a_value_or_a_wire_error(tree: Any, blobs: list[bytes]) -> None:
    frame = wire.Frame(
        kind=b"A",
        tree=json.dumps(tree).encode(),
        blobs=blobs,
    )
    try:
        frame.decode()
    except wire.WireError:
        pass
