"""The table explains what it names and nothing else; a search counts by it."""

import signal
from collections.abc import Iterator

import pytest

from torchstone.judge.escapes.explained import Explanation, read_table
from torchstone.judge.escapes.search import Escapes, gather, sum_of

pytestmark = pytest.mark.pure

NORM = Explanation(
    names=("torch.inner",), forms=("(*",), outcome="equal", results=("linear",), reason="allowed"
)
COUNTED = {"did": "counted", "callables": 9, "closed": 4}


def equal(name: str, result: str = "linear", form: str = "(…)") -> dict[str, str]:
    return {"did": "equal", "name": name, "form": form, "result": result}


def ended(status: int, report: str = "") -> dict[str, object]:
    return {"did": "ended", "name": "f", "form": "(…)", "status": status, "report": report}


def test_every_entry_says_why_and_is_narrow() -> None:
    table = read_table()
    assert table
    for entry in table:
        assert len(entry.reason.split()) >= 5, entry
        assert entry.reason.endswith("."), entry
        assert entry.names != ("*",) or entry.forms != ("*",), entry
        assert entry.results, entry
        if entry.outcome == "crash":
            assert all(result in signal.Signals.__members__ for result in entry.results), entry
            # An operator or a form is named; a package or a whole namespace is not.
            assert entry.forms != ("*",), entry
            assert not {"torch.*", "torch.ops.*", "torch.ops.aten.*", "numpy.*"} & {*entry.names}


def test_a_crash_is_explained_by_its_signal_too() -> None:
    crash = Explanation(
        names=("f",), forms=("(…)",), outcome="crash", results=("SIGFPE",), reason="divides by 0"
    )
    found = gather("01", [COUNTED, ended(-8)], [crash])
    assert found.unexplained == 0
    found = gather("01", [COUNTED, ended(-11)], [crash])
    assert found.unexplained == 1


@pytest.mark.parametrize(
    ("message", "explained"),
    [
        (equal("torch.inner"), True),
        (equal("torch.inner", "softmax"), False),
        (equal("torch.inner.x"), False),
        (equal("torch.inner", form="by names"), False),
    ],
)
def test_a_finding_is_explained_by_name_form_and_result(
    message: dict[str, str], explained: bool
) -> None:
    found = gather("04", [COUNTED, message], [NORM])
    assert [bool(each.reason) for each in found.findings] == [explained]
    assert (found.equal, found.unexplained) == (1, int(not explained))


def test_what_is_refused_is_counted_with_the_stubs() -> None:
    refused = [{"did": "refused", "name": name, "is_closed": name == "c"} for name in "abc"]
    called = {"did": "called", "callables": 5, "calls": 70}
    found = gather("01", [COUNTED, *refused, called], [])
    assert (found.callables, found.refused, found.called, found.calls) == (9, 6, 5, 70)


@pytest.mark.parametrize(
    ("status", "crashes"), [(-11, 1), (-6, 1), (-8, 1), (-9, 0), (-24, 0), (-31, 0), (1, 0)]
)
def test_a_crash_is_a_signal_that_no_limit_sends(status: int, crashes: int) -> None:
    found = gather("01", [COUNTED, ended(status)], [])
    assert (found.crashes, found.unexplained) == (crashes, crashes)


def test_a_fault_of_the_search_is_never_a_result() -> None:
    with pytest.raises(AssertionError, match="the search itself failed"):
        gather("01", [COUNTED, ended(70, "KeyError: 3")], [])


def test_a_function_that_exits_with_the_status_of_a_fault_is_none() -> None:
    found = gather("01", [COUNTED, ended(70)], [])
    assert found.unexplained == 0


def test_an_interruption_keeps_what_was_found() -> None:
    def messages() -> Iterator[dict[str, object]]:
        yield COUNTED
        yield {"did": "progress", "done": 4, "total": 5, "calls": 70}
        yield ended(-11)
        raise KeyboardInterrupt

    found = gather("01", messages(), [])
    assert not found.is_whole
    assert (found.callables, found.called, found.crashes) == (9, 4, 1)


def test_the_same_finding_counts_once() -> None:
    found = gather("01", [COUNTED, ended(-11), ended(-11), equal("g"), equal("g", "other")], [])
    assert (found.crashes, found.equal, found.unexplained) == (1, 1, 3)


def test_several_problems_are_added_up() -> None:
    one = Escapes(problem="01", callables=3, called=2, refused=1)
    assert sum_of([one, one]) == {
        "callables": 6, "called": 4, "refused": 2, "equal": 0, "unexplained": 0, "crashes": 0,
    }  # fmt: skip
