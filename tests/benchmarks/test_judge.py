from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from benchmarks import judge
from tests.shipped import shipped_bank
from torchstone.judge.events import Accepted, CancelledEvent, Done, Event, Interrupted, Started

pytestmark = pytest.mark.pure


@dataclass
class FakeClient:
    """Answer each submission with the same events."""

    events: list[Event]
    is_running: bool = True
    cancelled: list[str] = field(default_factory=list)

    def submit(self, problem: str, source: str, *, kind: str = "submit") -> Iterator[Event]:
        yield from self.events

    def cancel(self, submission: str) -> bool:
        self.cancelled.append(submission)
        return self.is_running

    def status(self) -> Any:
        return type("Status", (), {"pid": 0})()


FAULTY = [Accepted(job="a"), Interrupted(reason="the zygote ended"), Done(report=None)]
STARTED = Started(isolation="none", plan=[])


def test_a_fault_of_the_judge_is_raised_with_its_reasons() -> None:
    with pytest.raises(RuntimeError, match=r"01: None came; interrupted: .*the zygote ended"):
        judge.judge_once(FakeClient(FAULTY), "01", "")  # type: ignore[arg-type]


def test_a_fault_in_one_of_several_clients_ends_the_measurement() -> None:
    first = shipped_bank().get("01")
    with pytest.raises(RuntimeError, match="the zygote ended"):
        judge.measure_throughput(FakeClient(FAULTY), first, total=4, clients=2)  # type: ignore[arg-type]


def test_the_jobs_whose_memory_is_measured_are_cancelled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda _: None)
    client = FakeClient([Accepted(job="a"), STARTED, CancelledEvent()])
    judge._pss_of_running(client, 3)  # type: ignore[arg-type]
    assert client.cancelled == ["a", "a", "a"]
    client.is_running = False
    with pytest.raises(RuntimeError, match="ended before its memory was measured"):
        judge._pss_of_running(client, 1)  # type: ignore[arg-type]
    with pytest.raises(RuntimeError, match="ended before it started"):
        judge._pss_of_running(FakeClient(FAULTY), 1)  # type: ignore[arg-type]
