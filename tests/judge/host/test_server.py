"""One host serves many clients, survives what they send, and hands unfinished work to the next."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.reports import tag
from torchstone.bank.loader import CONTENT
from torchstone.core import paths
from torchstone.core.errors import JudgeUnavailable, TorchstoneError
from torchstone.core.isolation import Isolation
from torchstone.judge.events import Event
from torchstone.judge.host.client import Client
from torchstone.judge.host.lock import is_held
from torchstone.judge.host.protocol import REQUEST_CAP, SOURCE_CAP, Attach, Judge, Line

pytestmark = pytest.mark.sandbox

SOLUTION = (CONTENT / "problems/01_softmax/solution.py").read_text(encoding="utf-8")
WRONG = "def softmax(x, dim=-1, dtype=None):\n    return x * 0\n"
STUCK = f"{SOLUTION}\nimport time\ntime.sleep(1000)\n"
NOBODY = 65534


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A host with two workers that is there for the module."""
    made = Client(data=tmp_path_factory.mktemp("data"), workers=2)
    made.status(start=True, wait=True)
    yield made
    made.stop()


def last(events: Iterator[Event]) -> Any:
    return list(events)[-1]


def _messages(lines: Iterator[Line]) -> list[Any]:
    return [line.message for line in lines]


def dial(client: Client) -> socket.socket:
    sock = socket.socket(socket.AF_UNIX)
    sock.connect(str(paths.socket_path(client.data)))
    sock.settimeout(60)
    return sock


def answer_to(client: Client, line: bytes) -> list[dict[str, Any]]:
    """Send raw bytes and read what comes until the host hangs up."""
    with dial(client) as sock, sock.makefile("rb") as lines:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            sock.sendall(line)
            sock.shutdown(socket.SHUT_WR)
        try:
            return [json.loads(each) for each in lines]
        except ConnectionResetError:
            return []


def test_two_clients_follow_their_own_jobs_at_once(client: Client) -> None:
    found: dict[str, str] = {}

    def submit(name: str, source: str) -> None:
        found[name] = last(client.submit("01", source, kind="run")).report.verdict

    sources = {f"{n}": SOLUTION if n % 2 else WRONG for n in range(4)}
    threads = [threading.Thread(target=submit, args=item) for item in sources.items()]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"0": "WA", "1": "AC", "2": "WA", "3": "AC"}


def test_a_client_that_left_can_follow_from_where_it_was(client: Client) -> None:
    events = client.submit("01", SOLUTION)
    job = next(events).job
    first = next(events)
    events.close()
    rest = _messages(client.ask(Attach(job=job, begin=1)))
    whole = _messages(client.follow(job))
    assert tag(first) == "queued"
    assert tag(whole[0]) == "queued"
    assert [tag(event) for event in whole[1:]] == [tag(event) for event in rest]
    assert whole[-1] == rest[-1]
    assert rest[-1].report.verdict == "AC"
    assert rest[-1].report.receipt


def test_a_cancelled_job_gets_no_verdict(client: Client) -> None:
    events = client.submit("01", STUCK)
    job = next(events).job
    for event in events:
        if tag(event) == "started":
            break
    assert client.cancel(job)
    assert tag(list(events)[-1]) == "cancelled"
    assert not client.cancel(job)
    assert last(client.submit("01", SOLUTION, kind="run")).report.verdict == "AC"


@pytest.mark.parametrize(
    "line",
    [
        b"\n",
        b"not JSON\n",
        b"[]\n",
        b"7\n",
        b'{"op": ["judge"]}\n',
        b'{"op": "unknown"}\n',
        b'{"op": "judge"}\n',
        b'{"op": "judge", "problem": 1, "source": "x"}\n',
        b'{"op": "submit", "problem": "01", "source": "x = 1"}\n',
        b'{"op": "attach", "job": {}}\n',
        b'{"op": "cancel", "job": "no such job"}\n',
        b"[" * 50_000 + b"\n",
    ],
)
def test_a_malformed_request_is_answered_with_an_error(client: Client, line: bytes) -> None:
    (answer,) = answer_to(client, line)
    assert answer["type"] == "error"
    assert {"en", "zh"} <= set(answer["error"])
    assert answer["exit_code"] == 2


@pytest.mark.parametrize("line", [b"", b"{", b"x" * (REQUEST_CAP + 10) + b"\n", b"\xff\xfe\x00\n"])
def test_what_is_no_line_does_not_harm_the_host(client: Client, line: bytes) -> None:
    assert all(answer["type"] == "error" for answer in answer_to(client, line))
    assert client.status() is not None


def test_a_source_that_is_too_long_is_refused(client: Client) -> None:
    with pytest.raises(TorchstoneError, match="KiB"):
        list(client.judge("01", "#" * (SOURCE_CAP + 1)))


def test_a_source_that_is_no_unicode_cannot_be_judged(client: Client) -> None:
    report = last(client.judge("01", "x = '\ud800'\n", groups=["sample"])).report
    assert report.verdict == "CE"


@pytest.mark.full
@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"groups": ["sampel"]}, "judge.unknown_group"),
        ({"groups": "sample"}, "judge.bad_request"),
        ({"at_least": "perfect"}, "judge.bad_request"),
    ],
)
def test_an_option_that_means_nothing_is_refused(
    client: Client, options: dict[str, Any], code: str
) -> None:
    with pytest.raises(TorchstoneError) as refused:
        list(client.judge("01", "pass", **options))
    assert refused.value.code == code


@pytest.mark.full
def test_more_isolation_than_there_is_is_refused(tmp_path: Path) -> None:
    weak = Client(data=tmp_path, workers=1, at_most=Isolation.CONFINED)
    try:
        with pytest.raises(TorchstoneError):
            list(weak.judge("01", SOLUTION, at_least="namespaces"))
    finally:
        weak.stop()


def test_another_user_is_not_served(client: Client) -> None:
    if os.geteuid():
        return  # only root can become somebody else to try it
    path = paths.socket_path(client.data)
    program = (
        "import socket, sys\n"
        "sock = socket.socket(socket.AF_UNIX)\n"
        "sock.connect(sys.argv[1])\n"
        "try:\n"
        '    sock.sendall(b\'{"op": "status"}\\n\')\n'
        "    sys.exit(len(sock.recv(10)))\n"
        "except (BrokenPipeError, ConnectionResetError):\n"
        "    sys.exit(0)\n"
    )
    held = os.stat(path).st_mode
    os.chmod(path, 0o777)  # the mode alone must not be what keeps others out
    folders = [folder for folder in path.parents if folder.stat().st_mode & 0o001 == 0]
    modes = {folder: folder.stat().st_mode for folder in folders}
    try:
        for folder in folders:
            os.chmod(folder, 0o755)
        done = subprocess.run(
            ["/usr/bin/env", "python3", "-c", program, str(path)],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            capture_output=True,
            check=False,
            env={"PATH": "/usr/bin:/bin"},
        )
    finally:
        for folder, mode in modes.items():
            os.chmod(folder, mode)
        os.chmod(path, held)
    assert done.returncode == 0, done.stderr.decode()


@pytest.mark.full
def test_a_missing_data_folder_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    client = Client(data=tmp_path / "new")
    try:
        assert client.status(start=True) is not None
    finally:
        client.stop()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700


def test_a_second_host_leaves_at_once(client: Client) -> None:
    command = [sys.executable, "-m", "torchstone.judge.host.server", "--data", str(client.data)]
    done = subprocess.run(command, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0
    status = client.status()
    assert status is not None
    assert status.pid


@pytest.mark.full
def test_what_a_killed_host_left_is_judged_by_the_next(tmp_path: Path) -> None:
    client = Client(data=tmp_path, workers=1)
    slow = f"{SOLUTION}\nimport time\ntime.sleep(2)\n"
    try:
        events = client.submit("01", slow, kind="run")
        job = next(events).job
        for event in events:
            if tag(event) == "started":
                break
        status = client.status()
        assert status is not None
        os.kill(status.pid, signal.SIGKILL)
        with contextlib.suppress(JudgeUnavailable, OSError):
            list(events)
        _wait_until_gone(status.pids)
        client.status(start=True, wait=True)
        report = _messages(client.follow(job))[-1].report
        assert report.verdict == "AC"
    finally:
        client.stop()


@pytest.mark.full
def test_a_host_that_stops_ends_a_job_without_a_record_and_gives_its_data_free(
    tmp_path: Path,
) -> None:
    client = Client(data=tmp_path, workers=1)
    came: list[Any] = []

    def judge() -> None:
        with contextlib.suppress(JudgeUnavailable, OSError):
            for line in client.ask(Judge(problem="01", source=STUCK)):
                came.append(line.message)

    asking = threading.Thread(target=judge)
    try:
        status = client.status(start=True, wait=True)
        assert status is not None
        asking.start()
        while not any(tag(each) == "started" for each in came) and asking.is_alive():
            time.sleep(0.02)
        assert any(tag(each) == "started" for each in came)
    finally:
        client.stop()
    assert not is_held(tmp_path)
    _wait_until_gone([status.pid])
    asking.join()


def _wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + 30
    while any(Path(f"/proc/{pid}").exists() and not _is_dead(pid) for pid in pids):
        assert time.monotonic() < deadline, "the sandboxes outlive their host"
        time.sleep(0.02)


def _is_dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True
