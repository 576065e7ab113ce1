"""Operators as calls: who called whom, what is left to each, and the bytes of their inputs."""

from __future__ import annotations

import pytest

from tests.doctor.made import OTHER, Made
from torchstone.doctor.operators import find_operators, num_bytes, types_of, with_sizes

pytestmark = pytest.mark.pure


def test_calls_are_nested_on_their_own_thread() -> None:
    run = Made().operator("aten::linear", 0, 100).operator("aten::addmm", 10, 60)
    run.operator("aten::copy_", 20, 30).operator("aten::mm", 40, 50, tid=OTHER)
    found = find_operators(run.case().events)
    assert found.parents.tolist() == [-1, 0, 1, -1]
    assert found.tops.tolist() == [0, 0, 0, 3]
    assert found.selves.tolist() == pytest.approx([50.0, 40.0, 10.0, 10.0])
    assert found.inner.tolist() == [3, 2, 1, 1]


@pytest.mark.parametrize(
    ("dims", "types", "size"),
    [
        ([[2, 3]], ["float"], 24),
        ([[2, 3], []], ["double", "Scalar"], 48),
        ([[[4], [5]]], ["TensorList"], 36),
        ([[2]], ["c10::BFloat16"], 4),
        ("cut", ["float"], 0),
    ],
)
def test_bytes_of_inputs(dims: object, types: list[str], size: int) -> None:
    run = Made().operator("aten::mm", 0, 1, **{"Input Dims": dims, "Input type": types})
    events = run.case().events
    signature = int(events.shapes[find_operators(events).rows[0]])
    assert num_bytes(events, signature) == size
    assert types_of(events, signature) == types


def test_a_number_has_no_size() -> None:
    told = {"Input Dims": [[2], []], "Input type": ["float", "double"]}
    events = Made().operator("aten::mul", 0, 1, **told).case().events
    signature = int(events.shapes[find_operators(events).rows[0]])
    assert with_sizes(events, signature) == ["float"]
