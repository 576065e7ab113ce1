from dataclasses import replace

import pytest

from torchstone.bank import Problem, load_bank
from torchstone.bank.least import LEAST, Shortage, shortages

pytestmark = pytest.mark.pure


@pytest.fixture(scope="module")
def softmax() -> Problem:
    return load_bank().get("01")


@pytest.mark.parametrize(
    ("kind", "shelf", "others"),
    [("right", "good", 1), ("wrong", "wrong", 0), ("cheats", "cheats", 0)],
)
def test_one_program_less_than_the_least_number_is_a_shortage(
    softmax: Problem, kind: str, shelf: str, others: int
) -> None:
    least = LEAST[kind] - others
    enough, fewer = (
        replace(softmax, **{shelf: getattr(softmax, shelf)[:count]}) for count in (least, least - 1)
    )
    assert shortages(enough) == ()
    assert shortages(fewer) == (Shortage(kind=kind, count=LEAST[kind] - 1),)


def test_nothing_at_all_is_too_few() -> None:
    assert min(LEAST.values()) > 0
