"""K008: pairs and one-hot matrices, and broadcasts that are none."""

from __future__ import annotations

import pytest

from tests.doctor.kernels import Op, case_of
from torchstone.doctor.rules.materialised import find

pytestmark = pytest.mark.pure

N, M, D = 512, 256, 32
PAIRS = [N, M, D]


def pairs(between: str = "aten::pow") -> list[Op]:
    return [
        Op(
            name="aten::sub",
            dims=[[N, 1, D], [1, M, D], []],
            us=100,
            types=["float", "float", "Scalar"],
        ),
        Op(name=between, dims=[PAIRS, []], us=100, types=["float", "Scalar"]),
        Op(
            name="aten::sum",
            dims=[PAIRS, [], [], []],
            us=100,
            types=["float", "ScalarList", "Scalar", ""],
            values=["", "[-1]", "False", ""],
        ),
    ]


def test_all_pairs_are_found_with_what_they_are_made_from() -> None:
    found = find(case_of(pairs()))
    assert found is not None
    assert found.evidence["elements"] == N * M * D
    assert found.evidence["inputs"] == (N + M) * D
    assert found.share == pytest.approx(1.0, abs=0.02)


def test_a_one_hot_matrix_times_a_table_is_found() -> None:
    ops = [
        Op(
            name="aten::scatter_",
            dims=[[4096, 1000], [], [4096, 1], []],
            us=100,
            types=["long int", "Scalar", "long int", "Scalar"],
            values=["", "1", "", "1"],
        ),
        Op(
            name="aten::copy_",
            dims=[[4096, 1000], [4096, 1000], []],
            us=100,
            types=["float", "long int", "Scalar"],
        ),
        Op(name="aten::mm", dims=[[4096, 1000], [1000, 64]], us=100),
    ]
    assert find(case_of(ops)) is not None
    assert find(case_of(ops[:2])) is None


def test_behind_a_function_no_identity_helps() -> None:
    assert find(case_of(pairs("aten::tanh"))) is None


def test_pairs_that_are_kept_are_no_case() -> None:
    assert find(case_of(pairs()[:2])) is None


def test_a_row_that_is_added_to_a_tensor_is_no_case() -> None:
    ops = pairs()
    row = Op(name="aten::add", dims=[PAIRS, [D], []], us=100, types=["float", "float", "Scalar"])
    assert find(case_of([row, *ops[1:]])) is None


@pytest.mark.parametrize(("size", "is_found"), [(31, False), (32, True)])
def test_the_border_is_sixteen_times_the_input(size: int, is_found: bool) -> None:
    # n * n elements of 2 * n: half of n times as many.
    sums = Op(
        name="aten::sum",
        dims=[[size, size, 512], [], [], []],
        us=100,
        types=["float", "ScalarList", "Scalar", ""],
        values=["", "[-1]", "False", ""],
    )
    made = Op(
        name="aten::sub",
        dims=[[size, 1, 512], [1, size, 512], []],
        us=100,
        types=["float", "float", "Scalar"],
    )
    assert (find(case_of([made, sums])) is not None) == is_found


def test_a_tenth_of_the_window_is_needed() -> None:
    other = Op(name="aten::mm", dims=[[512, 512], [512, 512]], us=2_800)
    assert find(case_of([*pairs(), other])) is None
