"""A rehearsal leads several processes as a job does, and gives the verdict that the judge gives."""

import os
from pathlib import Path

import pytest

from tests.judge.distributed import arena as ranks
from tests.judge.launches import arena as launches
from tests.judge.loader import arena as workers
from tests.judge.restarts import arena as runs
from torchstone.judge.kit import load_code
from torchstone.judge.process import usage
from torchstone.judge.proof.led import Led
from torchstone.judge.proof.rehearsal import rehearse, summarise
from torchstone.judge.proof.rehearsed_processes import Leader, Program

pytestmark = [pytest.mark.torch, pytest.mark.full]

FORKS = """
import os, time
def squares(numbers, num_workers):
    for _ in range(3):
        if os.fork() == 0:
            time.sleep(600)
    return [number * number for number in numbers]
"""


def wrong(folder: Path, name: str) -> str:
    return (folder / f"wrong/{name}.py").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "wanted"),
    [("sum_not_mean", ("WA value", "small")), ("first_rank_alone", ("HUNG", "small"))],
)
def test_a_wrong_variant_of_ranks_gets_its_verdict(name: str, wanted: tuple[str, str]) -> None:
    code = load_code(ranks.FOLDER)
    assert summarise(code, ranks.variant(name), ["start"], 1, Led.RANKS) == wanted


def test_the_solution_is_right_in_the_groups_without_traffic() -> None:
    """Bytes are those of the whole machine here."""
    seen = list(rehearse(load_code(ranks.FOLDER), ranks.SOLUTION, ["start"], 1, Led.RANKS))
    assert [each.planned.group for each in seen].count("small") == 3
    assert not any(each.grade.findings for each in seen if each.planned.group != "bytes")


@pytest.mark.parametrize(
    ("folder", "led"),
    [(workers.FOLDER, Led.WORKERS), (runs.FOLDER, Led.RUNS), (launches.FOLDER, Led.LAUNCHES)],
    ids=lambda each: each.value if isinstance(each, Led) else each.name,
)
def test_a_solution_is_right_in_every_group(folder: Path, led: Led) -> None:
    code, source = load_code(folder), (folder / "solution.py").read_text(encoding="utf-8")
    names = {Led.WORKERS: ["squares"], Led.RUNS: ["count"], Led.LAUNCHES: ["train.py"]}[led]
    seen = list(rehearse(code, source, names, 1, led))
    assert [each.planned for each in seen] == code.plan(1)
    assert not [each.planned.params for each in seen if each.grade.findings]


@pytest.mark.parametrize(
    ("folder", "name", "entry", "led", "wanted"),
    [
        (workers.FOLDER, "every_worker_all", "squares", Led.WORKERS, ("WA property", "small")),
        (runs.FOLDER, "one_step_lost", "count", Led.RUNS, ("WA property", "plain")),
        (runs.FOLDER, "from_the_start", "count", Led.RUNS, ("WA property", "plain")),
    ],
)
def test_a_wrong_variant_gets_its_verdict(
    folder: Path, name: str, entry: str, led: Led, wanted: tuple[str, str]
) -> None:
    assert summarise(load_code(folder), wrong(folder, name), [entry], 1, led) == wanted


@pytest.mark.parametrize(
    ("source", "wanted"),
    [
        ("def squares(\n", ("CE", "load")),
        ("def other(): pass\n", ("CE", "load")),
        ("1 / 0\n", ("RTE", "load")),
        ("def squares(*given): raise SystemExit(3)\n", ("RTE", "small")),
        ("import os\ndef squares(*given): os.kill(os.getpid(), 9)\n", ("RTE", "small")),
        ("import os\ndef squares(*given): os.kill(os.getppid(), 9)\n", ("RTE", "small")),
    ],
)
def test_a_program_that_ends_gets_a_verdict(source: str, wanted: tuple[str, str]) -> None:
    code = load_code(workers.FOLDER)
    assert summarise(code, source, ["squares"], 1, Led.WORKERS) == wanted


def test_nothing_is_left_of_a_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(usage.descendants(os.getpid()))
    summarise(load_code(workers.FOLDER), FORKS, ["squares"], 1, Led.WORKERS)
    left = {pid for pid in usage.descendants(os.getpid()) if usage.state(pid) != "Z"}
    assert left <= before
    assert not list(tmp_path.glob("torchstone-*"))


def test_a_leader_that_has_ended_says_so_for_each_request() -> None:
    source = "import os\ndef squares(*given): os.kill(os.getppid(), 9)\n"
    probe = (workers.FOLDER / "probe.py").read_text(encoding="utf-8")
    leader = Leader(Led.WORKERS, Program(source, ["squares"], probe))
    (step, *_) = load_code(workers.FOLDER).build(load_code(workers.FOLDER).plan(1)[0]).steps
    for _ in range(2):
        found = leader.answer({"op": step.op, "data": dict(step.data)})
        assert found["fault"]["key"] == "program_ended", found
    leader.close()
