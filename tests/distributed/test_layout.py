"""A layout cuts every element into exactly one shard, at borders that no parameter moves."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch.nn import Parameter

from torchstone.distributed.layout import CHUNK, Layout

pytestmark = [pytest.mark.torch]


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=8), st.integers(1, 9))
def test_the_pieces_of_all_ranks_are_the_whole(sizes: list[int], num_ranks: int) -> None:
    named = [(f"p{number}", Parameter(torch.ones(size))) for number, size in enumerate(sizes)]
    layout = Layout(named, num_ranks)
    assert layout.shard_size * num_ranks == layout.num_elements
    assert layout.shard_size % CHUNK == 0
    seen = {name: torch.zeros(each.numel(), dtype=torch.int64) for name, each in named}
    flat = torch.arange(layout.num_elements)
    for rank in range(num_ranks):
        shard = layout.shard(flat, rank)
        for piece in layout.pieces(rank):
            part = piece.of(shard)
            assert int(part[0]) == piece.member.start + piece.start
            seen[piece.member.name][piece.start : piece.stop] += 1
    assert all(bool((each == 1).all()) for each in seen.values())


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_a_new_buffer_is_zero_where_no_parameter_lies(dtype: torch.dtype) -> None:
    sizes = [10, 1, 300, 16, 7]
    layout = Layout([(str(size), Parameter(torch.ones(size, dtype=dtype))) for size in sizes], 3)
    is_outside = torch.ones(layout.num_elements, dtype=torch.bool)
    for member in layout.members:
        is_outside[member.start : member.stop] = False
    assert is_outside.sum() == layout.num_elements - sum(sizes)
    assert layout.empty()[is_outside].eq(0).all()


@given(
    st.lists(st.integers(1, 99), min_size=1, max_size=8),
    st.sampled_from([torch.float64, torch.float32, torch.float16]),
)
def test_each_parameter_is_aligned_as_torch_allocates(sizes: list[int], dtype: torch.dtype) -> None:
    named = [
        (str(place), Parameter(torch.ones(each, dtype=dtype))) for place, each in enumerate(sizes)
    ]
    layout = Layout(named, 2)
    flat = layout.empty()
    for member in layout.members:
        assert flat[member.start :].data_ptr() % 64 == 0


def test_whole_pieces_are_the_parameters() -> None:
    layout = Layout([("a", Parameter(torch.ones(2, 3))), ("b", Parameter(torch.ones(())))], 2)
    assert [(it.member.name, it.start, it.stop, it.place) for it in layout.whole_pieces()] == [
        ("a", 0, 6, 0),
        ("b", 0, 1, 16),
    ]
