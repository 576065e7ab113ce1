"""K006: scores between two products, forward and backward; and what only looks like it."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import Op, case_of
from torchstone.doctor.rules.attention_scores import find

pytestmark = pytest.mark.pure

HALF = "c10::BFloat16"


def attention(length: int = 1024, *, softmax_us: float = 100.0) -> list[Op]:
    scores, x = [16, length, length], [16, length, 64]
    return [
        Op(name="aten::bmm", dims=[x, [16, 64, length]], us=50, dtype=HALF),
        Op(name="aten::mul", dims=[scores, []], us=20, types=[HALF, "Scalar"]),
        Op(
            name="aten::_softmax",
            dims=[scores, [], []],
            us=softmax_us,
            types=[HALF, "Scalar", "Scalar"],
            values=["", "-1", "False"],
        ),
        Op(name="aten::bmm", dims=[scores, x], us=50, dtype=HALF),
    ]


def rest(us: float) -> Op:
    return Op(name="aten::mm", dims=[[4096, 4096], [4096, 4096]], us=us, dtype=HALF)


def test_all_but_the_products_can_be_won() -> None:
    found = find(case_of([*attention(), rest(780)]))
    assert found is not None
    assert found.share == pytest.approx(0.22, abs=0.01)
    assert found.recoverable == pytest.approx(0.12, abs=0.01)
    assert found.evidence["queries"] == found.evidence["keys"] == 1024
    assert found.evidence["per_step"] == 1


@pytest.mark.parametrize(("us", "is_found"), [(1950, True), (2050, False)])
def test_the_border_is_a_tenth_of_the_window(us: float, is_found: bool) -> None:
    assert (find(case_of([*attention(), rest(us)])) is not None) == is_found


def test_backward_counts_as_well() -> None:
    scores, x = [16, 1024, 1024], [16, 1024, 64]
    backward = [
        Op(name="aten::bmm", dims=[x, [16, 64, 1024]], us=50, dtype=HALF),
        Op(
            name="aten::_softmax_backward_data",
            dims=[scores, scores, [], []],
            us=100,
            types=[HALF, HALF, "Scalar", "Scalar"],
        ),
        Op(name="aten::bmm", dims=[scores, x], us=50, dtype=HALF),
    ]
    assert find(case_of(backward)) is not None


def test_a_softmax_of_classes_is_no_attention() -> None:
    ops = attention()
    classes = Op(
        name="aten::_softmax",
        dims=[[16384, 1024], [], []],
        us=100,
        types=[HALF, "Scalar", "Scalar"],
        values=["", "-1", "False"],
    )
    assert find(case_of([ops[0], classes, ops[3]])) is None


def test_a_softmax_without_products_is_no_attention() -> None:
    assert find(case_of([attention()[2], rest(10)])) is None
