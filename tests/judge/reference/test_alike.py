import pytest

from torchstone.judge.kit import Case, Expected, Holds, grade
from torchstone.judge.reference.alike import alike_at
from torchstone.judge.reference.trials import Trial

pytestmark = pytest.mark.torch


def said(sentence: str) -> Trial:
    """Return a trial with a wrong answer of which this is said."""
    words = {"en": sentence, "zh": "不对"}
    expected: Expected = {"events": Holds(lambda value: False, words, is_fault_in_words=True)}
    answer = {"events": [sentence]}
    return Trial(
        index=0,
        group="kill",
        params={},
        case=Case(steps=()),
        answer=answer,
        findings=grade(expected, answer).findings,
        expected=expected,
    )


@pytest.mark.parametrize(
    ("a", "b", "alike"),
    [
        ("step 3 has the loss 0.25", "step 3 has the loss -1.5e-07", True),
        ("step 3 took [1, 2]; right is [2, 1]", "step 3 took [5]; right is [4]", True),
        ("the file has 10 bytes", "the file has 99 bytes", True),
        ("step 3 has the loss 0.25", "step 4 has the loss 0.25", False),
        ("start 1 began with step 0", "start 2 began with step 0", False),
        ("step 3 took [1]", "step 3 has the loss [1]", False),
    ],
)
def test_faults_in_words_are_alike_but_for_what_a_program_draws(
    a: str, b: str, alike: bool
) -> None:
    assert alike_at("events", said(a), said(b)) is alike
