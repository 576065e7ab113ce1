"""What is built is kept for the next job of the same text, as long as it can be asked."""

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from torchstone.bank.loader import CONTENT, load_problem
from torchstone.judge.assignment import assignment_of
from torchstone.judge.build import builder as smith
from torchstone.judge.build.builder import Smithy
from torchstone.judge.order import Order

pytestmark = pytest.mark.pure

PACKAGE = assignment_of(load_problem(CONTENT / "problems/50_pip_package"))


@dataclass
class Channel:
    written: bytearray = field(default_factory=lambda: bytearray(b"a warning"))


@dataclass
class Process:
    """Stand for a smith and its process."""

    order: Order
    is_alive: bool = True
    is_reusable: bool = True
    channel: Channel = field(default_factory=Channel)

    def begin(self, launcher: dict[str, bytes]) -> None: ...

    def end(self) -> None:
        self.is_alive = False


@pytest.fixture
def smithy(monkeypatch: pytest.MonkeyPatch) -> Smithy:
    class Starter:
        start = staticmethod(lambda order, launch: Process(order))

    monkeypatch.setattr(smith, "Smith", Starter)
    return Smithy(Path(), lambda kind, fds: None, num_kept=2)  # type: ignore[arg-type, return-value]


def order_of(source: str, seed: int = 0) -> Order:
    return Order(assignment=PACKAGE, source=source, seed=seed)


def judge(smithy: Smithy, order: Order, *, is_whole: bool = True) -> Any:
    started = smithy.start(order)
    smithy.finish(started, is_whole=is_whole)
    return started


def test_a_text_is_built_once_for_all_seeds(smithy: Smithy) -> None:
    first = judge(smithy, order_of("a", seed=1))
    assert first.is_alive
    second = judge(smithy, order_of("a", seed=2))
    assert second is first
    assert second.order.seed == 2
    assert second.channel.written == b""
    assert judge(smithy, order_of("b")) is not first


def test_a_job_has_its_smith_alone(smithy: Smithy) -> None:
    judge(smithy, order_of("a"))
    one, other = (smithy.start(order_of("a")) for _ in range(2))
    assert one is not other
    for each in (one, other):
        smithy.finish(each, is_whole=True)
    assert (one.is_alive, other.is_alive) == (False, True)


def test_those_that_were_used_last_are_kept_and_the_others_end(smithy: Smithy) -> None:
    a, b = judge(smithy, order_of("a")), judge(smithy, order_of("b"))
    judge(smithy, order_of("a"))
    judge(smithy, order_of("c"))
    assert (a.is_alive, b.is_alive) == (True, False)
    smithy.close()
    assert not a.is_alive


@pytest.mark.parametrize("change", [{"is_reusable": False}, {"is_alive": False}])
def test_what_built_nothing_or_has_ended_is_not_used_again(
    smithy: Smithy, change: dict[str, bool]
) -> None:
    first: Any = smithy.start(order_of("a"))
    for name, value in change.items():
        setattr(first, name, value)
    smithy.finish(first, is_whole=True)
    assert judge(smithy, order_of("a")) is not first
    assert not first.is_alive


def test_what_ends_while_it_is_kept_is_built_again(smithy: Smithy) -> None:
    first = judge(smithy, order_of("a"))
    first.is_alive = False
    assert judge(smithy, order_of("a")) is not first


def test_a_job_that_was_broken_off_leaves_nothing(smithy: Smithy) -> None:
    first = judge(smithy, order_of("a"), is_whole=False)
    assert not first.is_alive
    assert judge(smithy, order_of("a")) is not first


def test_another_state_of_the_problem_is_built_anew(smithy: Smithy) -> None:
    first = judge(smithy, order_of("a"))
    other = Order(assignment=replace(PACKAGE, content_hash="other"), source="a", seed=0)
    assert judge(smithy, other) is not first


def test_nothing_is_kept_unless_it_is_asked_for(smithy: Smithy) -> None:
    smithy.num_kept = 0
    first = judge(smithy, order_of("a"))
    assert not first.is_alive
    assert judge(smithy, order_of("a")) is not first
