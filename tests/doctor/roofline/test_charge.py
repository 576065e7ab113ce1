"""Charges: each kernel once, to the innermost operator that has a model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.doctor.kernels import Op, addition, case_of, trace_of
from torchstone.doctor.case import make_case
from torchstone.doctor.read.run import read_run

pytestmark = pytest.mark.pure

LIST = Op(name="aten::_foreach_add_", dims=[[[64]], [[64]], []], us=5,
          types=["TensorList", "TensorList", "Scalar"], kernel="multi_tensor<float>")  # fmt: skip


def test_what_has_no_model_is_not_modelled() -> None:
    mine = Op(name="mine::kernel", dims=[[8]], us=30)
    roofline = case_of([addition(1000, 1.0), mine]).roofline
    assert roofline.modelled == pytest.approx(roofline.row_time.sum() / roofline.time)
    assert {each.name for each in roofline.operators} == {"aten::add"}


def test_an_operator_without_a_model_is_charged_to_the_one_around_it() -> None:
    inner = Op(name="mine::kernel", dims=[[8]], us=30)
    (found,) = _nested("aten::exp", inner).roofline.operators
    assert (found.name, found.time) == ("aten::exp", pytest.approx(4 * 30))


def test_an_operator_that_passes_its_work_on_is_charged_with_nothing() -> None:
    inner = Op(name="aten::exp", dims=[[8, 4]], us=30)
    (found,) = _nested("aten::exp", inner).roofline.operators
    assert len(found.rows) == 4
    assert found.time == pytest.approx(4 * 30)


def _nested(outer: str, inner: Op) -> Any:
    """A case in which an operator on the same sizes lies around another."""
    import tempfile

    trace = trace_of([inner])
    around = [
        {**each, "name": outer, "args": {"Input Dims": [[8, 4]], "Input type": ["float"]}}
        for each in trace["traceEvents"]
        if each["name"] == inner.name
    ]
    for each in around:
        each["ts"] -= 0.25
        each["dur"] += 0.5
    trace["traceEvents"] += around
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        path.write_text(json.dumps(trace))
        of_rank = read_run([path]).ranks[0]
    return make_case(of_rank.events, of_rank.device)


def test_lists_have_the_type_that_their_kernels_name() -> None:
    (found,) = case_of([LIST]).roofline.operators
    assert found.num_bytes == 4 * 3 * 64 * 4
    silent = Op(name=LIST.name, dims=LIST.dims, us=5, types=LIST.types)
    assert case_of([silent]).roofline.modelled == 0.0


@pytest.mark.parametrize("of_call", [True, False])
def test_without_correlation_the_external_number_joins(tmp_path: Path, of_call: bool) -> None:
    trace = trace_of([addition(1000, 1.0)])
    for at, each in enumerate(trace["traceEvents"]):
        args = each["args"]
        if args.pop("correlation", None) or (each["cat"] == "cpu_op" and not of_call):
            args["External id"] = 1 + at // 4
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(trace))
    of_rank = read_run([path]).ranks[0]
    case = make_case(of_rank.events, of_rank.device)
    assert case is not None
    assert case.launches.found == 0.0
    assert case.roofline.modelled == 1.0


def test_without_a_device_the_time_of_an_operator_by_itself_counts() -> None:
    inner = Op(name="aten::exp", dims=[[1 << 16]], us=100, within="aten::clone")
    roofline = case_of([inner], has_device=False).roofline
    (found,) = roofline.operators
    assert found.time == pytest.approx(400, abs=0.1)
    assert roofline.modelled == pytest.approx(1.0)
