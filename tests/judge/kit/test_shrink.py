"""Shrinking proposes simpler cases only, and comes to an end."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.judge.kit import shrink

pytestmark = pytest.mark.torch

PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "shape": st.lists(st.integers(0, 50), max_size=4),
        "num_heads": st.integers(-3, 50),
        "layout": st.sampled_from(["contiguous", "stepped"]),
        "dim": st.integers(-4, 4),
        "seed": st.integers(0, 9),
        "name": st.text(max_size=3),
        "flag": st.booleans(),
        "mixed": st.just([1, "a"]),
    },
)


def size(params: dict[str, Any]) -> int:
    shape, heads = params.get("shape", []), params.get("num_heads", 0)
    return sum(shape) + max(heads, 0) + (params.get("layout") == "stepped")


@given(PARAMS)
def test_every_proposal_is_simpler_in_one_entry_that_is_a_size(params: dict[str, Any]) -> None:
    for simpler in shrink(params):
        changed = [key for key in params if params[key] != simpler[key]]
        assert len(changed) == 1
        assert changed[0] in ("shape", "num_heads", "layout")
        assert size(simpler) < size(params)
        assert simpler.keys() == params.keys()


@given(PARAMS)
def test_a_size_never_falls_below_one(params: dict[str, Any]) -> None:
    for simpler in shrink(params):
        for before, after in zip(params.get("shape", []), simpler.get("shape", []), strict=True):
            assert after == before or after >= 1


def test_the_boldest_proposal_comes_first() -> None:
    assert next(iter(shrink({"shape": [100, 100]}))) == {"shape": [3, 3]}


def test_what_cannot_be_simpler_has_no_proposal() -> None:
    assert list(shrink({"shape": [1, 1], "layout": "contiguous", "dim": 5, "seed": 9})) == []
