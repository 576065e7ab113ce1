"""Distributed training over real sockets: simulations, their refusals and end."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

import pytest

from tests.web.live import LiveServer, parse_events

pytestmark = [pytest.mark.web, pytest.mark.torch]

RUN = {"world": 2, "parallel": "zero3", "steps": 1, "link": "1gbit"}


def simulate(server: LiveServer, lang: str = "en", **changed: object) -> list[dict[str, Any]]:
    answer = server.ask(
        "POST", "/api/distributed/simulate", RUN | changed, headers={"Accept-Language": lang}
    )
    assert answer.status == 200, answer.body
    # The program of the test before may still end.
    return [each for each in parse_events(answer.body.decode()) if each["type"] != "queued"]


def children(server: LiveServer) -> list[str]:
    """List the programs that a server has started and that still run."""
    assert server.process is not None
    found = subprocess.run(
        ["ps", "--ppid", str(server.process.pid), "-o", "args="],
        capture_output=True,
        text=True,
        check=False,
    )
    return [line for line in found.stdout.splitlines() if "torchstone.distributed" in line]


def test_the_choices_name_the_problems_as_the_bank_does(server: LiveServer) -> None:
    found = server.ask("GET", "/api/distributed/choices").json["problems"]
    titles = {
        each["id"]: each["title"] for each in server.ask("GET", "/api/problems").json["problems"]
    }
    assert [each["id"] for each in found] == ["25", "26", "27", "28", "30"]
    assert {each["id"]: each["title"] for each in found}.items() <= titles.items()


def test_a_simulation_tells_its_steps_and_ends_with_its_timeline(server: LiveServer) -> None:
    begin, *steps, result = simulate(server, steps=2)
    assert (begin["type"], begin["world"], begin["parallel"]) == ("begin", 2, "zero3")
    assert [each["step"] for each in steps] == [1, 2]
    assert result["equal"] is True
    timeline = result["timeline"]
    assert timeline["num_ranks"] == 2
    # A broadcast is sent by one of them.
    sent = [sum(each["bytes_sent"][rank] for each in timeline["collectives"]) for rank in (0, 1)]
    assert max(sent) == sum(result["bytes"].values())


@pytest.mark.full
def test_ranks_compute_and_wait_for_the_slow_one(server: LiveServer) -> None:
    timeline = simulate(server, parallel="ddp", gflops=20, slow="1x2")[-1]["timeline"]
    sums = [
        sum(each["end_s"] - each["start_s"] for each in timeline["compute"] if each["rank"] == rank)
        for rank in (0, 1)
    ]
    assert sums[1] == pytest.approx(2 * sums[0])
    assert {(each["rank"], each["last"]) for each in timeline["waits"]} >= {(0, 1)}
    assert all(each["op"] and each["ranks"] for each in timeline["waits"])


@pytest.mark.full
def test_a_step_is_told_while_the_next_one_runs(server: LiveServer) -> None:
    body = json.dumps(RUN | {"world": 16, "steps": 20}).encode()
    head = server.page_headers("POST", has_body=True) | {"Content-Length": str(len(body))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items() if value)
    came = b""
    with server.connect() as sock:
        sock.sendall(f"POST /api/distributed/simulate HTTP/1.1\r\n{lines}\r\n".encode() + body)
        while b'"step"' not in came:
            came += sock.recv(65536)
    assert came.count(b'"step"') < 20
    assert b'"result"' not in came
    until(lambda: children(server) == [])


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"gflops": 0}, "distributed.refusal.speed"),
        ({"gflops": 20, "link": ""}, "distributed.refusal.speed_link"),
        ({"slow": "0x2"}, "distributed.refusal.slow_speed"),
        ({"gflops": 20, "slow": "2x2"}, "distributed.refusal.slow_rank"),
        ({"world": 0}, "distributed.refusal.world_number"),
        ({"world": 17}, "app.distributed.too_many_ranks"),
        ({"steps": 21}, "app.distributed.too_many_steps"),
        ({"steps": 0}, "distributed.refusal.number"),
        ({"parallel": "zero9"}, "distributed.refusal.choice"),
        ({"link": "fast"}, "distributed.refusal.rate"),
    ],
)
def test_a_simulation_that_cannot_be_is_refused(
    server: LiveServer, changed: dict[str, object], code: str
) -> None:
    (english,) = simulate(server, **changed)
    (chinese,) = simulate(server, "zh", **changed)
    assert (english["type"], english["code"]) == ("error", code)
    assert english["message"] != chinese["message"]


@pytest.mark.full
def test_a_simulation_ends_with_its_reader_and_the_next_one_runs(server: LiveServer) -> None:
    body = json.dumps(RUN | {"world": 16, "steps": 20}).encode()
    head = server.page_headers("POST", has_body=True) | {"Content-Length": str(len(body))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items() if value)
    with server.connect() as sock:
        request = f"POST /api/distributed/simulate HTTP/1.1\r\n{lines}\r\n".encode() + body
        sock.sendall(request)
        assert b"200" in sock.recv(4096)
        until(lambda: len(children(server)) == 1)
    until(lambda: children(server) == [])
    assert simulate(server)[-1]["equal"] is True


@pytest.mark.full
def test_one_program_runs_at_a_time_and_a_crowd_is_refused(server: LiveServer) -> None:
    body = json.dumps(RUN | {"world": 16, "steps": 20}).encode()
    head = server.page_headers("POST", has_body=True) | {"Content-Length": str(len(body))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items() if value)
    request = f"POST /api/distributed/simulate HTTP/1.1\r\n{lines}\r\n".encode() + body
    socks = [server.connect() for _ in range(5)]
    try:
        for ahead, sock in enumerate(socks):
            sock.sendall(request)
            wanted = f'"queued","ahead":{ahead}'.encode() if ahead else b"200"
            came = b""
            while wanted not in came:
                came += sock.recv(4096)
        until(lambda: len(children(server)) == 1)
        (error,) = simulate(server)
        assert error["code"] == "app.distributed.busy"
        assert len(children(server)) == 1
    finally:
        for sock in socks:
            sock.close()
    until(lambda: children(server) == [])


def until(is_so: Any) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
