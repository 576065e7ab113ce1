"""What a probe notes is kept and read by the process that leads the program."""

import pytest

from tests.judge.loader.arena import SOLUTION, judge
from torchstone.judge.pool.worker_pool import WorkerPool

pytestmark = pytest.mark.sandbox

PROBE = """
import threading


def probe(submission, op, data, tools):
    tools.rank.note(["items", data["items"]])
    results = list(submission.squares(data["items"], 0))
    thread = threading.Thread(target=tools.rank.note, args=(["results", results],))
    thread.start()
    thread.join()
    tools.rank.count("after")
    return {"out": "not this"}


def conclude(op, data, notes):
    assert op == "squares"
    if notes[0] != ["items", data["items"]] or any(len(note) != 2 for note in notes):
        raise ValueError("no probe notes this")
    nothing, during = [0, 0, 0, 0, 3], [data["workers"], 0, 0, 0, 3]
    counts = [["first", *nothing], ["before", *nothing], ["during", *during], ["after", *nothing]]
    return {"out": notes[1][1], "counts": counts}
"""
LINK = "sys.modules['child.driver'].rank"
FORGED = f"import sys\n{SOLUTION}".replace(
    "def squares(items, workers):\n", f"def squares(items, workers):\n    {LINK}.note(['forged'])\n"
)
FLOOD = FORGED.replace(f"    {LINK}", f"    for _ in range(41_000):\n        {LINK}")


@pytest.mark.full
def test_the_leader_concludes_from_the_notes_of_all_threads(pool: WorkerPool) -> None:
    assert judge(pool, SOLUTION, probe=PROBE).verdict == "AC"


@pytest.mark.full
@pytest.mark.parametrize("source", [FORGED, FLOOD], ids=["forged", "too many"])
def test_notes_that_no_probe_makes_are_the_fault_of_the_program(
    pool: WorkerPool, source: str
) -> None:
    report = judge(pool, source, probe=PROBE)
    assert (report.verdict, report.aspect) == ("WA", "property")
    assert report.detail is not None
    assert "sent notes of its own" in report.detail.en
