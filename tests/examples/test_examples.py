"""Every example runs, and without a GPU says in one line that there is none."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.full
@pytest.mark.torch
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_without_a_gpu_says_one_line(path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "CUDA_VISIBLE_DEVICES": ""},
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.count("\n") == 1


def test_both_readmes_name_every_example() -> None:
    for name in ("README.md", "README.zh.md"):
        text = (ROOT / "examples" / name).read_text(encoding="utf-8")
        assert [path.name for path in EXAMPLES if f"`{path.name}`" not in text] == []
