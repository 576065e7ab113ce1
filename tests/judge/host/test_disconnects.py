"""A client sends its request again however the connection to a host broke."""

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from torchstone.core.errors import JudgeUnavailable
from torchstone.judge.events import Accepted, CancelledEvent, Done, Evaluated
from torchstone.judge.host import client as client_module
from torchstone.judge.host import transport
from torchstone.judge.host.client import NUM_TRIES, Client
from torchstone.judge.host.lock import hold_lock, write_address
from torchstone.judge.host.protocol import Evaluate, Line, Message, Status, write_line
from torchstone.judge.host.transport import HostLeft

pytestmark = pytest.mark.pure

ACCEPTED = Accepted(job="a" * 12)
DONE = Done(report=None)
EVALUATED = Evaluated(text="1", error=None, detail=None, stdout="")
STATUS = Status(pid=7)
# More than a socket holds, so that the client still writes when the host ends.
LONG = "#" * 240_000

Death = Callable[[socket.socket], None]


def close_at_once(sock: socket.socket) -> None:
    """Read nothing: the client gets a broken pipe, or a reset."""


def reset(sock: socket.socket) -> None:
    """Leave a part of the request unread."""
    sock.recv(10)


def end_without_answer(sock: socket.socket) -> None:
    """Read the request, then end."""
    sock.makefile("rb").readline()


def end_in_a_frame(sock: socket.socket) -> None:
    """End in the middle of a message."""
    sock.makefile("rb").readline()
    sock.sendall(write_line(Line(message=DONE))[:9])


def end_in_a_frame_and_reset(sock: socket.socket) -> None:
    """End in the middle of a message, with a part of the request unread."""
    sock.sendall(write_line(Line(message=DONE))[:9])
    sock.recv(10)


DEATHS = [close_at_once, reset, end_without_answer, end_in_a_frame, end_in_a_frame_and_reset]


@contextmanager
def dying(data: Path, death: Death, answer: Message, num_deaths: int) -> Iterator[list[int]]:
    """Serve a data folder with a host that ends so often before it answers; count the tries."""
    address, tries = data / "dying.sock", list[int]()

    def serve() -> None:
        while True:
            try:
                sock, _ = listening.accept()
            except OSError:
                return
            with sock:
                # `Client.status` first looks whether a host listens.
                if not sock.recv(1, socket.MSG_PEEK):
                    continue
                tries.append(len(tries))
                if len(tries) <= num_deaths:
                    death(sock)
                else:
                    sock.makefile("rb").readline()
                    sock.sendall(write_line(Line(message=answer)))

    with hold_lock(data) as lock, socket.socket(socket.AF_UNIX) as listening:
        assert lock is not None
        listening.bind(str(address))
        listening.listen()
        write_address(lock, address)
        threading.Thread(target=serve, daemon=True).start()
        yield tries
        listening.shutdown(socket.SHUT_RDWR)


def submit(client: Client) -> Any:
    return list(client.submit("01", LONG))[-1]


def submit_async(client: Client) -> Any:
    async def act() -> Accepted:
        job = await client.submit_async("01", LONG, kind="submit", client_key="k")
        return Accepted(job=job)

    return asyncio.run(act())


def judge(client: Client) -> Any:
    return list(client.judge("01", LONG))[-1]


def evaluate(client: Client) -> Any:
    return client.evaluate("01", LONG, "1")


def evaluate_async(client: Client) -> Any:
    return asyncio.run(client.evaluate_async("01", LONG, "1"))


def cancel(client: Client) -> Any:
    return CancelledEvent() if client.cancel("a" * 12) else None


def status(client: Client) -> Any:
    return client.status()


REQUESTS: list[tuple[Callable[[Client], Any], Message]] = [
    (submit, DONE),
    (submit_async, ACCEPTED),
    (judge, DONE),
    (evaluate, EVALUATED),
    (evaluate_async, EVALUATED),
    (cancel, CancelledEvent()),
    (status, STATUS),
]


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize(("ask", "answer"), REQUESTS)
def test_a_request_is_sent_again_to_the_next_host(
    tmp_path: Path, death: Death, ask: Callable[[Client], Any], answer: Message
) -> None:
    with dying(tmp_path, death, answer, NUM_TRIES - 1) as tries:
        assert ask(Client(data=tmp_path)) == answer
    assert len(tries) == NUM_TRIES


@pytest.mark.parametrize("death", DEATHS)
@pytest.mark.parametrize(("ask", "answer"), REQUESTS)
def test_the_number_of_tries_is_limited_and_the_error_is_said(
    tmp_path: Path, death: Death, ask: Callable[[Client], Any], answer: Message
) -> None:
    with (
        dying(tmp_path, death, answer, 99) as tries,
        pytest.raises(HostLeft, match="stopped before"),
    ):
        ask(Client(data=tmp_path))
    assert len(tries) == NUM_TRIES


@pytest.mark.parametrize("death", DEATHS)
def test_a_host_that_ends_when_it_is_asked_to_stop_has_stopped(
    tmp_path: Path, death: Death, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = Client(data=tmp_path)
    with dying(tmp_path, death, DONE, 99):
        held = iter([True, False])
        monkeypatch.setattr(client_module, "is_held", lambda data: next(held))
        client.stop()


def test_a_host_that_does_not_end_is_not_called_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client_module, "STOP_SECONDS", 0.1)
    with hold_lock(tmp_path), pytest.raises(JudgeUnavailable, match=r"not ended within 0\.1 s"):
        Client(data=tmp_path).stop()


def test_a_host_that_does_not_read_is_said_to_be_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport, "ANSWER_SECONDS", 0.2)
    done = threading.Event()
    request = Evaluate(problem="01", source=LONG, expression="1")
    with dying(tmp_path, lambda sock: done.wait(10) and None, DONE, 99):
        with pytest.raises(JudgeUnavailable) as caught:
            Client(data=tmp_path)._first_once(request, Status, patience=0.2)
        done.set()
    assert caught.value.code == "judge.host_silent"
