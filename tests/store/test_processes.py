"""Several processes, and processes that are killed."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from torchstone.core.verdict import State
from torchstone.store import open_store

pytestmark = pytest.mark.plain

CONTENDER = Path(__file__).with_name("contender.py")
NUM_CONTENDERS = 4
NUM_KILLS = 200
# A worker is killed after this many confirmations at most, and a moment later. A life measured
# in seconds alone would prove nothing on a busy machine.
MOST_CONFIRMATIONS = 6
LONGEST_MOMENT_S = 0.01


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(CONTENDER), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def test_processes_that_race_agree(path: Path) -> None:
    contenders = [start("race", str(path), f"host-{number}") for number in range(NUM_CONTENDERS)]
    for contender in contenders:
        assert contender.stdin is not None
        contender.stdin.write("go\n")
        contender.stdin.flush()
    promises: Counter[tuple[str, ...]] = Counter()
    for contender in contenders:
        output, _ = contender.communicate(timeout=120)
        assert contender.returncode == 0
        promises.update(tuple(line.split()) for line in output.splitlines())
    with open_store(path) as store:
        stored = store.submissions_of("01", limit=1000)
    assert len(stored) == 30, "one client key, one submission"
    assert {one.state for one in stored} == {State.DONE}
    added = {key: times for key, times in promises.items() if key[0] == "added"}
    assert set(added.values()) == {NUM_CONTENDERS}, "everybody was given the same id"
    for word in ("claimed", "judged"):
        won = {key: times for key, times in promises.items() if key[0] == word}
        assert len(won) == 30
        assert set(won.values()) == {1}, f"one contender {word} each"


@pytest.mark.full
@pytest.mark.parametrize("seed", [20261120])
def test_a_kill_at_any_moment_loses_nothing_confirmed(path: Path, seed: int) -> None:
    # SIGKILL ends the process, not the machine: what is proved is the order of writing and
    # confirming and the atomicity of each move, not that the disk keeps its word.
    draw = random.Random(seed)
    promised: dict[str, list[str]] = {}
    server = start("serve", str(path))
    assert server.stdin is not None
    assert server.stdout is not None
    for _ in range(NUM_KILLS):
        server.stdin.write("go\n")
        server.stdin.flush()
        word, worker = server.stdout.readline().split()
        assert word == "worker"
        for _ in range(draw.randrange(MOST_CONFIRMATIONS)):
            note_promise(promised, server.stdout.readline())
        time.sleep(draw.uniform(0, LONGEST_MOMENT_S))
        os.kill(int(worker), signal.SIGKILL)
        while (line := server.stdout.readline()) != "dead\n":
            note_promise(promised, line)
        # The newest at once, so that a failure names its moment; all of them at the end.
        check_promises(path, dict(list(promised.items())[-5:]))
    server.communicate(timeout=60)
    check_promises(path, promised)
    assert sum(bool(verdict) for verdict in promised.values()) > NUM_KILLS // 2


def note_promise(promised: dict[str, list[str]], line: str) -> None:
    word, submission_id, *verdict = line.split()
    known = promised.setdefault(submission_id, [])
    assert not (word == "judged" and known), "a second verdict was confirmed"
    known.extend(verdict)


def check_promises(path: Path, promised: dict[str, list[str]]) -> None:
    with open_store(path) as store:
        for submission_id, verdict in promised.items():
            stored = store.get_submission(submission_id)
            if verdict:
                assert stored.state is State.DONE
                assert stored.report is not None
                assert [stored.verdict, stored.report["host"]] == verdict
