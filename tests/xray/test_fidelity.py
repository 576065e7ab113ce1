"""What the benchmark of the x-ray promises."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.torch, pytest.mark.full]

BENCHMARK = Path(__file__).resolve().parents[2] / "benchmarks" / "xray.py"


def measured(*options: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, BENCHMARK, "--json", *options],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_sample_of_operators_and_networks_is_shown_as_it_is() -> None:
    found = measured("--quick")
    fidelity, graph, memory = found["fidelity"], found["graph"], found["memory"]
    assert (fidelity["entries"], fidelity["samples"], fidelity["odd"]) == (5, 5, [])
    assert (fidelity["mismatches"], fidelity["crashes"]) == (0, 0)
    assert fidelity["stops"] > 0
    assert (graph["nets"], graph["bytes_equal"]) == (3, 3)
    assert (memory["programs"], memory["peak_error"]) == (12, 0)
    assert {"compile", "overhead", "start_s", "page_kb"} < found.keys()


@pytest.mark.timeout(3 * 60 * 60)
def test_all_operators_networks_and_compiled_programs_are_shown_as_they_are() -> None:
    found = measured()
    fidelity, graph, memory = found["fidelity"], found["graph"], found["memory"]
    assert (fidelity["entries"], fidelity["odd"]) == (677, [])
    assert fidelity["samples"] >= 2300
    assert (graph["nets"], graph["bytes_equal"]) == (20, 20)
    assert (memory["programs"], memory["peak_error"]) == (12, 0)
    compiled = found["compile"]
    assert (compiled["programs"], compiled["stages_complete"]) == (15, 15)
    assert compiled["lines_mapped"] >= 0.95
