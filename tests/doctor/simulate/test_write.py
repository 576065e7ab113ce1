"""Files of a simulated run: the same events in each form."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.doctor.simulated import WHOLE, load, report_of, rounded, simulated
from torchstone.doctor.simulate import PATIENTS, Form, write_trace

pytestmark = pytest.mark.pure


def test_both_schemas_have_the_categories_of_their_time(tmp_path: Path) -> None:
    new = load(simulated(tmp_path, "pageable", Form(schema="new")))["traceEvents"]
    assert {"cpu_op", "kernel", "cuda_runtime", "gpu_memcpy", "python_function"} <= {
        event.get("cat") for event in new
    }
    old = load(simulated(tmp_path, "pageable", Form(schema="old")))["traceEvents"]
    assert {event.get("cat") for event in old} == {"Operator", "Kernel", "Runtime", "Memcpy"}
    assert {event["tid"] for event in old if event["cat"] == "Kernel"} == {"stream 7"}


def test_amd_has_its_own_calls(tmp_path: Path) -> None:
    events = load(simulated(tmp_path, "download", Form(vendor="hip")))["traceEvents"]
    calls = {event["name"] for event in events if event["cat"] == "cuda_runtime"}
    assert calls == {"hipLaunchKernel", "hipMemcpyAsync", "hipStreamSynchronize"}


def test_times_are_written_in_three_ways(tmp_path: Path) -> None:
    for times, kind in (("int", int), ("float", float), ("string", str)):
        events = load(simulated(tmp_path, "healthy", Form(times=times)))["traceEvents"]
        assert {type(event["ts"]) for event in events} == {kind}


def test_fractions_of_a_microsecond_are_no_whole_numbers(tmp_path: Path) -> None:
    (recording,) = PATIENTS["healthy"].record()
    with pytest.raises(ValueError, match="quantum_ns=1000"):
        write_trace(recording, tmp_path / "a.json", Form(times="int"))


def test_a_run_is_repeated_up_to_a_size_and_means_the_same(tmp_path: Path) -> None:
    (recording,) = PATIENTS["loader"].record(quantum_ns=WHOLE)
    once, often = tmp_path / "once.json", tmp_path / "often.json"
    write_trace(recording, once)
    write_trace(recording, often, num_bytes=4 * once.stat().st_size)
    assert 4 <= often.stat().st_size / once.stat().st_size < 6
    a, b = report_of(once), report_of(often)
    assert b["window"]["steps"] in (24, 30)
    for report in (a, b):
        report.pop("window")
    assert a["accounting"]["idle"]["loader"] == pytest.approx(b["accounting"]["idle"]["loader"])
    assert a["accounting"]["compute"] == pytest.approx(b["accounting"]["compute"])
    assert a["verdict"] == b["verdict"]


def test_a_packed_file_means_the_same(tmp_path: Path) -> None:
    plain, packed = simulated(tmp_path, "launch"), simulated(tmp_path, "launch", packed=True)
    assert json.loads(gzip.decompress(packed.read_bytes())) == load(plain)
    assert rounded(report_of(packed)) == rounded(report_of(plain))
