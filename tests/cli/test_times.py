"""The terminal has the same times as the page."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from tests.cli.conftest import Run
from torchstone.app.judging import timing
from torchstone.app.judging.timing import OwnTime, ProgramTime, Times
from torchstone.bank import Words
from torchstone.cli.screen import Screen
from torchstone.cli.times import draw_costs, draw_times

pytestmark = pytest.mark.pure

NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
TIMES = Times(
    problem="01",
    solutions=(ProgramTime(name="solution", ms=12.34), ProgramTime(name="other", ms=None)),
    own=(OwnTime(submission="abc", ms=1234.0, created_at=NOON),),
)


WHY = Words(en="Load `A` once for the block.", zh="每个线程块只加载一次 `A`。")
LADDER = Times(
    problem="44",
    solutions=(ProgramTime(name="solution", ms=12.34, cycles=50.0),),
    own=(OwnTime(submission="abc", ms=1234.0, created_at=NOON, cycles=200.0),),
    slow=(
        ProgramTime(name="from_global", ms=20.0, cycles=2000.0, words=WHY),
        ProgramTime(name="unmeasured", ms=None, words=WHY),
    ),
)

FRUGAL = Times(
    problem="05",
    solutions=(ProgramTime(name="solution", ms=1.0, saved_bytes=49152.0, saved_ratio=0.25),),
    own=(
        OwnTime(submission="abc", ms=1.0, created_at=NOON, saved_bytes=196608.0, saved_ratio=1.0),
        OwnTime(submission="old", ms=1.0, created_at=NOON),
    ),
)


@pytest.fixture(autouse=True)
def measured(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {"44": LADDER, "05": FRUGAL}
    monkeypatch.setattr(timing, "measure_times", lambda home, name, event: known.get(name, TIMES))


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["Model solution  ", "12.3 ms", "Yours, 2026-11-23", "1.23 s"]),
        ("zh", ["参考答案  ", "12.3 ms", "你的提交，2026-11-23", "1.23 s"]),
    ],
)
def test_times_are_printed(run: Run, lang: str, words: list[str]) -> None:
    done = run("times", "01", "--lang", lang)
    assert done.code == 0
    assert all(each in done.out for each in words)
    assert "other" not in done.out
    assert "3" in done.err


def test_times_are_answered_as_json(run: Run) -> None:
    found = run("times", "01", "--json").json
    assert found["num_runs"] == 3
    assert found["solutions"][1] == {
        "name": "other",
        **dict.fromkeys(("ms", "cycles", "saved_bytes", "saved_ratio", "words")),
    }
    slow = run("times", "44", "--json").json["slow"][0]
    assert slow["cycles"] == 2000.0
    assert slow["words"] == {"en": WHY.en, "zh": WHY.zh}


@pytest.mark.parametrize(
    ("lang", "title", "slow"),
    [
        ("en", "Estimated cost, the highest = 1", "Refused for its cost: from_global"),
        ("zh", "估计的代价，最高者为 1", "因代价过高被拒：from_global"),
    ],
)
def test_costs_are_rungs_and_the_highest_is_one(run: Run, lang: str, title: str, slow: str) -> None:
    done = run("times", "44", "--lang", lang)
    lines = done.out[done.out.index(title) :].splitlines()
    rungs = [line.split() for line in lines if line.split()[-1][0].isdigit()][1:]
    assert [rung[-1] for rung in rungs] == ["1", "0.10", "0.025"]
    assert slow in done.out
    assert WHY.said_in("zh" if lang == "zh" else "en") in done.out
    assert "unmeasured" not in done.out
    assert title not in run("times", "01", "--lang", lang).out


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", "Submissions left out, because another version of the cost model"),
        ("zh", "代价由另一版本的代价模型算出、因而未列入的提交：2"),
    ],
)
def test_what_another_version_of_the_cost_model_computed_is_left_out(
    run: Run, monkeypatch: pytest.MonkeyPatch, lang: str, words: str
) -> None:
    assert words not in run("times", "44", "--lang", lang).out
    old = tuple(
        OwnTime(submission=name, ms=1.0, created_at=NOON, is_cost_outdated=True)
        for name in ("old", "older")
    )
    found = replace(LADDER, own=(*LADDER.own, *old))
    monkeypatch.setattr(timing, "measure_times", lambda home, name, event: found)
    done = run("times", "44", "--lang", lang)
    assert words in done.out
    assert done.out.endswith("2\n")
    shown = [each.plain for each in draw_costs(Screen(lang="en"), found, shown="old")]
    assert not any("This submission" in line for line in shown)
    assert sum("Yours," in line for line in shown) == 1


@pytest.mark.parametrize(
    ("ms", "text"),
    [
        *((0.042, "0.0420 ms"), (4.2, "4.20 ms"), (937.4, "937 ms"), (999.6, "1.00 s")),
        *((1050.0, "1.05 s"), (10_900.0, "10.9 s"), (123_456.0, "123 s")),
    ],
)
def test_a_time_has_three_digits(ms: float, text: str) -> None:
    found = replace(TIMES, own=(OwnTime(submission="abc", ms=ms, created_at=NOON),))
    (line,) = [each.plain for each in draw_times(Screen(lang="en"), found) if "Yours" in each.plain]
    assert line.endswith(f" {text}")


def test_only_other_right_answers_have_a_name() -> None:
    found = replace(TIMES, solutions=tuple(ProgramTime(name=n, ms=1.0) for n in ("solution", "b")))
    lines = [each.plain.split("  ")[1] for each in draw_times(Screen(lang="en"), found)]
    assert lines[:2] == ["Model solution", "Model solution: b"]


def test_the_submission_that_was_judged_has_its_own_rung() -> None:
    lines = [each.plain for each in draw_costs(Screen(lang="en"), LADDER, shown="abc")]
    (own,) = [line for line in lines if "This submission" in line]
    assert own.endswith(" 0.10")
    assert not any("Yours," in line for line in lines)


@pytest.mark.parametrize(
    ("lang", "title"), [("en", "Saved for backward"), ("zh", "为反向传播保存的内容")]
)
def test_saved_bytes_are_printed_where_they_are_measured(run: Run, lang: str, title: str) -> None:
    done = run("times", "05", "--lang", lang)
    rows = [line for line in done.out.splitlines() if line.endswith("×")]
    assert [row.split()[-4:] for row in rows] == [
        ["49.2", "kB", "0.25", "×"],
        ["197", "kB", "1", "×"],
    ]
    assert title in done.out
    assert title not in run("times", "01", "--lang", lang).out
    assert run("times", "05", "--json").json["own"][0]["saved_bytes"] == 196608.0
