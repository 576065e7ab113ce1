"""Cases are drawn from their seed alone, in every layout that a learner should survive."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from torchstone.judge.kit import LAYOUTS, Draw, derive_seed, lay_out

pytestmark = pytest.mark.torch

SEEDS = st.integers(0, 2**63 - 1)


@given(SEEDS)
def test_a_seed_decides_everything(seed: int) -> None:
    def draw_all() -> list[object]:
        draw = Draw(seed)
        return [
            draw.integer(0, 100),
            draw.choice("abc"),
            draw.chance(0.5),
            draw.shape(3, 1, 9),
            draw.layout(),
            draw.normal((3,)).tolist(),
            draw.uniform((3,), -1, 1).tolist(),
            draw.integers((3,), 0, 9).tolist(),
        ]

    assert draw_all() == draw_all()


def test_drawing_leaves_the_global_random_state_alone() -> None:
    before = torch.get_rng_state()
    draw = Draw(7)
    draw.normal((4,))
    draw.integer(1, 9)
    assert torch.equal(torch.get_rng_state(), before)


@given(SEEDS, st.integers(-5, 5), st.integers(0, 5))
def test_both_ends_of_a_range_can_be_drawn_and_nothing_beyond(
    seed: int, low: int, span: int
) -> None:
    drawn = Draw(seed).integers((200,), low, low + span)
    assert int(drawn.min()) >= low
    assert int(drawn.max()) <= low + span
    if span < 2:
        assert set(drawn.tolist()) == set(range(low, low + span + 1))


def test_parts_of_a_seed_do_not_run_together() -> None:
    seeds = {derive_seed("ab", "c"), derive_seed("a", "bc"), derive_seed("abc"), derive_seed()}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**63 for seed in seeds)
    assert derive_seed(1, "plan") == derive_seed("1", "plan")


def test_plain_values_can_be_read_by_a_person() -> None:
    values = Draw(3, plain=True).normal((50,), dtype=torch.float64)
    assert torch.equal((values * 10).round() / 10, values)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_values_are_rounded_once_into_their_dtype(dtype: torch.dtype) -> None:
    wide = torch.float64 if dtype == torch.float64 else torch.float32
    got = Draw(5).normal((9,), dtype=dtype, scale=3, offset=2)
    assert got.dtype == dtype
    assert torch.equal(got, (Draw(5).normal((9,), dtype=wide) * 3 + 2).to(dtype))


@given(st.sampled_from(LAYOUTS), st.lists(st.integers(0, 4), max_size=4))
def test_a_layout_keeps_shape_and_values(layout: str, shape: list[int]) -> None:
    tensor = Draw(1).normal(shape)
    laid = lay_out(tensor, layout)
    assert laid.shape == tensor.shape
    if layout == "expanded" and tensor.ndim and tensor.numel():
        assert torch.equal(laid, tensor[:1].expand(tensor.shape))
    else:
        assert torch.equal(laid, tensor)


def test_each_layout_lies_differently_in_memory() -> None:
    tensor = torch.arange(12.0).view(3, 4)
    strides = {name: lay_out(tensor, name).stride() for name in LAYOUTS}
    assert strides == {
        "contiguous": (4, 1),
        "transposed": (1, 3),
        "stepped": (8, 2),
        "offset": (4, 1),
        "expanded": (0, 1),
    }
    assert lay_out(tensor, "offset").storage_offset() == 3


@pytest.mark.parametrize("layout", ["stepped", "offset"])
def test_whoever_reads_a_gap_reads_sevens(layout: str) -> None:
    laid = lay_out(torch.zeros(2, 2), layout)
    storage = torch.empty(0).set_(laid.untyped_storage())
    assert sorted(set(storage.tolist())) == [0, 7]


def test_an_unknown_layout_is_refused() -> None:
    with pytest.raises(ValueError, match="use one of contiguous"):
        lay_out(torch.zeros(1), "diagonal")
