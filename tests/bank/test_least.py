from dataclasses import replace

import pytest

from tests.shipped import shipped_bank
from torchstone.bank import Problem, Shelf, Variant
from torchstone.bank.least import LEAST, Shortage, shortages

pytestmark = pytest.mark.pure


@pytest.fixture(scope="module")
def softmax() -> Problem:
    return shipped_bank().get("01")


@pytest.mark.parametrize(
    ("kind", "shelf", "others"),
    [("right", Shelf.GOOD, 1), ("wrong", Shelf.WRONG, 0), ("cheats", Shelf.CHEATS, 0)],
)
def test_one_program_less_than_the_least_number_is_a_shortage(
    softmax: Problem, kind: str, shelf: Shelf, others: int
) -> None:
    least = LEAST[kind] - others

    def with_first(count: int) -> Problem:
        def read(asked: Shelf) -> tuple[Variant, ...]:
            return softmax.read_shelf(asked)[: count if asked is shelf else None]

        return replace(softmax, read_shelf=read)

    assert shortages(with_first(least)) == ()
    assert shortages(with_first(least - 1)) == (Shortage(kind=kind, count=LEAST[kind] - 1),)


def test_nothing_at_all_is_too_few() -> None:
    assert min(LEAST.values()) > 0
