"""The commands of the doctor: a verdict, its pages and refusals, in both languages and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run
from tests.cli.listed import require_listed

pytestmark = pytest.mark.pure

STEP_US, LOADING_US = 10_000, 6_000


def span(name: str, cat: str, begin: float, end: float, **args: Any) -> dict[str, Any]:
    """An event of the host; with ``stream`` among its arguments, of the device."""
    lane = {"pid": 0, "tid": args["stream"]} if "stream" in args else {"pid": 1, "tid": 1}
    timed = {"ts": begin, "dur": end - begin}
    return {"ph": "X", "name": name, "cat": cat, "args": args} | lane | timed


def slow_loader(num_steps: int = 4) -> dict[str, Any]:
    """Steps that load for 6 ms, launch one kernel, and compute for 3.9 ms."""
    events = []
    for step in range(num_steps):
        t = 1000.0 + step * STEP_US
        loaded, pair = t + LOADING_US, {"correlation": step + 1}
        events += [
            span(f"ProfilerStep#{step}", "user_annotation", t, t + STEP_US),
            span(
                "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                *("user_annotation", t, loaded),
            ),
            span("aten::mm", "cpu_op", loaded, loaded + 100),
            span("cudaLaunchKernel", "cuda_runtime", loaded + 50, loaded + 90, **pair),
            span("gemm", "kernel", loaded + 100, t + STEP_US, stream=7, **pair),
        ]
    return {"schemaVersion": 1, "deviceProperties": [{"name": "Card"}], "traceEvents": events}


@pytest.fixture
def trace(tmp_path: Path) -> str:
    path = tmp_path / "trace.json"
    path.write_text(json.dumps(slow_loader()))
    return str(path)


def test_a_slow_loader_is_named_with_what_it_takes(run: Run, trace: str) -> None:
    answer = run("doctor", "diagnose", trace, "--json").json
    require_listed("doctor diagnose", answer)
    assert (answer["verdict"], answer["bottleneck"], answer["also"]) == ("TS-D001", "loading", [])
    assert answer["window"] == pytest.approx(
        {"start_us": 0.0, "duration_us": 4e4, "steps": 4, "step_ms": 10.0, "how": "steps"}
    )
    shares = answer["accounting"]
    assert shares["idle"]["loader"] == pytest.approx(LOADING_US / STEP_US)
    assert shares["compute"] == pytest.approx(0.39)
    told = sum(value for name, value in shares.items() if name != "idle")
    assert told + sum(shares["idle"].values()) == pytest.approx(1.0)
    (found,) = answer["findings"]
    assert found["evidence"] == pytest.approx({"wait_ms": 6.0, "load_ms": 6.0, "loads": 4.0})
    assert found["predicted_step_ms"] == pytest.approx([4.0, 6.4])
    assert found["recoverable_ms"] == pytest.approx(6.0)


def test_lines_say_it_in_both_languages(run: Run, trace: str) -> None:
    english = run("doctor", "diagnose", trace).out
    assert "60% of each step is spent waiting for data" in english
    assert "In each step the device waits 6.0 ms (60.0%)" in english
    chinese = run("doctor", "diagnose", trace, "--lang", "zh").out
    assert "每步有 60% 的时间在等数据" in chinese
    assert "每一步设备等待 `DataLoader.__next__` 6.0 ms（60.0%）" in chinese


def test_a_rule_has_a_page_and_all_have_a_line(run: Run) -> None:
    manual = run("doctor", "rules", "--json").json
    require_listed("doctor rules", manual)
    codes = [page["code"] for page in manual["rules"]]
    assert codes == sorted(codes)
    assert {"TS-D001", "TS-L001", "TS-U001", "TS-H001"} <= set(codes)
    assert "stretch_us" in run("doctor", "rules", "d004").out
    for lang in ("en", "zh"):
        out = run("doctor", "rules", "--lang", lang).out
        assert all(code in out for code in codes)


@pytest.mark.gate("None-*", "hello-*")
@pytest.mark.parametrize(
    ("text", "code"),
    [
        (None, "no_file"),
        ("", "empty"),
        ("  \n", "empty"),
        ("hello", "no_json"),
        ("{}", "no_events"),
        ('{"traceEvents": []}', "nothing_happens"),
        ('{"traceEvents": [', "nothing_happens"),
        ("[]", "nothing_happens"),
    ],
)
def test_what_is_no_trace_is_refused(run: Run, tmp_path: Path, text: str | None, code: str) -> None:
    path = tmp_path / "file"
    if text is not None:
        path.write_text(text)
    refused = run("doctor", "diagnose", str(path), "--json")
    assert refused.code == 2
    assert refused.json["code"] == f"doctor.refusal.{code}"
    assert str(path) in run("doctor", "diagnose", str(path), "--lang", "zh").err


def test_an_unknown_rule_is_refused_with_the_nearest(run: Run) -> None:
    refused = run("doctor", "rules", "TS-D01")
    assert refused.code == 2
    assert "TS-D001" in refused.err


def test_two_runs_are_compared_in_both_languages(run: Run, trace: str, tmp_path: Path) -> None:
    cured = tmp_path / "cured.json"
    report = run("doctor", "diagnose", trace, "--json").json
    report |= {"verdict": "TS-H001", "findings": []}
    report["window"]["step_ms"] /= 2
    cured.write_text(json.dumps(report))
    answer = run("doctor", "compare", trace, str(cured), "--json").json
    require_listed("doctor compare", answer)
    assert (answer["ratio"], answer["vanished"]) == (2.0, ["TS-D001"])
    assert answer["accounts"]["idle.loader"] == pytest.approx(
        {"before_ms": 6.0, "after_ms": 3.0, "difference_ms": -3.0}
    )
    english = run("doctor", "compare", trace, str(cured)).out
    assert "2.00 times as fast" in english
    assert "waits: loader" in english
    assert "消失的：TS-D001" in run("doctor", "compare", trace, str(cured), "--lang", "zh").out


@pytest.mark.full
@pytest.mark.parametrize(
    ("content", "code"),
    [(None, "script_missing"), ("", "script_empty"), ("#!/bin/sh\nls &&\n", "script_syntax")],
)
def test_what_cannot_be_run_is_refused_in_both_languages(
    run: Run, tmp_path: Path, content: str | None, code: str
) -> None:
    path = tmp_path / "train.py"
    if content is not None:
        path.write_text(content)
    refused = run("doctor", "run", str(path), "--epochs", "3", "--json")
    assert (refused.code, refused.json["code"]) == (2, f"doctor.refusal.{code}")
    for lang in ("en", "zh"):
        said = run("doctor", "run", "--lang", lang, str(path)).err
        assert str(path) in said
        assert "Traceback" not in said


def test_a_folder_and_a_number_out_of_range_are_refused(run: Run, tmp_path: Path) -> None:
    assert run("doctor", "run", str(tmp_path), "--json").json["code"].endswith("script_folder")
    (tmp_path / "train.py").write_text("import torch\n")
    for option in ("--steps", "--nproc"):
        answer = run("doctor", "run", option, "0", str(tmp_path / "train.py"), "--json").json
        assert answer["code"] == "doctor.refusal.out_of_range"


def test_ranks_of_torchrun_are_sent_to_nproc(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WORLD_SIZE", "4")
    monkeypatch.setenv("RANK", "1")
    (tmp_path / "train.py").write_text("import torch\n")
    refused = run("doctor", "run", str(tmp_path / "train.py"))
    assert refused.code == 2
    assert "--nproc 4" in refused.err


@pytest.mark.parametrize("ending", ["svg", "html"])
def test_a_chart_is_written_beside_the_answer(
    run: Run, trace: str, tmp_path: Path, ending: str
) -> None:
    chart = tmp_path / f"chart.{ending}"
    answer = run("doctor", "diagnose", trace, "--chart", str(chart), "--json").json
    assert answer["verdict"] == "TS-D001"
    assert answer["summary"]["manager"] in chart.read_text("utf-8")
    # Without a chart the answer is the same.
    assert run("doctor", "diagnose", trace, "--json").json == answer


def test_a_chart_of_another_kind_is_refused_before_the_trace_is_read(
    run: Run, tmp_path: Path
) -> None:
    chart = str(tmp_path / "chart.png")
    refused = run("doctor", "diagnose", "missing.json", "--chart", chart, "--json")
    assert refused.json["code"] == "doctor.refusal.chart_ending"
    assert not Path(chart).exists()
