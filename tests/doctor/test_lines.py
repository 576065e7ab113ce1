"""Lines of code: where time went, and what its owner can edit."""

from __future__ import annotations

import numpy as np
import pytest

from tests.doctor.simulated import Row, made
from torchstone.doctor.events import NONE
from torchstone.doctor.intervals import Intervals
from torchstone.doctor.lines import Frames, Place, is_own
from torchstone.doctor.read.kinds import Kind

pytestmark = pytest.mark.pure

MAIN, STEP, LOADER, DECODE = (
    *("train.py(1): <module>", "train.py(40): step"),
    *("torch/utils/data/dataloader.py(628): __next__", "data.py(7): decode"),
)


def frame(name: str, number: int, parent: int, begin: float, end: float, lane: int = 0) -> Row:
    kind = Kind.LOADER if name == LOADER else Kind.PYTHON
    plain = {"begin": begin, "end": end, "lane": lane, "name": name}
    return Row(kind=kind, python=number, parent=parent, **plain)


def calls(number: int = 0) -> list[Row]:
    """A step that loads from 10 to 60, of which 20 to 50 is the user's."""
    return [
        frame(MAIN, 1 + number, NONE, 0, 100),
        frame(STEP, 2 + number, 1 + number, 5, 95),
        frame(LOADER, 3 + number, 2 + number, 10, 60),
        frame(DECODE, 4 + number, 3 + number, 20, 50),
        frame("<built-in function sleep>", 5 + number, 4 + number, 30, 40),
    ]


def between(begin: float, end: float) -> Intervals:
    return Intervals(np.array([begin]), np.array([end]))


def told(places: list[Place]) -> dict[str, float]:
    return {f"{each.file}:{each.line}": round(each.share, 6) for each in places}


def test_time_goes_to_the_deepest_frame_and_to_the_deepest_of_the_user() -> None:
    found = Frames(made(calls())).places(between(0, 100), 0)
    assert told(found.deepest) == {
        "train.py:40": 0.4,
        "data.py:7": 0.3,
        "torch/utils/data/dataloader.py:628": 0.2,
        "train.py:1": 0.1,
    }
    # Of the loader's own time, what called it.
    assert told(found.own) == {"train.py:40": 0.6, "data.py:7": 0.3}


def test_only_the_times_asked_for_count() -> None:
    found = Frames(made(calls())).places(between(25, 35), 0)
    assert told(found.deepest) == {"data.py:7": 1.0}


@pytest.mark.parametrize("parents", ["none", "twice", "circle", "self"])
def test_frames_whose_numbers_say_nothing_are_nested_by_their_times(parents: str) -> None:
    rows = calls()
    numbers = {
        "none": [(0, 0)] * 5,
        "twice": [(1, NONE), (1, 1), (1, 1), (2, 1), (2, 2)],
        "circle": [(1, 2), (2, 1), (3, 4), (4, 3), (5, 5)],
        "self": [(number, number) for number in range(1, 6)],
    }[parents]
    rows = [
        Row(kind=r.kind, begin=r.begin, end=r.end, name=r.name, python=number, parent=parent)
        for r, (number, parent) in zip(rows, numbers, strict=True)
    ]
    found = Frames(made(rows)).places(between(0, 100), 0)
    assert told(found.own) == {"train.py:40": 0.6, "data.py:7": 0.3}


def test_frames_of_another_thread_count_only_where_this_one_has_none() -> None:
    other = frame("other.py(3): run", 50, NONE, 0, 100, lane=1)
    frames = Frames(made([*calls(), other]))
    assert "other.py:3" not in told(frames.places(between(0, 100), 0).deepest)
    assert told(frames.places(between(0, 100), 1).deepest) == {"other.py:3": 1.0}
    assert told(frames.places(between(0, 100), 9).deepest)["data.py:7"] == 0.3


def test_no_frames_and_no_time_have_no_lines() -> None:
    assert not Frames(made([Row(kind=Kind.OPERATOR, begin=0, end=1)]))
    frames = Frames(made(calls()))
    assert frames
    for times in (Intervals.nothing(), between(200, 300)):
        assert frames.places(times, 0).deepest == []


@pytest.mark.parametrize(
    ("file", "is_users"),
    [
        ("train.py", True),
        ("/home/me/project/train.py", True),
        ("model/layers.py", True),
        ("torch/nn/modules/linear.py", False),
        ("/usr/lib/python3.11/threading.py", False),
        ("/venv/lib/python3.11/site-packages/mine/a.py", False),
        ("threading.py", False),
        ("<frozen importlib._bootstrap>", False),
        ("transformers/image_transforms.py", False),
        ("/home/me/torch/train.py", True),
    ],
)
def test_a_file_is_the_users_by_its_path(file: str, is_users: bool) -> None:
    assert is_own(file) == is_users


def test_a_loop_outside_of_any_function_is_the_users_and_what_starts_it_is_not() -> None:
    names = (
        "torchstone/doctor/capture/child.py(9): run",
        "train.py(1): <module>",
        "torch/x.py(3): f",
    )
    rows = [
        Row(kind=Kind.PYTHON, begin=10 * n, end=100 - 10 * n, name=name, python=n, parent=n - 1)
        for n, name in enumerate(names)
    ]
    found = Frames(made(rows)).places(between(0, 100), 0)
    assert set(told(found.own)) == {"train.py:1"}
    assert set(told(found.deepest)) == {"train.py:1", "torch/x.py:3"}
