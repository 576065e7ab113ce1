"""The benchmarks run and judge their results; what they measure is not looked at here."""

import json
import math
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [pytest.mark.cudasim, pytest.mark.full]

ROOT = Path(__file__).resolve().parents[2]


def measure(script: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, ROOT / "benchmarks" / script, "--quick", "--rounds", "1", *arguments],
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.full
def test_the_benchmark_prints_a_number_for_each_goal() -> None:
    figures = json.loads(measure("cudasim.py", "--json"))
    assert list(figures) == [
        "matmul1024_s",
        "softmax_s",
        "reduce_s",
        "detector_ratio_max",
        "compile_s_median",
        "numba_ratio",
        "cores_gain",
    ]
    assert all(math.isfinite(value) and value > 0 for value in figures.values())


def test_the_table_names_goals_spread_and_machine() -> None:
    table = measure("cudasim.py")
    for wanted in ("goal <= 1.5", "lowest", "highest", "cores", "load", "same size, ns each"):
        assert wanted in table


def test_the_split_kernels_give_the_same_results_as_the_simulator() -> None:
    found = json.loads(measure("cudasim_fission.py", "--json"))
    assert set(found) == {"matmul", "tree"}
    assert "simulator" in found["matmul"]
    assert "by threads, -O3" in found["tree"]


def test_a_wrong_result_ends_the_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.cudasim_runs import judge

    judge("sum", [1.0], [1.0])
    with pytest.raises(SystemExit, match="sum: the result differs"):
        judge("sum", [1.0], [1.01])
