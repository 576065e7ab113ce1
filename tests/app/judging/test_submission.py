import threading
from pathlib import Path

import pytest

from tests.reports import tag
from torchstone.app.home import Home, find_home
from torchstone.app.judging.submission import Judged, judge_file, judge_text, submit, try_input
from torchstone.core.errors import BrokenProblem, JudgeUnavailable, NotFound
from torchstone.judge.events import Event

pytestmark = [pytest.mark.sandbox, pytest.mark.torch]

HEADER = "import torch\n\n\ndef softmax(x, dim=-1, dtype=None):\n    "


def silent(event: Event) -> None:
    """Ignore an event."""


def judge(home: Home, source: str) -> Judged:
    return judge_text(home, home.problem("01"), source, silent)


def num_attempts(home: Home, problem: str) -> int:
    """Count the attempts; other tests of this process have submitted to the same database."""
    with home.open_store() as store:
        return store.progress(problem).attempts


@pytest.mark.parametrize(
    ("source", "verdict", "aspect"),
    [
        ("def softmax(:\n", "CE", None),
        ("def soft_max(x):\n    return x\n", "CE", None),
        ("import no_such_module\n", "RTE", None),
        ("raise ValueError('at import')\n", "RTE", None),
        (HEADER + "return None\n", "WA", "property"),
        (HEADER + "return [1.0]\n", "WA", "property"),
        (HEADER + "return x.exp().sum()\n", "WA", "shape"),
        (HEADER + "return x.exp().double()\n", "WA", "dtype"),
        (HEADER + "return x * float('nan')\n", "WA", "value"),
        (HEADER + "print('x' * 10_000_000)\n    return x\n", "OLE", None),
        (HEADER + "return torch.empty(25_000_000_000)\n", "MLE", None),
        (HEADER + "return torch.softmax(x, dim)\n", "FORBIDDEN_OP", None),
    ],
)
def test_a_program_that_is_no_solution_gets_its_verdict(
    shared_home: Home, source: str, verdict: str, aspect: str | None
) -> None:
    judged = judge(shared_home, source)
    found = (judged.report.verdict, judged.report.aspect)
    assert found == (verdict, aspect), judged.report.detail


def test_a_named_misconception_comes_with_its_words(shared_home: Home) -> None:
    wrong = next(each for each in shared_home.problem("01").wrong if each.name == "no_shift")
    said = judge(shared_home, wrong.source).as_json()
    assert said["misconception"] == "no_shift"
    assert wrong.words is not None
    assert said["misconception_text"] == {"en": wrong.words.en, "zh": wrong.words.zh}
    assert said["submission"] is None


def test_two_submissions_at_once_are_both_recorded(shared_home: Home) -> None:
    source = shared_home.problem("05").solution.source
    before = num_attempts(shared_home, "05")
    judged: list[Judged] = []

    def hand_in() -> None:
        judged.append(submit(shared_home, "05", source, silent, kind="submit"))

    threads = [threading.Thread(target=hand_in) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [each.report.verdict for each in judged] == ["AC", "AC"]
    assert len({each.submission for each in judged}) == 2
    assert num_attempts(shared_home, "05") == before + 2


def test_a_run_judges_the_samples_and_is_no_attempt(shared_home: Home) -> None:
    source = shared_home.problem("02").solution.source
    before = num_attempts(shared_home, "02")
    events: list[Event] = []
    judged = submit(shared_home, "02", source, events.append, kind="run")
    assert {case.group for case in judged.report.cases} == {"sample"}
    assert dict(judged.plan).keys() == {"sample"}
    assert tag(events[0]) in ("starting", "accepted")
    assert num_attempts(shared_home, "02") == before


def test_own_input_is_computed_and_not_judged(shared_home: Home) -> None:
    problem = shared_home.problem("01")
    source = problem.solution.source
    tried = try_input(shared_home, problem, source, "softmax(torch.zeros(2))", silent)
    assert tried.text is not None
    assert "0.5000" in tried.text
    failed = try_input(shared_home, problem, source, "softmax(3)", silent)
    assert failed.text is None
    assert failed.error is not None


def test_a_file_is_judged_by_its_path(shared_home: Home, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        judge_file(shared_home, "01", tmp_path / "absent.py", silent)
    with pytest.raises(NotFound):
        judge_file(shared_home, "99", tmp_path / "absent.py", silent)


def test_a_host_of_another_bank_is_refused(
    shared_home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(shared_home, "x = 1\n")
    (tmp_path / "problems/01_softmax").mkdir(parents=True)
    monkeypatch.setenv("TORCHSTONE_BANK", str(tmp_path))
    with pytest.raises(BrokenProblem):
        find_home().problem("01")
    with pytest.raises(JudgeUnavailable, match="serves the bank"):
        judge_text(find_home(), shared_home.problem("01"), "x = 1\n", silent)
