"""An oracle that lets an answer through that nobody computed is found out."""

import math
from pathlib import Path

import pytest
import torch
from msgspec import convert, to_builtins

from tests.judge.reference.problem_folder import ORACLE, write_problem
from torchstone.judge import replies
from torchstone.judge.kit import load_code
from torchstone.judge.reference.battery import NARROWER, run_battery, run_cells
from torchstone.judge.replies import Battery

pytestmark = pytest.mark.torch


def battery(folder: Path, oracle: str = ORACLE) -> Battery:
    return run_battery(load_code(write_problem(folder, oracle=oracle)), ["double"], seed=1)


def test_a_tight_oracle_lets_nothing_through(tmp_path: Path) -> None:
    found = battery(tmp_path)
    assert found.null_accepted == ()
    assert found.lowprec_accepted == ()
    assert found.parity_errors == ()
    assert found.good_ratio == 0
    assert found.lowprec_ratio is not None
    assert found.lowprec_ratio > 1


def test_an_oracle_that_is_loose_accepts_what_was_rounded(tmp_path: Path) -> None:
    found = battery(tmp_path, ORACLE.replace("K = 4", "K = 1e4"))
    # Both keep ten bits after the leading one; bfloat16 keeps seven.
    assert found.lowprec_accepted == ("float16", "tf32")
    assert found.null_accepted == ()


def test_an_oracle_that_accepts_anything_accepts_nothing_too(tmp_path: Path) -> None:
    found = battery(tmp_path, ORACLE.replace("K = 4", "K = 1e12"))
    assert found.null_accepted == ("ones", "the answer before", "the input", "zeros")


def test_an_oracle_that_differs_from_torch_is_named(tmp_path: Path) -> None:
    found = battery(tmp_path, ORACLE.replace('["x"].double() * 2', '["x"] * 2.0001'))
    assert [(each.group, each.index) for each in found.parity_errors] == [
        ("sample", 0), ("sample", 1), ("small", 2), ("small", 3),
    ]  # fmt: skip
    plan = load_code(tmp_path).plan(1)
    for each in found.parity_errors:
        assert each.regime == plan[each.index].params
        assert (each.output, each.shapes) == ("out", None)
        assert each.place is not None
        assert 0 <= each.place[0] < each.regime["n"]
        assert each.operator == pytest.approx(each.oracle / 2 * 2.0001, rel=1e-6)
        assert each.error == pytest.approx(abs(each.oracle) * 5e-5, rel=1e-2)
        assert 0 < each.allowed < each.error


def test_the_element_that_differs_most_is_named(tmp_path: Path) -> None:
    spoilt = 'x = case.secret["x"].double() * 2\n    x[1], x[2] = x[1] + 1, float("nan")\n'
    oracle = ORACLE.replace('    return {"out": case.secret["x"].double() * 2}', f"    {spoilt}")
    found = battery(tmp_path, oracle + '    return {"out": x}\n').parity_errors[0]
    assert found.place == (2,)
    assert math.isnan(found.operator)
    oracle = oracle.replace('float("nan")', "x[2] + 3")
    found = battery(tmp_path, oracle + '    return {"out": x}\n').parity_errors[0]
    assert (found.place, found.error) == ((2,), pytest.approx(3))


def test_an_oracle_of_another_shape_is_named_with_both_shapes(tmp_path: Path) -> None:
    oracle = ORACLE.replace('["x"].double() * 2', '["x"].double()[None] * 2')
    found = battery(tmp_path, oracle).parity_errors[0]
    size = found.regime["n"]
    assert (found.place, found.shapes) == (None, ((size,), (1, size)))
    read = convert(to_builtins(found), replies.ParityError)
    assert read.shapes == ((size,), (1, size))


def test_rounding_to_tf32_keeps_ten_bits() -> None:
    values = torch.tensor([1.0, 1 + 2**-10, 1 + 2**-12, -(1 + 2**-11 + 2**-20), 3e38])
    rounded = NARROWER["tf32"](values.double())
    assert rounded.tolist()[:4] == [1.0, 1 + 2**-10, 1.0, -(1 + 2**-10)]
    assert bool((rounded.view(torch.int32) & 0x1FFF == 0).all())


def test_cells_share_their_names_and_the_first_that_fails_is_named() -> None:
    assert run_cells(["a = 1", "assert a == 1"]) == ""
    assert run_cells(["a = 1", "1 / 0", "b"]) == "cell 2: ZeroDivisionError: division by zero"
