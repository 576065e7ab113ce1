"""Which ranges are steps: those that follow each other and hold most launches."""

from __future__ import annotations

import numpy as np
import pytest

from torchstone.doctor.read.nsys_steps import Candidates, find_steps

pytestmark = pytest.mark.pure

Range = tuple[str, int, int]
STEP = 100


def steps_of(*ranges: Range | tuple[str, int, int, int], work: range | list[int]) -> list[str]:
    """The names of the ranges that are steps; a fourth number is the thread."""
    names = sorted({each[0] for each in ranges})
    found = find_steps(
        Candidates(
            begin=np.array([each[1] for each in ranges], dtype=np.int64),
            end=np.array([each[2] for each in ranges], dtype=np.int64),
            thread=np.array([each[3] if len(each) > 3 else 1 for each in ranges], dtype=np.int64),
            name=np.array([names.index(each[0]) for each in ranges], dtype=np.int64),
            names=names,
        ),
        np.array(work, dtype=np.int64),
    )
    return [ranges[at][0] for at in found.tolist()]


def repeated(name: str, num: int = 4, *, begin: int = 0, length: int = STEP) -> list[Range]:
    """Ranges one after the other; ``#`` in their name counts."""
    return [
        (name.replace("#", str(n)), begin + n * STEP, begin + n * STEP + length) for n in range(num)
    ]


@pytest.mark.parametrize(
    "name",
    [
        *("step", "step #", "Iteration #", "iter_#", "train_step", "Epoch 3 Iter #", "batch: #"),
        *("[pl][profile]run_training_batch", "global_step=#", "trainStep#"),
    ],
)
def test_names_of_steps(name: str) -> None:
    assert len(steps_of(*repeated(name), work=range(0, 400, 5))) == 4


@pytest.mark.parametrize(
    "name",
    [
        *("optimizer step", "zero_grad", "batch to device", "load batch #", "val step #"),
        *("layer #", "block", "scheduler.step", "Epoch #", "warmup step #", "micro batch #"),
    ],
)
def test_names_of_what_is_no_step(name: str) -> None:
    assert steps_of(*repeated(name), work=range(0, 400, 5)) == []


def test_one_step_is_one_if_its_name_says_so() -> None:
    assert steps_of(("step 7", 0, 100), work=range(0, 100, 5)) == ["step 7"]
    assert steps_of(("work", 0, 100), work=range(0, 100, 5)) == []


def test_any_name_is_a_step_if_it_is_repeated_around_nearly_all_launches() -> None:
    assert len(steps_of(*repeated("denoise"), work=range(0, 400, 5))) == 4
    assert steps_of(*repeated("denoise", 2), work=range(0, 200, 5)) == []
    # A fifth of the launches may lie elsewhere, and no more.
    assert len(steps_of(*repeated("denoise"), work=[*range(0, 400, 5), *[450] * 20])) == 4
    assert steps_of(*repeated("denoise"), work=[*range(0, 400, 5), *[450] * 21]) == []


def test_half_of_the_launches_lie_in_what_is_called_a_step() -> None:
    inside = list(range(0, 400, 5))
    assert len(steps_of(*repeated("step"), work=[*inside, *[450] * len(inside)])) == 4
    assert steps_of(*repeated("step"), work=[*inside, *[450] * (len(inside) + 1)]) == []


def test_the_outer_of_two_steps_is_the_step() -> None:
    inner = [(f"batch {n}", n * 50, n * 50 + 50) for n in range(8)]
    assert steps_of(*inner, *repeated("step #"), work=range(0, 400, 5)) == [
        f"step {n}" for n in range(4)
    ]


def test_parts_of_a_model_that_one_range_is_around_are_no_steps() -> None:
    parts = repeated("SwiGLU", 12)
    assert steps_of(*parts, work=range(0, 1200, 5)) != []
    assert steps_of(("Transformer", 0, 1200), *parts, work=range(0, 1200, 5)) == []
    # What is around the whole loop is none of its steps.
    assert len(steps_of(("train", 0, 1200), *parts, work=range(0, 1200, 5))) == 12


def test_numbers_count_up() -> None:
    counted = repeated("sample #")
    assert len(steps_of(*counted, work=range(0, 400, 5))) == 4
    again = [("sample 0", n * STEP, n * STEP + STEP) for n in (0, 2)]
    again += [("sample 1", n * STEP, n * STEP + STEP) for n in (1, 3)]
    assert steps_of(*again, work=range(0, 400, 5)) == []


def test_a_step_within_a_step_of_its_name_is_a_part_of_it() -> None:
    nested = [*repeated("step #"), *repeated("step #", begin=10, length=50)]
    assert steps_of(*nested, work=range(0, 400, 5)) == [f"step {n}" for n in range(4)]


def test_ranges_that_overlap_or_are_on_several_threads_are_no_steps() -> None:
    assert steps_of(*repeated("step", length=STEP + 1), work=range(0, 400, 5)) == []
    spread = [("step", n * STEP, n * STEP + STEP, n) for n in range(4)]
    assert len(steps_of(*spread, work=range(0, 400, 5))) <= 1


def test_nothing_is_found_in_nothing() -> None:
    assert steps_of(work=[]) == []
    assert steps_of(*repeated("step"), work=[]) == []
