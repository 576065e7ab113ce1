import json
import subprocess
import sys
from pathlib import Path

import pytest

from torchstone.judge import native
from torchstone.judge.native import build

PROBLEMS = {
    "01": {"families": ["softmax"], "modules": ["numpy"]},
    "02": {"families": ["softmax", "nll_loss", "autograd-recording"], "modules": ["numpy"]},
    "03": {
        "families": ["every-operator"],
        "forward_only": ["expand"],
        "modules": ["numpy", "torch._refs", "torch._prims_common", "torch.testing"],
    },
    "04": {
        "families": ["linear", "bilinear", "convolution", "autograd-recording"],
        "modules": ["numpy"],
    },
    "05": {"families": ["relu", "autograd-recording"], "modules": ["numpy"]},
    "06": {"modules": ["numpy"]},
    "07": {"families": ["normalization"], "modules": ["numpy"]},
    "08": {"modules": ["numpy"]},
    "09": {"families": ["rnn"], "modules": ["numpy"]},
    "10": {
        "functions": ["torch.autograd.gradcheck"],
        "modules": ["numpy", "torch.autograd.gradcheck"],
    },
}


class Warm:
    """Run snippets under the bans of a problem, each in a fork of one process."""

    def __init__(self, library):
        child = Path(native.__file__).parent.parent
        script = Path(__file__).with_name("warm.py")
        self.process = subprocess.Popen(
            [sys.executable, "-W", "ignore", str(script), str(child), str(library)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout.readline() == "ready\n"

    def run(self, problem, source, driver=""):
        return self.run_under(PROBLEMS[problem], source, driver)

    def run_under(self, deny, source, driver=""):
        request = {"deny": deny, "source": source, "driver": driver}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


@pytest.fixture(scope="session")
def warm(tmp_path_factory):
    runner = Warm(build.library())
    yield runner
    runner.process.stdin.close()
    runner.process.wait(timeout=30)
    runner.process.stdout.close()
