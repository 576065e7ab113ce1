from collections.abc import Iterator
from typing import Any

import pytest

import torchstone
from torchstone.app.home import Home, find_home
from torchstone.app.judging.submission import judge_text, submit
from torchstone.core.errors import BadInput, JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.events import Accepted, CancelledEvent, Done, Queued
from torchstone.judge.host.protocol import Status

pytestmark = pytest.mark.pure


class FakeClient:
    """A host that answers what the test says."""

    def __init__(self, home: Home, events: list[Any], level: str = "full") -> None:
        self._events = events
        self._status = Status(
            version=torchstone.__version__, bank=str(home.bank_root), isolation=Isolation(level)
        )
        self.cancelled: list[str] = []
        self.options: dict[str, Any] = {}

    def status(self, **_: object) -> Status:
        return self._status

    def submit(self, *_: object, **__: object) -> Iterator[Any]:
        return self._answer()

    def judge(self, *_: object, **options: object) -> Iterator[Any]:
        self.options = options
        return self._answer()

    def cancel(self, job: str) -> bool:
        self.cancelled.append(job)
        return True

    def _answer(self) -> Iterator[Any]:
        for event in self._events:
            if isinstance(event, BaseException):
                raise event
            yield event


ACCEPTED = Accepted(job="c41e08")


def hand_in(home: Home, client: FakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Home, "client", lambda self: client)
    submit(home, "01", "x = 1\n", lambda event: None, kind="submit")


def test_an_interruption_cancels_what_was_stored(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = FakeClient(home, [ACCEPTED, KeyboardInterrupt()])
    with pytest.raises(KeyboardInterrupt):
        hand_in(home, client, monkeypatch)
    assert client.cancelled == ["c41e08"]


def test_a_cancelled_submission_is_said(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    events = [ACCEPTED, CancelledEvent()]
    with pytest.raises(BadInput, match="c41e08 is cancelled"):
        hand_in(home, FakeClient(home, events), monkeypatch)


@pytest.mark.parametrize("events", [[], [Queued(ahead=0)], [Done(report=None)]])
def test_a_host_that_leaves_early_is_no_verdict(
    home: Home, monkeypatch: pytest.MonkeyPatch, events: list[Any]
) -> None:
    with pytest.raises(JudgeUnavailable, match="stopped before"):
        hand_in(home, FakeClient(home, [ACCEPTED, *events]), monkeypatch)


def test_nothing_runs_below_the_isolation_of_the_settings(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TORCHSTONE_ISOLATION", "namespaces")
    strict = find_home()
    client = FakeClient(home, [ACCEPTED], level="confined")
    with pytest.raises(JudgeUnavailable, match="namespaces or better"):
        hand_in(strict, client, monkeypatch)
    with pytest.raises(JudgeUnavailable, match="stopped before"):
        judge_text(strict, strict.problem("01"), "x = 1\n", lambda event: None)
    assert client.options["at_least"] == "namespaces"
