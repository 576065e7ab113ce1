import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchstone.core.verdict import ExitCode, Verdict, worst

pytestmark = pytest.mark.pure

PRECEDENCE = (
    "IE CE FORBIDDEN_OP OOB RACE UNINIT MLE TLE OLE HUNG RTE INPUT_MUTATED WA SLOW AC".split()
)


def test_the_precedence_is_the_published_one() -> None:
    assert [verdict.value for verdict in Verdict] == PRECEDENCE
    assert [verdict.precedence for verdict in Verdict] == list(range(len(PRECEDENCE)))


@given(st.lists(st.sampled_from(Verdict), min_size=1))
def test_worst_is_one_of_them_and_none_is_worse(verdicts: list[Verdict]) -> None:
    found = worst(verdicts)
    assert found in verdicts
    assert all(PRECEDENCE.index(found) <= PRECEDENCE.index(other) for other in verdicts)


def test_worst_of_nothing_is_refused_rather_than_accepted() -> None:
    with pytest.raises(ValueError, match="no verdicts"):
        worst([])


@pytest.mark.parametrize("verdict", Verdict)
def test_only_accepted_ends_with_zero_and_only_our_fault_with_three(verdict: Verdict) -> None:
    wanted = {Verdict.AC: ExitCode.ACCEPTED, Verdict.IE: ExitCode.OUR_FAULT}
    assert verdict.exit_code == wanted.get(verdict, ExitCode.NOT_ACCEPTED)
    assert [int(code) for code in ExitCode] == [0, 1, 2, 3]
