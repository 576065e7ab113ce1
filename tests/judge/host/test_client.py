"""A client finds the host of its data folder, or says at once why it cannot."""

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from torchstone.core.errors import BadInput, JudgeUnavailable
from torchstone.judge.events import Done
from torchstone.judge.host.client import NUM_TRIES, Client
from torchstone.judge.host.lock import hold_lock, write_address
from torchstone.judge.host.protocol import AskStatus, Line, Status, write_line
from torchstone.judge.host.transport import HostLeft, HostRefused

pytestmark = pytest.mark.pure

DONE = Done(report=None)
STATUS = b'{"type": "status", "pid": 7}\n'
SHAPE = '{"code": "judge.x", "message": "m", "hint": "h", "status": 400, "ok": false}'
REFUSAL = f'{{"type": "error", "exit_code": 2, "error": {{"en": {SHAPE}, "zh": {SHAPE}}}}}\n'


@contextmanager
def elsewhere(data: Path, answer: bytes) -> Iterator[Path]:
    """Hold a data folder and answer every request, at an address that no variable names."""
    address = data / "elsewhere.sock"
    with hold_lock(data) as lock, socket.socket(socket.AF_UNIX) as listening:
        assert lock is not None
        listening.bind(str(address))
        listening.listen()
        write_address(lock, address)
        threading.Thread(target=_serve, args=(listening, answer), daemon=True).start()
        yield address
        listening.shutdown(socket.SHUT_RDWR)


def _serve(listening: socket.socket, answer: bytes) -> None:
    while True:
        try:
            sock, _ = listening.accept()
        except OSError:
            return
        with sock, sock.makefile("rb") as lines:
            if lines.readline():
                sock.sendall(answer)


def test_a_host_with_another_runtime_folder_is_found_by_its_lock(tmp_path: Path) -> None:
    with elsewhere(tmp_path, STATUS):
        assert Client(data=tmp_path).status() == Status(pid=7)


def test_a_host_that_cannot_be_reached_is_named_at_once(tmp_path: Path) -> None:
    address = tmp_path / "in_a_container.sock"
    with hold_lock(tmp_path) as lock:
        assert lock is not None
        write_address(lock, address)
        with pytest.raises(JudgeUnavailable, match=str(address)) as caught:
            Client(data=tmp_path).status(start=True)
    assert caught.value.code == "judge.host_elsewhere"


def test_nobody_is_asked_where_there_is_no_host(tmp_path: Path) -> None:
    data = tmp_path / "missing"
    assert Client(data=data).status() is None
    Client(data=data).stop()
    assert not data.exists()


def test_a_data_folder_that_cannot_be_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput) as caught:
        Client(data=tmp_path / "file").status(start=True)
    assert caught.value.code == "core.folder_unusable"


def test_a_refusal_arrives_in_both_languages(tmp_path: Path) -> None:
    with elsewhere(tmp_path, REFUSAL.encode()), pytest.raises(HostRefused) as caught:
        Client(data=tmp_path).status()
    assert caught.value.message("zh") == "m"
    assert int(caught.value.exit_code) == 2


@pytest.mark.parametrize("answer", [b"", b'{"type": "queued", "ahead": 0}\n', STATUS[:-1]])
def test_a_host_that_leaves_in_the_middle_is_no_answer(tmp_path: Path, answer: bytes) -> None:
    with elsewhere(tmp_path, answer), pytest.raises(HostLeft):
        list(Client(data=tmp_path).ask(AskStatus()))


@contextmanager
def leaving(data: Path, num_left: int) -> Iterator[list[bytes]]:
    """Serve a data folder with a host that leaves so many requests unanswered; list them all."""
    address, asked = data / "leaving.sock", list[bytes]()

    def serve() -> None:
        while True:
            try:
                sock, _ = listening.accept()
            except OSError:
                return
            with sock, sock.makefile("rb") as lines:
                if line := lines.readline():
                    asked.append(line)
                    if len(asked) > num_left:
                        sock.sendall(write_line(Line(message=DONE)))

    with hold_lock(data) as lock, socket.socket(socket.AF_UNIX) as listening:
        assert lock is not None
        listening.bind(str(address))
        listening.listen()
        write_address(lock, address)
        threading.Thread(target=serve, daemon=True).start()
        yield asked
        listening.shutdown(socket.SHUT_RDWR)


def test_a_submission_is_sent_again_to_the_next_host_under_one_key(tmp_path: Path) -> None:
    with leaving(tmp_path, 2) as asked:
        assert list(Client(data=tmp_path).submit("01", "x = 1")) == [DONE]
    assert len(asked) == 3
    assert len(set(asked)) == 1


def test_a_submission_is_not_sent_for_ever(tmp_path: Path) -> None:
    with leaving(tmp_path, 99) as asked, pytest.raises(HostLeft):
        list(Client(data=tmp_path).submit("01", "x = 1"))
    assert len(asked) == NUM_TRIES == 3
