import pytest

from torchstone.interview.stream import Stream

pytestmark = pytest.mark.pure


def test_the_numbers_of_a_seed_are_the_same_on_every_version_of_python() -> None:
    stream = Stream(7, "plan")
    assert [round(stream.uniform(), 6) for _ in range(3)] == [0.319804, 0.729191, 0.536764]


def test_a_shuffle_keeps_every_element() -> None:
    drawn = Stream(1, "x").shuffled(list(range(50)))
    assert sorted(drawn) == list(range(50))
    assert drawn != list(range(50))


def test_normal_draws_have_mean_zero_and_variance_one() -> None:
    stream = Stream("normal")
    drawn = [stream.normal() for _ in range(2000)]
    mean = sum(drawn) / len(drawn)
    assert abs(mean) < 0.1
    assert abs(sum(each * each for each in drawn) / len(drawn) - 1) < 0.1
