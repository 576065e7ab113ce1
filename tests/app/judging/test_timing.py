"""Times and costs are measured by the judge, kept, and shown for settled problems only."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.reports import make_case, make_counted, make_report, stored_report
from torchstone.app.home import Home
from torchstone.app.judging import timing
from torchstone.app.judging.timing import measure_times, read_times, time_of
from torchstone.core.errors import BadInput
from torchstone.core.verdict import Verdict
from torchstone.judge.messages import SavedBytes, plain, read_report

pytestmark = pytest.mark.pure

Record = Callable[..., str]


@pytest.fixture
def judged(home: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Stand in for the judge, with a time of its own for each judgement; list what it judged."""
    monkeypatch.setenv("TORCHSTONE_CACHE", str(tmp_path / "cache"))
    seen: list[str] = []

    def judge(home: Home, problem: Any, source: str, on_event: Any, *, explain: bool) -> Any:
        assert not explain
        seen.append(source)
        # 30, 10, 20 for each program in turn: the median is the last.
        ms = (30.0, 10.0, 20.0)[(len(seen) - 1) % 3]
        cases = (make_case(ms=ms / 2), make_case(1, ms=ms / 2))
        native = make_counted(10 * ms, ms) if problem.id == "44" else None
        # Cases of another size each time.
        saved = SavedBytes(num_bytes=round(ms), argument_bytes=4 * round(ms))
        more = {"native": native, "saved": saved if problem.id == "05" else None}
        report = make_report(problem.id, cases=cases, **more)
        slow = {each.source for each in problem.wrong if each.verdict is Verdict.SLOW}
        verdict = Verdict.SLOW if source in slow else Verdict.AC
        return SimpleNamespace(verdict=verdict, report=report)

    monkeypatch.setattr(timing, "judge_text", judge)
    return seen


def test_times_are_for_settled_problems_only(home: Home, record: Record, judged: list[str]) -> None:
    record(verdict="WA")
    for ask in (
        lambda: read_times(home, "01"),
        lambda: measure_times(home, "01", lambda event: None),
    ):
        with pytest.raises(BadInput, match="01"):
            ask()
    assert judged == []


def test_reading_measures_nothing(home: Home, record: Record, judged: list[str]) -> None:
    first, second = record(), record()
    record(verdict="WA")
    found = read_times(home, "01")
    assert [each.submission for each in found.own] == [second, first]
    assert {each.ms for each in found.own} == {time_of(read_report(stored_report("01", "AC")))}
    assert {each.ms for each in found.solutions} == {None}
    assert judged == []


def test_a_median_is_kept_and_not_measured_again(
    home: Home, record: Record, judged: list[str]
) -> None:
    record()
    problem = home.problem("01")
    found = measure_times(home, "01", lambda event: None)
    names = [problem.solution.name, *(each.name for each in problem.good)]
    assert [(each.name, each.ms) for each in found.solutions] == [(name, 20.0) for name in names]
    assert len(judged) == 3 * len(names)
    assert measure_times(home, "01", lambda event: None) == found == read_times(home, "01")
    assert len(judged) == 3 * len(names)


def test_another_judge_measures_again(
    home: Home, record: Record, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record()
    measure_times(home, "01", lambda event: None)
    monkeypatch.setattr(timing, "judge_hash", lambda: "another")
    assert {each.ms for each in read_times(home, "01").solutions} == {None}


def test_a_judgement_that_fails_leaves_no_time(
    home: Home, record: Record, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record()
    failed = SimpleNamespace(verdict=Verdict.IE, report=SimpleNamespace(cases=[]))
    monkeypatch.setattr(timing, "judge_text", lambda *given, explain: failed)
    assert {each.ms for each in measure_times(home, "01", lambda event: None).solutions} == {None}


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"{}", b'{"ms": "1"}', b'{"ms": 1, "cycles": "2"}', b"\xff"]
)
def test_a_damaged_file_is_no_time(
    home: Home, record: Record, judged: list[str], content: bytes
) -> None:
    record()
    measure_times(home, "01", lambda event: None)
    problem = home.problem("01")
    timing._place(problem, problem.solution.source).write_bytes(content)
    assert read_times(home, "01").solutions[0].ms is None


def test_who_comes_while_it_is_measured_gets_what_is_known(
    home: Home, record: Record, judged: list[str]
) -> None:
    record()
    with timing._measuring:
        assert {e.ms for e in measure_times(home, "01", lambda event: None).solutions} == {None}
    assert judged == []


def test_costs_of_cuda_programs_stand_beside_those_of_the_slow_ones(
    home: Home, record: Record, judged: list[str]
) -> None:
    record("44", native=plain(make_counted(700.0, 2.5)))
    record("44", native=plain(make_counted(9.0, is_launcher=True)))
    assert [each.cycles for each in read_times(home, "44").own] == [None, 702.5]
    found = measure_times(home, "44", lambda event: None)
    problem = home.problem("44")
    slow = [each for each in problem.wrong if each.verdict is Verdict.SLOW]
    assert [(each.name, each.cycles, each.words) for each in found.slow] == [
        (each.name, 220.0, each.words) for each in slow
    ]
    assert {(each.cycles, each.words) for each in found.solutions} == {(220.0, None)}
    assert found.solutions
    assert found.slow


def test_a_cost_of_another_version_of_the_model_is_left_out(
    home: Home, record: Record, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record("44", native=plain(make_counted(700.0, cost_model=0)))
    # A report from before the version was recorded.
    stored = plain(make_counted(800.0))
    del stored["counters"][0]["cost_model"]
    record("44", native=stored)
    record("44", native=plain(make_counted(9.0)))
    record("44", native=plain(make_counted(5.0, is_launcher=True, cost_model=0)))
    own = read_times(home, "44").own
    assert [(each.cycles, each.is_cost_outdated) for each in own] == [
        *((None, False), (9.0, False)),
        *((None, True), (None, True)),
    ]
    measure_times(home, "44", lambda event: None)
    assert read_times(home, "44").solutions[0].cycles == 220.0
    # What is kept of the programs of the bank is of this version, too.
    monkeypatch.setattr(timing, "MODEL_VERSION", timing.MODEL_VERSION + 1)
    assert {each.cycles for each in read_times(home, "44").solutions} == {None}


def test_a_program_that_gets_another_verdict_leaves_no_cost(
    home: Home, record: Record, judged: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record("44")
    report = make_report("44", native=make_counted(1.0))
    accepted = SimpleNamespace(verdict=Verdict.AC, report=report)
    monkeypatch.setattr(timing, "judge_text", lambda *given, explain: accepted)
    found = measure_times(home, "44", lambda event: None)
    assert {each.cycles for each in found.slow} == {None}
    assert {each.cycles for each in found.solutions} == {1.0}


def test_only_cuda_has_costs(home: Home, record: Record, judged: list[str]) -> None:
    record()
    found = measure_times(home, "01", lambda event: None)
    assert found.slow == ()
    assert {each.cycles for each in found.solutions} == {None}
    assert {each.cycles for each in found.own} == {None}


def test_saved_bytes_stand_beside_those_of_the_model_solutions(
    home: Home, record: Record, judged: list[str]
) -> None:
    record("05", saved={"num_bytes": 512, "argument_bytes": 1024})
    # A report of a version that did not measure it.
    record("05")
    found = measure_times(home, "05", lambda event: None)
    assert [(each.saved_bytes, each.saved_ratio) for each in found.own] == [
        (None, None),
        (512, 0.5),
    ]
    assert {(each.saved_bytes, each.saved_ratio) for each in found.solutions} == {(20.0, 0.25)}
    record("05", saved={"num_bytes": 0, "argument_bytes": 0})
    newest = read_times(home, "05").own[0]
    assert (newest.saved_bytes, newest.saved_ratio) == (0, None)
