"""Requests and answers are the same after they have travelled; anything else is refused."""

import json
from typing import Any

import pytest

from tests.reports import make_case, make_report, tag
from torchstone.core.errors import BadInput
from torchstone.core.isolation import Isolation
from torchstone.judge.events import (
    Accepted,
    CancelledEvent,
    Case,
    Done,
    Evaluated,
    Interrupted,
    MisconceptionFound,
    Queued,
    SmallestFound,
    Started,
    Starting,
    VerdictReached,
)
from torchstone.judge.host.protocol import (
    AskStatus,
    Attach,
    Cancel,
    Evaluate,
    Judge,
    Line,
    Message,
    Over,
    Request,
    Status,
    Stop,
    Stopping,
    StreamPosition,
    Submit,
    read_line,
    read_request,
    refusal_of,
    write_line,
    write_request,
)
from torchstone.judge.messages import Misconception, Raised, plain

pytestmark = pytest.mark.pure

REQUESTS: list[Request] = [
    Submit(problem="01", source="x = '\ud800'\n", kind="run", client_key="k"),
    Judge(problem="01", source="x\n", seed=7, groups=("sample",), at_least=Isolation.NAMESPACES),
    Judge(problem="01", source="x\n"),
    Evaluate(problem="01", source="x\n", expression="1 + 1"),
    Attach(job="c41e08", host="h", begin=3),
    Cancel(job="c41e08"),
    AskStatus(wait=True),
    Stop(),
]
REPORT = make_report(verdict="WA", misconception=Misconception(name="no_shift", cases=7))
MESSAGES: list[Message] = [
    Accepted(job="c41e08"),
    Queued(ahead=1),
    Started(isolation=Isolation.FULL, plan=(("sample", 2), ("edge", 1))),
    Case(**plain(make_case(ratio="inf"))),
    VerdictReached(report=REPORT),
    MisconceptionFound(misconception=REPORT.misconception),
    SmallestFound(smallest=None),
    Interrupted(reason="it died"),
    Starting(),
    CancelledEvent(),
    Done(report=REPORT),
    Done(report=None),
    Evaluated(text=None, error=Raised(type="E", message="m"), detail=None, stdout=""),
    Over(),
    Status(pid=7, version="0", ready=True, pids=(1, 2)),
    Stopping(),
    refusal_of(BadInput("judge.bad_request")),
]


@pytest.mark.parametrize("request_", REQUESTS, ids=tag)
def test_a_request_is_the_same_after_it_has_travelled(request_: Request) -> None:
    written = write_request(request_)
    assert (written.count(b"\n"), read_request(written)) == (1, request_)


@pytest.mark.parametrize(
    "place", [None, StreamPosition(host="h", number=3)], ids=["bare", "placed"]
)
@pytest.mark.parametrize("message", MESSAGES, ids=tag)
def test_a_message_is_the_same_after_it_has_travelled(
    message: Message, place: StreamPosition | None
) -> None:
    line = Line(message=message, place=place)
    written = write_line(line)
    assert (written.count(b"\n"), read_line(written)) == (1, line)
    assert json.loads(written)["type"] == tag(message)


@pytest.mark.parametrize(
    "request_",
    [
        {"op": "status", "wait": 1},
        {"op": "status", "more": True},
        {"op": "submit", "problem": "01", "source": "x", "kind": "ran", "client_key": "k"},
        {"op": "judge", "problem": "01", "source": "x", "groups": "sample"},
        {"op": "judge", "problem": "01", "source": "x", "seed": "7"},
        {"op": "attach", "job": "c41e08", "begin": "0"},
        {"op": "unknown"},
        {},
        [],
        None,
    ],
)
def test_what_is_no_request_is_refused(request_: Any) -> None:
    with pytest.raises(BadInput) as caught:
        read_request(json.dumps(request_).encode())
    assert caught.value.code == "judge.bad_request"


@pytest.mark.parametrize(
    "message",
    [
        {"type": "queued"},
        {"type": "queued", "ahead": 0, "job": "c41e08"},
        {"type": "unknown"},
        {"type": "done", "report": {"verdict": "AC"}},
    ],
)
def test_what_is_no_message_is_refused(message: Any) -> None:
    with pytest.raises(ValueError, match=r"Object|Invalid value"):
        read_line(json.dumps(message).encode())


def test_a_host_of_another_version_can_say_how_it_is() -> None:
    line = read_line(b'{"type": "status", "version": "9", "of_tomorrow": 1}')
    assert line.message == Status(version="9")
