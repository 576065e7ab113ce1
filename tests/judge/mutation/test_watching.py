"""A program of several ranks says by its marks what its statements give."""

import pytest

from torchstone.judge.mutation.mutants import Sight
from torchstone.judge.mutation.watching import read_sights, watch_in_ranks

pytestmark = pytest.mark.pure


def test_the_marks_of_all_ranks_are_joined() -> None:
    keys = ["rank0:saw 3 011.calls", "rank1:saw 3 100.calls", "rank1:saw 3 100.bytes", "rank0:out"]
    assert read_sights(keys) == {3: Sight(has_graph=True, is_wide=True, has_elements=True)}
    assert read_sights(["rank0:saw 3 0111.calls", "x:rank0:saw 3 011.calls"]) == {}


def test_a_watched_program_computes_the_same_where_there_is_no_rank() -> None:
    scope: dict[str, object] = {}
    source = "def double(x):\n    y = x + x\n    return y.clone()\n"
    exec(watch_in_ranks(source), scope)
    assert "__torchstone_watch__" in scope
