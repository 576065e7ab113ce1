"""The next problem follows what was proven, and says why it is that one."""

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.shipped import shipped_bank
from torchstone.study import NextProblem, ProblemFacts
from torchstone.study.next_problem import choose_next

pytestmark = pytest.mark.pure


@dataclass(frozen=True)
class Problem:
    id: str
    part: int = 1
    stars: int = 1
    concepts: tuple[str, ...] = ()
    prerequisites: tuple[str, ...] = ()


BANK = [
    Problem("01"),
    Problem("02", stars=3, prerequisites=("01",)),
    Problem("03", stars=2, prerequisites=("01",)),
    Problem("04", stars=4),
    Problem("05", stars=2),
    Problem("21", part=2, stars=5, prerequisites=("04",)),
    Problem("22", part=2, stars=2, prerequisites=("05",)),
    Problem("23", part=2, stars=1),
]
REAL = [problem.spec for problem in shipped_bank()]


def follow(
    after: str | None, *more: str, tried: str = "", bank: list[ProblemFacts] | None = None
) -> NextProblem:
    proven = {one for one in (after, *more) if one}
    found = choose_next(bank or BANK, proven=proven, tried=tried.split(), after=after)
    assert found is not None
    assert not found.is_review
    return found


def test_without_anything_proven_the_easiest_comes_first() -> None:
    assert follow(None).problem_id == "01"
    assert follow(None, tried="23").problem_id == "23"


def test_what_builds_on_the_proven_problem_comes_first_and_of_it_the_easiest() -> None:
    found = follow("01")
    assert found.problem_id == "03"
    assert "builds on 01" in found.reason["en"]
    assert "01" in found.reason["zh"]


def test_what_builds_on_it_may_be_in_another_part() -> None:
    assert follow("05").problem_id == "22"


def test_of_equally_easy_problems_the_one_that_was_begun_comes_first() -> None:
    equal = [Problem("01"), *(Problem(name, prerequisites=("01",)) for name in ("02", "03"))]
    assert follow("01", bank=equal).problem_id == "02"
    begun = follow("01", bank=equal, tried="03")
    assert begun.problem_id == "03"
    assert "started" in begun.reason["en"]
    assert "动手做过" in begun.reason["zh"]


def test_then_the_part_goes_on_in_the_order_of_the_bank() -> None:
    # 04 is harder than 05, but the part goes on with it.
    found = follow("03", "01", "02")
    assert found.problem_id == "04"
    assert "part 1" in found.reason["en"]
    assert "第 1 部分" in found.reason["zh"]


def test_at_the_end_of_a_part_its_easiest_earlier_problem_follows() -> None:
    assert follow("23", "22").problem_id == "01"
    found = follow("22", "23", "04", "05")
    assert found.problem_id == "21"
    assert "easiest" in found.reason["en"]


def test_another_part_is_never_named_without_the_reason() -> None:
    found = follow("23", "22", "21")
    assert found.problem_id == "01"
    assert "23" in found.reason["en"]
    assert "part 2" in found.reason["en"]
    assert "第 2 部分" in found.reason["zh"]


def test_what_a_proven_problem_needs_is_not_asked_for_again() -> None:
    # Whoever has proven 03 is ready for what else builds on 01.
    assert follow("03").problem_id == "04"
    assert follow("03", "04", "05").problem_id == "01"


def test_all_proven_leaves_nothing() -> None:
    ids = [problem.id for problem in BANK]
    assert choose_next(BANK, proven=ids, tried=(), after="01") is None


def test_a_problem_that_is_not_in_the_bank_is_followed_by_the_easiest() -> None:
    assert follow("99").problem_id == "01"


@pytest.mark.parametrize("more", [(), ("05", "41", "42", "43"), ("42", "43")])
def test_after_44_comes_45(more: tuple[str, ...]) -> None:
    found = follow("44", *more, bank=list(REAL))
    assert found.problem_id == "45"
    assert "44" in found.reason["en"]


def test_after_50_another_part_comes_only_when_nothing_of_part_5_is_ready() -> None:
    part_5 = [problem.id for problem in REAL if problem.part == 5]
    # Kernels that are built on problems of Part 4, which are proven.
    by_id = {problem.id: problem for problem in REAL}
    asked = {each for number in part_5 for each in by_id[number].prerequisites if each[0] == "3"}
    assert asked == {"36", "37", "38"}
    for count in range(len(part_5)):
        found = follow("50", *asked, *part_5[:count], bank=list(REAL))
        is_in_part = found.problem_id in part_5
        assert is_in_part == (count < len(part_5) - 1), found
    assert found.problem_id == "01"
    found = follow("50", *asked, *part_5, "01", bank=list(REAL))
    assert found.problem_id == "05"
    assert "50" in found.reason["en"]
    assert "part 5" in found.reason["en"]
    assert "第 5 部分" in found.reason["zh"]


@given(st.sets(st.sampled_from([one.id for one in REAL])), st.data())
def test_each_reason_is_so(proven: set[str], data: st.DataObject) -> None:
    after = data.draw(st.sampled_from(sorted(proven))) if proven else None
    found = choose_next(REAL, proven=proven, tried=(), after=after)
    if found is None:
        assert proven == {one.id for one in REAL}
        return
    specs = {one.id: one for one in REAL}
    chosen = specs[found.problem_id]
    assert chosen.id not in proven
    reason = found.reason["en"]
    if after is None:
        assert "easiest" in reason
        return
    assert after in reason
    assert ("builds on" in reason.split("No unsolved")[0]) == (after in chosen.prerequisites)
    if "part" in reason and "other parts" not in reason:
        assert chosen.part == specs[after].part
