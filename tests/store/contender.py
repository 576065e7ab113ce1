"""A process of the tests: works on the store and says on standard output what it was promised.

Run as ``python contender.py race DATABASE HOST`` or ``python contender.py serve DATABASE``. The
latter forks a worker for each line on standard input, so that a worker starts without imports.
"""

import itertools
import os
import sys
from pathlib import Path

from torchstone.judge.messages import plain
from torchstone.judge.report import interrupted_report
from torchstone.store import Store, open_store

VERDICTS = ("AC", "WA", "TLE")


def say(*words: object) -> None:
    # One write of less than PIPE_BUF bytes: whole or not at all, even when killed.
    os.write(1, (" ".join(str(word) for word in words) + "\n").encode())


def race(path: Path, host: str) -> None:
    """Try to add, claim and judge the same as every other contender."""
    sys.stdin.readline()
    with open_store(path) as store:
        for number in range(30):
            added = store.add_submission("01", f"x = {number}", client_key=f"key {number}")
            say("added", number, added)
            if store.claim(added, host):
                say("claimed", number, added)
            if store.record_verdict(added, {"verdict": "AC", "host": host}, {}):
                say("judged", number, added)


def work(path: Path) -> None:
    """Submit and judge until killed."""
    host = f"host-{os.getpid()}"
    store = open_store(path)
    for left in store.recover(host, lambda *facts: plain(interrupted_report(*facts))).queued:
        judge(store, left, host)
    for number in itertools.count():
        added = store.add_submission("01", f"x = {number}", client_key=f"{host} {number}")
        say("added", added)
        judge(store, added, host)


def judge(store: Store, submission_id: str, host: str) -> None:
    verdict = VERDICTS[int(submission_id, 16) % len(VERDICTS)]
    if not store.claim(submission_id, host):
        return
    if store.record_verdict(submission_id, {"verdict": verdict, "host": host}, {}):
        say("judged", submission_id, verdict, host)


def serve(path: Path) -> None:
    for _line in sys.stdin:
        worker = os.fork()
        if worker == 0:
            say("worker", os.getpid())
            work(path)
        os.waitpid(worker, 0)
        say("dead")


if __name__ == "__main__":
    if sys.argv[1] == "race":
        race(Path(sys.argv[2]), sys.argv[3])
    else:
        serve(Path(sys.argv[2]))
