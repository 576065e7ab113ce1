"""A rehearsal forks the ranks of a distributed problem, and tells a hang from an answer."""

import pytest

from tests.judge.distributed.arena import FOLDER, SOLUTION, variant
from torchstone.judge.kit import load_code
from torchstone.judge.proof.rehearsal import rehearse, summarise

pytestmark = pytest.mark.torch


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("sum_not_mean", ("WA value", "small")), ("first_rank_alone", ("HUNG", "small"))],
)
def test_a_wrong_variant_gets_its_verdict(name: str, wanted: tuple[str, str]) -> None:
    assert summarise(load_code(FOLDER), variant(name), ["start"], 1) == wanted


def test_the_solution_is_right_in_the_groups_without_traffic() -> None:
    """Bytes are those of the whole machine here."""
    seen = list(rehearse(load_code(FOLDER), SOLUTION, ["start"], 1))
    assert [each.planned.group for each in seen].count("small") == 3
    assert not any(each.grade.findings for each in seen if each.planned.group != "bytes")
