"""The counters of a submission have one row for each line, whichever functions share it."""

import json
from typing import Any

import pytest

from torchstone.cudasim import counters
from torchstone.cudasim.findings import Place
from torchstone.judge.build import explaining
from torchstone.judge.build.explaining import explain

pytestmark = pytest.mark.pure

SOURCE = "// one\n// two\n__global__ void k() {}\n"


def tally(wavefronts: int) -> counters.Tally:
    return counters.Tally(
        requests=2, lanes=64, num_bytes=256, wavefronts=wavefronts, ideal_wavefronts=2
    )


def line(number: int, function: str, *, file: str = "kernel.cu", wavefronts: int = 2) -> Any:
    return counters.LineCounters(
        place=Place(file=file, line=number, function=function),
        operations={"shared load": tally(wavefronts)},
        flops=3,
    )


def counted(*lines: counters.LineCounters) -> counters.KernelCounters:
    return counters.KernelCounters(
        kernel="k", grid=(1, 1, 1), block=(64, 1, 1), static_bytes=0, dynamic_bytes=0, launches=1,
        counted_blocks=1, barriers=0, store_epochs=0, operations={}, flops=0, lines=lines,
    )  # fmt: skip


def explained(monkeypatch: pytest.MonkeyPatch, *lines: counters.LineCounters) -> Any:
    monkeypatch.setattr(explaining, "read_counters", lambda _: (counted(*lines),))
    order: Any = {"source": SOURCE, "build": "check", "findings": [], "counters": ["[]"]}
    return explain(order, "/module.so", name="kernel.cu")["counters"][0]["lines"]


def test_functions_on_one_line_are_added_up(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = explained(monkeypatch, line(3, "a"), line(3, "b", wavefronts=64), line(1, "a"))
    assert [each["line"] for each in lines] == [3, 1]
    assert (lines[0]["requests"], lines[0]["flops"], lines[0]["ways"]) == (4, 6, 66 / 4)
    assert lines[1]["ways"] == 1


def test_lines_of_other_files_and_beyond_the_source_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert explained(monkeypatch, line(3, "a", file="launcher.cu"), line(99, "a")) == []


def test_without_findings_and_counters_there_is_nothing() -> None:
    order: Any = {"source": SOURCE, "build": "check", "findings": ["[]"], "counters": []}
    assert explain(order, "/module.so", name="kernel.cu") == {}


def test_a_finding_of_unknown_place_is_told_without_a_line() -> None:
    party = {"place": ["/x", 1], "block": [0, 0, 0], "thread": [3, 0, 0], "write": True}
    finding = {
        "kind": "out-of-bounds", "space": "global", "detail": [], "variable": "", "kernel": "k",
        "at": party, "other": None, "barrier": ["/x", 9], "offset": 40, "allocation_bytes": 40,
        "access_bytes": 4, "count": 1, "size": [64, 1, 1], "arrived": [],
    }  # fmt: skip
    order: Any = {
        "source": SOURCE, "build": "check", "findings": [json.dumps([finding])], "counters": [],
    }  # fmt: skip
    (hazard,) = explain(order, "/absent.so", name="kernel.cu")["hazards"]
    assert (hazard["at"]["line"], hazard["barrier"], hazard["index"]) == (None, None, [10])
