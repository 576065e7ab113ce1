"""The value of an own input stays, whatever becomes of the reference beside it."""

import asyncio
import logging
import threading
from typing import Any

import pytest

import torchstone
from torchstone.app.home import Home
from torchstone.app.judging import plain_input, streaming, submission
from torchstone.core.errors import JudgeUnavailable
from torchstone.core.isolation import Isolation
from torchstone.judge.events import Evaluated
from torchstone.judge.host.client import Client
from torchstone.judge.host.protocol import Status

pytestmark = pytest.mark.pure

VALUE = Evaluated(text="tensor([2.])", error=None, detail=None, stdout="")


@pytest.fixture
def asked(home: Home, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A judge that evaluates the own program and leaves when asked for the reference."""
    sources: list[str] = []
    known: dict[str, Any] = {"version": torchstone.__version__, "bank": str(home.bank_root)}

    def evaluate(_client: Client, _problem: str, source: str, _expression: str) -> Evaluated:
        sources.append(source)
        if len(sources) > 1:
            raise JudgeUnavailable("app.host_left")
        return VALUE

    async def evaluate_async(client: Client, *asked: str) -> Evaluated:
        return evaluate(client, *asked)

    monkeypatch.setattr(
        Client, "status", lambda _client, **_: Status(**known, isolation=Isolation.FULL)
    )
    monkeypatch.setattr(Client, "evaluate", evaluate)
    monkeypatch.setattr(Client, "evaluate_async", evaluate_async)
    return sources


def test_a_reference_that_fails_does_not_take_the_value_with_it(
    home: Home, asked: list[str], logged: list[logging.LogRecord]
) -> None:
    problem, text = home.problem("01"), "softmax(torch.zeros(1))"
    tried = [asyncio.run(streaming.try_input(home, "01", "own", text))]
    del asked[:]
    tried.append(submission.try_input(home, problem, "own", text, lambda event: None))
    for each in tried:
        assert (each.text, each.expected) == ("tensor([2.])", None)
        assert each.no_expected is not None
        assert "could not run the reference" in each.no_expected.said_in("en")
        assert "没能运行参考实现" in each.no_expected.said_in("zh")
    assert asked == ["own", problem.solution.source]
    assert [record.levelname for record in logged] == ["WARNING"] * 2


def test_a_fault_of_the_own_program_is_still_an_error(home: Home, asked: list[str]) -> None:
    asked.append("an earlier one")
    with pytest.raises(JudgeUnavailable):
        asyncio.run(streaming.try_input(home, "01", "own", "softmax(torch.zeros(1))"))


def test_an_input_is_not_parsed_on_the_event_loop(
    home: Home, asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    threads: list[threading.Thread] = []

    def refuse(*_: object) -> str:
        threads.append(threading.current_thread())
        return "names"

    monkeypatch.setattr(streaming, "refuse_reference", refuse)
    asyncio.run(streaming.try_input(home, "01", "own", "softmax(1)"))
    assert threads != [threading.main_thread()]
    assert len(threads) == 1


def test_a_long_input_copies_its_names_once(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: set[int] = set()
    plain = plain_input._is_plain

    def is_plain(node: Any, allowed: Any) -> bool:
        seen.add(id(allowed))
        return plain(node, allowed)

    monkeypatch.setattr(plain_input, "_is_plain", is_plain)
    text = "".join(f"a{number} = {number}\n" for number in range(50))
    assert plain_input.refuse_reference(home.problem("01"), text) is None
    assert len(seen) == 1, "a copy for each statement takes quadratic time"
