"""The example of problem 25 says one line, with a GPU and without."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from torchstone.bank.loader import CONTENT

pytestmark = pytest.mark.torch

EXAMPLE = Path(__file__).parents[2] / "examples/data_parallel_cuda.py"
SOLUTION = CONTENT / "problems/25_data_parallel/solution.py"


@pytest.mark.full
def test_the_example_says_one_line() -> None:
    ended = subprocess.run(
        [sys.executable, EXAMPLE, SOLUTION], capture_output=True, text=True, timeout=300, check=True
    )
    (line,) = ended.stdout.splitlines()
    assert ("GPUs, loss" if torch.cuda.is_available() else "There is no GPU here") in line


def test_the_device_has_what_the_problem_asks_of_one() -> None:
    device = runpy.run_path(str(EXAMPLE))["CudaDevice"](0)
    assert callable(device.put)
    assert callable(device.scope)


def test_more_than_one_file_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    main = runpy.run_path(str(EXAMPLE))["main"]
    assert main(["a.py", "b.py"]) == "Give one file that defines DataParallel."
