"""The census of a rehearsal counts descendants and new shared memory, and ends no other process."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.torch

COUNT = """
import json, os, subprocess, sys, time
from pathlib import Path
from torchstone.judge.proof.rehearsed_census import DescendantCensus

census = DescendantCensus(sys.argv[1])
before = census.take(None)
# One runs, one has ended, one has two threads more, and one is the child of a parent that is gone.
running = subprocess.Popen(["sleep", "600"])
ended = subprocess.Popen(["true"])
while Path(f"/proc/{ended.pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z":
    time.sleep(0.01)
threads = subprocess.Popen([sys.executable, "-c", '''
import threading, time
for _ in range(2):
    threading.Thread(target=time.sleep, args=(600,)).start()
print(flush=True)
'''], stdout=subprocess.PIPE)
threads.stdout.readline()
subprocess.run([sys.executable, "-c", '''
import os, time
if os.fork() == 0:
    os.closerange(0, 3)
    time.sleep(600)
'''])
segment = Path(f"/dev/shm/torchstone-test-{os.getpid()}")
segment.write_bytes(b"1")
(Path(sys.argv[1]) / "written").write_text("1")
during, alone = census.take(None), census.take(running.pid)
census.sweep()
after = census.take(None)
left = [segment.exists(), os.listdir(sys.argv[1])]
print(json.dumps([before, during, alone, after, left]))
"""


def test_it_counts_what_descends_from_it_and_sweeps_it(tmp_path: Path) -> None:
    other = subprocess.Popen(["sleep", "600"])
    done = subprocess.run(
        [sys.executable, "-c", COUNT, str(tmp_path)], capture_output=True, text=True, check=True
    )
    before, during, alone, after, left = json.loads(done.stdout)
    assert before[:2] == [0, 0]
    # running, ended, segments, threads, descriptors
    assert during[:2] == [3, 1]
    assert during[3] == 2
    assert during[2] >= before[2] + 1
    assert alone[0] == 2
    assert alone[4] >= 3
    assert after[:2] == [0, 0]
    assert after[3] == 0
    assert left == [False, []]
    assert other.poll() is None
    other.kill()
    other.wait()
