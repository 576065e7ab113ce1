"""All-reduces, where they run and where they are asked for, with a device and without."""

from __future__ import annotations

import pytest

from tests.doctor.made import OTHER, Made
from torchstone.doctor.rules import collectives

pytestmark = pytest.mark.pure


def test_on_the_host_gloo_runs_them_on_a_thread_of_its_own() -> None:
    run = Made().operator("aten::mm", 0, 10).operator("c10d::allreduce_", 20, 21)
    run.span("gloo:all_reduce", "user_annotation", 20, 90, tid=OTHER)
    run.span("gloo:broadcast", "user_annotation", 95, 99, tid=OTHER)
    case = run.case()
    assert len(case.collectives) == 2
    assert len(collectives.all_reduces(case)) == len(collectives.calls(case)) == 1
    assert case.accounting.shares["communication"] == pytest.approx(74 / 40_000)


def test_on_a_device_they_are_kernels() -> None:
    run = Made().kernel("ncclDevKernel_AllReduce_Sum_f32_RING", 5, 20, 90)
    run.operator("record_param_comms", 1, 12).kernel("gemm", 100, 120, 130)
    case = run.case()
    assert len(collectives.all_reduces(case)) == len(collectives.calls(case)) == 1


def test_without_exchanges_no_calls_are_told() -> None:
    case = Made().operator("c10d::allreduce_", 0, 10).case()
    assert not len(collectives.calls(case))
