"""Following a verdict survives a host that dies, and tells each event once and whole."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

import torchstone
from tests.reports import make_case, make_report, tag
from torchstone.app.home import Home
from torchstone.app.judging.history import recall
from torchstone.app.judging.streaming import PATIENCE, FollowedEvent, accept, cancel, follow
from torchstone.core.config import Settings
from torchstone.core.errors import BadInput, JudgeUnavailable, NotFound
from torchstone.core.isolation import Isolation
from torchstone.judge.events import (
    Accepted,
    CancelledEvent,
    Case,
    Done,
    MisconceptionFound,
    Queued,
    VerdictReached,
)
from torchstone.judge.host.client import Client
from torchstone.judge.host.protocol import (
    Attach,
    Cancel,
    Line,
    Message,
    Over,
    Request,
    Status,
    StreamPosition,
    Submit,
)
from torchstone.judge.host.transport import HostLeft
from torchstone.judge.messages import Misconception, plain

pytestmark = pytest.mark.pure

LEFT = HostLeft("judge.host_left")


@dataclass
class FakeStatus:
    """A host that is of this version and serves this bank, unless it is told otherwise."""

    state: dict[str, Any]

    def status(self, _client: object, **_: object) -> Status:
        return Status(**self.state)


@dataclass
class FakeHost:
    """A host at the other end of the line: what it answers to each request, in turn."""

    answers: list[list[Any]]
    requests: list[Request] = field(default_factory=list)
    num_open: int = 0

    async def ask(self, _client: object, request: Request) -> AsyncGenerator[Line, None]:
        self.requests.append(request)
        self.num_open += 1
        try:
            for event in self.answers.pop(0):
                await asyncio.sleep(0)
                if isinstance(event, Exception):
                    raise event
                yield event if isinstance(event, Line) else Line(message=event)
        finally:
            self.num_open -= 1


@pytest.fixture
def client(home: Home, monkeypatch: pytest.MonkeyPatch) -> FakeStatus:
    level = Isolation.FULL
    fake = FakeStatus(
        {"version": torchstone.__version__, "bank": str(home.bank_root), "isolation": level}
    )
    monkeypatch.setattr(Client, "status", lambda client, **more: fake.status(client, **more))
    return fake


@pytest.fixture
def answering(client: FakeStatus, monkeypatch: pytest.MonkeyPatch) -> Callable[..., FakeHost]:
    def run(*answers: list[Any]) -> FakeHost:
        host = FakeHost(list(answers))
        monkeypatch.setattr(Client, "ask_async", lambda client, request: host.ask(client, request))
        return host

    return run


def hand_in(home: Home, name: str = "softmax") -> str:
    return asyncio.run(accept(home, name, "x = 1\n", kind="submit", client_key="drawn once"))


def heard(home: Home, submission: str, seen: StreamPosition | None = None) -> list[FollowedEvent]:
    async def listen() -> list[FollowedEvent]:
        return [event async for event in follow(home, submission, seen=seen)]

    return asyncio.run(listen())


def case(number: int, host: str = "host") -> Line:
    return Line(
        message=Case(**plain(make_case(number))), place=StreamPosition(host=host, number=number)
    )


def done(**more: Any) -> Line:
    return Line(
        message=Done(report=make_report(**more)), place=StreamPosition(host="host", number=9)
    )


def waiting(home: Home, kind: Any = "submit") -> str:
    with home.open_store() as store:
        return store.add_submission("01", "x = 1\n", kind=kind, client_key="drawn once")


def test_a_program_is_handed_in_and_the_line_hung_up(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    host = answering([Accepted(job="c41e08"), case(0), case(1)])
    assert hand_in(home) == "c41e08"
    assert host.num_open == 0
    (request,) = host.requests
    assert request == Submit(problem="01", source="x = 1\n", kind="submit", client_key="drawn once")


def test_a_host_that_left_is_given_the_same_submission_again(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    host = answering([LEFT], [LEFT], [Accepted(job="c41e08")])
    assert hand_in(home) == "c41e08"
    assert host.requests == [host.requests[0]] * PATIENCE


def test_a_host_that_always_leaves_is_given_up(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    host = answering(*[[LEFT]] * PATIENCE)
    with pytest.raises(HostLeft):
        hand_in(home)
    assert len(host.requests) == PATIENCE


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"version": "0"}, "app.other_host"),
        ({"bank": "/elsewhere"}, "app.other_host"),
        ({"isolation": Isolation.NONE}, "app.isolation_too_low"),
    ],
)
def test_nothing_is_sent_to_a_host_that_must_not_judge_it(
    home: Home,
    client: FakeStatus,
    answering: Callable[..., FakeHost],
    change: dict[str, Any],
    code: str,
) -> None:
    host = answering()
    client.state |= change
    careful = replace(home, settings=Settings(isolation=Isolation.NAMESPACES))
    with pytest.raises(JudgeUnavailable) as caught:
        hand_in(careful)
    assert caught.value.code == code
    assert host.requests == []


def test_a_problem_that_is_not_there_is_handed_to_nobody(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    host = answering()
    with pytest.raises(NotFound):
        hand_in(home, "99")
    assert host.requests == []


def test_each_event_says_its_place_and_only_what_a_reader_needs(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    answering([Queued(ahead=1), case(0), case(1), done()])
    first, *cases, last = heard(home, waiting(home))
    assert first == FollowedEvent(event=Queued(ahead=1))
    assert [followed.event for followed in cases] == [case(number).message for number in (0, 1)]
    assert [followed.place for followed in cases] == [
        StreamPosition(host="host", number=n) for n in (0, 1)
    ]
    assert last.event == Done(report=make_report())


def test_whoever_was_cut_off_goes_on_after_the_last_event(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    submission = waiting(home)
    host = answering([done()], [done()])
    heard(home, submission)
    heard(home, submission, StreamPosition(host="host", number=4))
    assert host.requests == [
        Attach(job=submission),
        Attach(job=submission, host="host", begin=5),
    ]


def test_after_a_host_that_died_the_next_one_is_asked_from_the_last_event_on(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    uncounted = Queued(ahead=0)
    host = answering([case(0), case(1), uncounted, LEFT], [case(0, "second"), LEFT], [done()])
    followed = heard(home, waiting(home))
    assert [tag(each.event) for each in followed] == [
        "case",
        "case",
        "queued",
        "starting",
        "case",
        "starting",
        "done",
    ]
    assert followed[3].place is None
    places = [(request.host, request.begin) for request in host.requests]
    assert places == [(None, 0), ("host", 2), ("second", 1)]


def test_a_host_that_always_dies_is_given_up(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    host = answering(*[[LEFT]] * (PATIENCE + 1))
    with pytest.raises(HostLeft):
        heard(home, waiting(home))
    assert len(host.requests) == PATIENCE + 1


def test_what_a_host_refuses_is_not_asked_again(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    host = answering([case(0), BadInput("app.cancelled", job="c41e08")])
    with pytest.raises(BadInput):
        heard(home, waiting(home))
    assert len(host.requests) == 1


@pytest.mark.parametrize("name", ["ffffffffffff", "not hex", ""])
def test_a_submission_that_is_not_there_is_followed_by_nobody(
    home: Home, answering: Callable[..., FakeHost], name: str
) -> None:
    host = answering()
    with pytest.raises(NotFound):
        heard(home, name)
    assert host.requests == []


def test_a_reader_who_leaves_hangs_up(home: Home, answering: Callable[..., FakeHost]) -> None:
    host = answering([case(0), case(1), done()])
    submission = waiting(home)

    async def leave() -> int:
        events = follow(home, submission)
        await anext(events)
        num_open = host.num_open
        await events.aclose()
        return num_open

    assert asyncio.run(leave()) == 1
    assert host.num_open == 0


def test_the_last_event_says_what_the_verdict_leads_to(
    home: Home, record: Callable[..., str], answering: Callable[..., FakeHost]
) -> None:
    submission = record()
    answering([case(0), done()])
    first, last = heard(home, submission)
    assert first.aftermath is None
    assert last.judged == recall(home, "01", submission)
    assert last.aftermath is not None
    assert last.aftermath.attempt == 1
    assert last.aftermath.review is not None
    with home.open_store() as store:
        (review,) = store.review_log()
    assert review.evidence["submission"] == submission


def test_a_run_of_the_samples_leads_to_nothing(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    answering([done()])
    (last,) = heard(home, waiting(home, "run"))
    assert last.judged is not None
    assert last.judged.verdict == "AC"
    assert last.aftermath is None
    with home.open_store() as store:
        assert store.review_log() == []


def test_a_verdict_that_comes_before_its_explanation_leads_to_nothing_yet(
    home: Home, record: Callable[..., str], answering: Callable[..., FakeHost]
) -> None:
    submission = record(verdict="WA")
    early = VerdictReached(report=make_report(verdict="WA"))
    answering([early, done(verdict="WA")])
    first, last = heard(home, submission)
    assert first.judged is not None
    assert (first.judged.verdict, first.aftermath) == ("WA", None)
    assert last.aftermath is not None


def test_a_cancelled_submission_has_neither_report_nor_consequence(
    home: Home, answering: Callable[..., FakeHost]
) -> None:
    answering([CancelledEvent()])
    assert heard(home, waiting(home)) == [FollowedEvent(event=CancelledEvent())]


@pytest.mark.parametrize(("name", "is_known"), [("no_shift", True), ("of another bank", False)])
def test_a_misconception_comes_with_the_words_of_the_bank(
    home: Home, answering: Callable[..., FakeHost], name: str, is_known: bool
) -> None:
    found = MisconceptionFound(misconception=Misconception(name=name, cases=7))
    answering([found, done()])
    followed = heard(home, waiting(home, "run"))[0]
    assert followed.event == found
    assert (followed.misconception is not None) is is_known
    if followed.misconception is not None:
        assert (followed.misconception.name, followed.misconception.cases) == (name, 7)
        assert "exp" in followed.misconception.words.en


@pytest.mark.parametrize(("answer", "is_cancelled"), [(CancelledEvent(), True), (Over(), False)])
def test_cancelling_says_whether_there_was_something_left_to_cancel(
    home: Home, answering: Callable[..., FakeHost], answer: Message, is_cancelled: bool
) -> None:
    host = answering([answer])
    assert asyncio.run(cancel(home, "c41e08")) is is_cancelled
    assert host.requests == [Cancel(job="c41e08")]
    assert host.num_open == 0
