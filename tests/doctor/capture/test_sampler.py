"""Lines of the main thread are sampled, unless the program needs the signal itself."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.pure

# Each in a process of its own: what limits the time of a test uses the same signal.
SAMPLED = """
import signal, time
from pathlib import Path
from torchstone.doctor.capture.sampler import Sampler
sampler = Sampler()
sampler.start()
for _ in range(100):
    time.sleep(0.002)
sampler.stop()
assert signal.getsignal(signal.SIGALRM) == signal.SIG_DFL
sampler.write(Path("lines.json"))
"""
USED = """
import signal
from torchstone.doctor.capture.sampler import Sampler
def own(number, frame): pass
signal.signal(signal.SIGALRM, own)
sampler = Sampler()
sampler.start()
assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
sampler.stop()
assert signal.getsignal(signal.SIGALRM) is own
"""
ON_A_THREAD = """
import signal, threading
from torchstone.doctor.capture.sampler import Sampler
thread = threading.Thread(target=Sampler().start)
thread.start()
thread.join()
assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)
"""


# The clock, which is read in the middle of a sample, raises the signal once more.
INTERRUPTED = """
import signal, time
from pathlib import Path
from torchstone.doctor.capture.sampler import Sampler
read = time.perf_counter
def clock():
    now = read()
    signal.raise_signal(signal.SIGALRM)
    return now
sampler = Sampler()
sampler.start()
signal.setitimer(signal.ITIMER_REAL, 0)
time.perf_counter = clock
for _ in range(3):
    signal.raise_signal(signal.SIGALRM)
time.perf_counter = read
sampler.stop()
sampler.write(Path("lines.json"))
"""


def run(folder: Path, source: str) -> None:
    (folder / "program.py").write_text(source)
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


def test_the_line_that_waits_is_met_most(tmp_path: Path) -> None:
    run(tmp_path, SAMPLED)
    told = json.loads((tmp_path / "lines.json").read_text())
    assert len(told["at"]) == len(told["stacks"]) >= 20
    assert told["at"] == sorted(told["at"])
    deepest = [told["frames"][stack[0]][:2] for stack in told["stacks"]]
    waiting = [
        str(tmp_path / "program.py"),
        SAMPLED.splitlines().index("    time.sleep(0.002)") + 1,
    ]
    assert deepest.count(waiting) > len(deepest) / 2


def test_a_signal_within_a_sample_takes_no_other(tmp_path: Path) -> None:
    run(tmp_path, INTERRUPTED)
    told = json.loads((tmp_path / "lines.json").read_text())
    assert len(told["at"]) == len(told["stacks"]) <= 4
    assert told["at"] == sorted(told["at"])
    for stack in told["stacks"]:
        assert told["frames"][stack[0]][0] == str(tmp_path / "program.py")


def test_a_program_that_uses_the_signal_keeps_it(tmp_path: Path) -> None:
    run(tmp_path, USED)


def test_no_other_thread_samples(tmp_path: Path) -> None:
    run(tmp_path, ON_A_THREAD)
