"""What is prepared for all forks bans nothing until a job arms it: the reference shares it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from torchstone.judge import native
from torchstone.judge.native import build

pytestmark = pytest.mark.torch

SCRIPT = """
import inspect, json, sys
sys.path.insert(0, sys.argv[1])
from child.zygote import preloading
preloading.import_torch()
from child.bans import bans
bans.install(sys.argv[2])
bans.prepare()
import torch
x = torch.tensor([1.0, 2.0])
reference = torch._refs.add(x, x, alpha=3)
code = inspect.unwrap(torch._refs.add).__code__.co_name
print(json.dumps([code, reference.tolist(), torch.softmax(x, 0).sum().item()]))
"""


@pytest.mark.full
def test_python_implementations_and_operators_work_in_a_process_without_a_job() -> None:
    child = Path(native.__file__).parent.parent
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", SCRIPT, str(child), str(build.library())],
        capture_output=True,
        text=True,
        check=True,
    )
    code, reference, total = json.loads(done.stdout)
    assert code != "closed"
    assert reference == [4, 8]
    assert total == pytest.approx(1)
