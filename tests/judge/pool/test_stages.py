"""A job says what it does before the first thing that takes time."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.reports import make_case
from torchstone.bank.loader import CONTENT, load_problem
from torchstone.core.isolation import Isolation
from torchstone.judge.assignment import assignment_of
from torchstone.judge.events import Event, Stage, StageReached
from torchstone.judge.order import JudgeFault, Order
from torchstone.judge.pool.submission_supervisor import JobWorkers, Supervisor

pytestmark = pytest.mark.pure


@dataclass
class Nothing:
    """Stand for all services: each refuses, and what was said before is kept."""

    events: list[Event] = field(default_factory=list)

    def start(self, order: Order) -> Any:
        """Refuse to build."""
        raise JudgeFault("no compiler")

    def take(self, order: Order, slot: int) -> Any:
        """Refuse to make a process."""
        raise JudgeFault("no process")

    def workers(self) -> JobWorkers:
        """Return the services."""
        return JobWorkers(
            template=lambda bans: pytest.fail("no process is forked"),
            build_service=self,  # type: ignore[arg-type]
            take_reference=self.take,
            return_reference=lambda reference: None,
            problem_folder=lambda order: "",
            num_oom_kills=lambda: 0,
            slot=0,
            isolation=Isolation.FULL,
        )


@pytest.mark.parametrize(
    ("problem_id", "stage"),
    [
        ("01", Stage.PREPARING),
        ("41", Stage.COMPILING),
        ("44", Stage.COMPILING),
        ("50", Stage.PACKAGING),
    ],
)
def test_the_first_stage_is_said_before_any_process_is_made(problem_id: str, stage: Stage) -> None:
    (folder,) = CONTENT.glob(f"problems/{problem_id}_*")
    order = Order(assignment=assignment_of(load_problem(folder)), source="", seed=1)
    services = Nothing()
    with pytest.raises(JudgeFault):
        Supervisor(order, services.workers(), services.events.append).run()
    (event,) = services.events
    assert isinstance(event, StageReached)
    assert event.stage is stage
    assert event.at_ms > 0


def test_waiting_for_the_compiler_of_a_card_is_a_stage_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (folder,) = CONTENT.glob("problems/44_*")
    order = Order(assignment=assignment_of(load_problem(folder)), source="", seed=1)
    services = Nothing()
    supervisor = Supervisor(order, services.workers(), services.events.append)
    said: list[Stage] = []

    class Compiler:
        """Stand for a compiler; note the stage that was said last when it is asked."""

        def ask_nvcc(self) -> Any:
            """Note the stage, and end the job."""
            said.extend(each.stage for each in services.events if isinstance(each, StageReached))
            raise JudgeFault("enough")

    supervisor._compiler = Compiler()  # type: ignore[assignment]
    monkeypatch.setattr(Supervisor, "_attempt", lambda self, reference: None)
    monkeypatch.setattr(
        "torchstone.judge.pool.submission_supervisor.decide", lambda findings: make_case(code="AC")
    )
    with pytest.raises(JudgeFault, match="enough"):
        supervisor._decide(None)  # type: ignore[arg-type]
    assert said == [Stage.CARD]
