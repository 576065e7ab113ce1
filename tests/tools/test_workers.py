import os
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

SCRIPT = Path(__file__).resolve().parents[2] / "tools/workers.sh"


def workers(tmp_path: Path, *, cores: int, gib: float) -> int:
    (tmp_path / "nproc").write_text(f"#!/bin/sh\necho ${{OMP_NUM_THREADS:-{cores}}}\n")
    (tmp_path / "nproc").chmod(0o755)
    memory = tmp_path / "meminfo"
    memory.write_text(f"MemTotal: 99999999 kB\nMemAvailable: {int(gib * (1 << 20))} kB\n")
    path = f"{tmp_path}:{os.environ['PATH']}"
    done = subprocess.run(
        [SCRIPT, memory],
        env={"PATH": path, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stdout)


@pytest.mark.parametrize(
    ("cores", "gib", "expected"),
    [(1, 64, 2), (2, 64, 3), (4, 64, 6), (32, 200, 48), (16, 13, 4), (8, 2, 2), (4, 11.9, 3)],
)
def test_three_processes_run_for_two_cores_where_memory_allows(
    tmp_path: Path, cores: int, gib: float, expected: int
) -> None:
    assert workers(tmp_path, cores=cores, gib=gib) == expected
