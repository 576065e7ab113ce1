"""What is built is kept for the next job of the same text, as long as it can be asked."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.bank.schema import Kind
from torchstone.judge.assignment import assignment_of
from torchstone.judge.build import build_service as module
from torchstone.judge.build.build_service import BuildService
from torchstone.judge.order import Order

pytestmark = pytest.mark.pure

PACKAGE = assignment_of(load_problem(CONTENT / "problems/50_pip_package"))


@dataclass
class Channel:
    written: bytearray = field(default_factory=lambda: bytearray(b"a warning"))


@dataclass
class Process:
    """Stand for a compiler client and its process."""

    order: Order
    is_alive: bool = True
    is_reusable: bool = True
    channel: Channel = field(default_factory=Channel)

    def begin(self, launcher: dict[str, bytes]) -> None: ...

    def end(self) -> None:
        self.is_alive = False


@pytest.fixture
def build_service(monkeypatch: pytest.MonkeyPatch) -> BuildService:
    class Starter:
        start = staticmethod(lambda order, launch: Process(order))

    monkeypatch.setattr(module, "CompilerClient", Starter)
    return BuildService(Path(), lambda kind, fds: None, num_kept=2)  # type: ignore[arg-type, return-value]


def order_of(source: str, seed: int = 0) -> Order:
    return Order(assignment=PACKAGE, source=source, seed=seed)


def judge(build_service: BuildService, order: Order, *, is_whole: bool = True) -> Any:
    started = build_service.start(order)
    build_service.finish(started, is_whole=is_whole)
    return started


def test_a_text_is_built_once_for_all_seeds(build_service: BuildService) -> None:
    first = judge(build_service, order_of("a", seed=1))
    assert first.is_alive
    second = judge(build_service, order_of("a", seed=2))
    assert second is first
    assert second.order.seed == 2
    assert second.channel.written == b""
    assert judge(build_service, order_of("b")) is not first


def test_a_job_has_its_compiler_alone(build_service: BuildService) -> None:
    judge(build_service, order_of("a"))
    one, other = (build_service.start(order_of("a")) for _ in range(2))
    assert one is not other
    for each in (one, other):
        build_service.finish(each, is_whole=True)
    assert (one.is_alive, other.is_alive) == (False, True)


def test_those_that_were_used_last_are_kept_and_the_others_end(build_service: BuildService) -> None:
    a, b = judge(build_service, order_of("a")), judge(build_service, order_of("b"))
    judge(build_service, order_of("a"))
    judge(build_service, order_of("c"))
    assert (a.is_alive, b.is_alive) == (True, False)
    build_service.close()
    assert not a.is_alive


@pytest.mark.parametrize("change", [{"is_reusable": False}, {"is_alive": False}])
def test_what_built_nothing_or_has_ended_is_not_used_again(
    build_service: BuildService, change: dict[str, bool]
) -> None:
    first: Any = build_service.start(order_of("a"))
    for name, value in change.items():
        setattr(first, name, value)
    build_service.finish(first, is_whole=True)
    assert judge(build_service, order_of("a")) is not first
    assert not first.is_alive


def test_what_ends_while_it_is_kept_is_built_again(build_service: BuildService) -> None:
    first = judge(build_service, order_of("a"))
    first.is_alive = False
    assert judge(build_service, order_of("a")) is not first


def test_a_job_that_was_broken_off_leaves_nothing(build_service: BuildService) -> None:
    first = judge(build_service, order_of("a"), is_whole=False)
    assert not first.is_alive
    assert judge(build_service, order_of("a")) is not first


def test_another_state_of_the_problem_is_built_anew(build_service: BuildService) -> None:
    first = judge(build_service, order_of("a"))
    other = Order(assignment=replace(PACKAGE, content_hash="other"), source="a", seed=0)
    assert judge(build_service, other) is not first


def test_nothing_is_kept_unless_it_is_asked_for(build_service: BuildService) -> None:
    build_service.num_kept = 0
    first = judge(build_service, order_of("a"))
    assert not first.is_alive
    assert judge(build_service, order_of("a")) is not first


def test_a_compiler_waits_for_the_next_text(build_service: BuildService) -> None:
    build_service.num_kept = 0
    judge(build_service, order_of("a"))
    spare = build_service._spares[Kind.PACKAGE]
    second = judge(build_service, order_of("b"))
    assert second is spare
    assert (second.order.source, second.is_alive) == ("b", False)
    assert build_service._spares[Kind.PACKAGE] is not spare


def test_a_compiler_that_ended_while_it_waited_is_replaced(build_service: BuildService) -> None:
    build_service.num_kept = 0
    judge(build_service, order_of("a"))
    spare: Any = build_service._spares[Kind.PACKAGE]
    spare.is_alive = False
    assert build_service.start(order_of("b")) is not spare


def test_no_compiler_waits_when_the_host_ends(build_service: BuildService) -> None:
    last = build_service.start(order_of("a"))
    spare: Any = judge(build_service, order_of("b")) and build_service._spares[Kind.PACKAGE]
    build_service.close()
    build_service.finish(last, is_whole=False)
    assert not spare.is_alive
    assert not build_service._spares


def test_a_compiler_that_does_not_start_ahead_is_no_fault_of_the_job(
    build_service: BuildService, monkeypatch: pytest.MonkeyPatch
) -> None:
    only = build_service.start(order_of("a"))

    def fail(order: Order, launch: object) -> None:
        raise OSError("no process")

    monkeypatch.setattr(module.CompilerClient, "start", fail)
    build_service.finish(only, is_whole=True)
    assert not build_service._spares
