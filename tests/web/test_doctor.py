"""The doctor over real sockets: a trace is received, read, asked about, refused, and removed."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from tests.web.live import Answer, LiveServer
from torchstone.app.programs import doctor_traces

pytestmark = pytest.mark.web

BYTES = {"Content-Type": "application/octet-stream"}
STEP_US, LOADING_US = 10_000, 6_000


def span(name: str, cat: str, begin: float, end: float, **args: Any) -> dict[str, Any]:
    """An event of the host; with ``stream`` among its arguments, of the device."""
    lane = {"pid": 0, "tid": args["stream"]} if "stream" in args else {"pid": 1, "tid": 1}
    timed = {"ts": begin, "dur": end - begin}
    return {"ph": "X", "name": name, "cat": cat, "args": args} | lane | timed


def slow_loader(num_steps: int = 4) -> bytes:
    """Steps that load for 6 ms, launch one kernel, and compute for 3.9 ms."""
    events = []
    for step in range(num_steps):
        t = 1000.0 + step * STEP_US
        loaded, pair = t + LOADING_US, {"correlation": step + 1}
        events += [
            span(f"ProfilerStep#{step}", "user_annotation", t, t + STEP_US),
            span(
                "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__",
                *("user_annotation", t, loaded),
            ),
            span("aten::mm", "cpu_op", loaded, loaded + 100),
            span("cudaLaunchKernel", "cuda_runtime", loaded + 50, loaded + 90, **pair),
            span("gemm", "kernel", loaded + 100, t + STEP_US, stream=7, **pair),
        ]
    told = {"schemaVersion": 1, "deviceProperties": [{"name": "Card"}], "traceEvents": events}
    return json.dumps(told).encode()


def send(server: LiveServer, body: bytes, name: str = "trace.json", **query: Any) -> Answer:
    words = "".join(f"&{key}={value}" for key, value in query.items())
    path = f"/api/doctor/traces?name={quote(name)}{words}"
    return server.ask("POST", path, body, headers=BYTES)


def ask(server: LiveServer, trace: str, what: str = "", lang: str = "en") -> Answer:
    path = f"/api/doctor/traces/{trace}{what}"
    return server.ask("GET", path, headers={"Accept-Language": lang})


def opened(server: LiveServer) -> str:
    trace: str = send(server, slow_loader()).json["trace"]
    assert ask(server, trace).status == 200
    return trace


def kept(server: LiveServer) -> list[str]:
    """List all files in the folder of received traces."""
    folder = server.folder / "data" / "traces"
    return [name for _, _, names in os.walk(folder) for name in names]


def test_a_trace_is_received_read_and_removed(server: LiveServer) -> None:
    trace = send(server, slow_loader(), "我的 trace.json").json["trace"]
    overview = ask(server, trace).json
    assert overview["source"]["files"] == ["我的 trace.json"]
    assert overview["accounting"]["idle"]["loader"] == pytest.approx(LOADING_US / STEP_US)
    assert overview["window"]["steps"] == 4
    assert len(overview["picture"]["rows"]) == len(overview["tracks"])
    assert kept(server) == []
    # Once more, as after the page was loaded again.
    assert ask(server, trace).json == overview


def test_the_report_is_in_the_language_of_the_reader(server: LiveServer) -> None:
    trace = opened(server)
    english, chinese = (ask(server, trace, "/report", lang).json for lang in ("en", "zh"))
    assert english["report"]["verdict"] == chinese["report"]["verdict"] == "TS-D001"
    assert "60% of each step" in english["report"]["summary"]["manager"]
    assert "60%" in chinese["report"]["summary"]["manager"]
    assert english["report"]["summary"] != chinese["report"]["summary"]
    assert english["links"] == chinese["links"]
    assert len(english["links"]["evidence"]) == len(english["report"]["findings"])


def test_a_reader_looks_around(server: LiveServer) -> None:
    trace = opened(server)
    picture = ask(server, trace, "/picture?begin=0&end=9000&columns=300&finding=0").json
    assert (picture["begin"], picture["end"]) == (0, 9000)
    assert picture["marks"]["host"] == [0, LOADING_US]
    flame = ask(server, trace, "/flame?thread=0&begin=0&end=10000&finding=0").json
    loading = next(node for node in flame["nodes"] if "DataLoader" in node["name"])
    assert loading["evidence"] == loading["time"] == LOADING_US
    listed = ask(server, trace, "/gaps/0").json["gaps"]
    assert [each["charged_to"] for each in listed] == ["loader"] * 4
    gap = ask(server, trace, f"/gaps/0/{listed[0]['number']}").json
    assert gap["charged"]["loader"] == LOADING_US
    assert (gap["ended_by"], gap["launched_by"]) == ("gemm", "cudaLaunchKernel")
    found = ask(server, trace, "/found?track=1&moment=8000").json["found"]
    assert (found["name"], found["launched_by"]) == ("gemm", "cudaLaunchKernel")


@pytest.mark.parametrize(
    ("what", "status", "code"),
    [
        ("/gaps/0/99", 400, "doctor.refusal.no_part"),
        ("/flame?thread=7&begin=0&end=1", 400, "doctor.refusal.no_part"),
        ("/found?track=99&moment=1", 400, "doctor.refusal.no_part"),
        ("/picture?begin=0&end=1&columns=10&finding=9", 400, "doctor.refusal.no_part"),
        ("/picture?begin=nan&end=1&columns=10", 422, "web.invalid"),
        ("/picture?begin=0&end=1&columns=0", 422, "web.invalid"),
        ("/picture?begin=0&end=1&columns=5000", 422, "web.invalid"),
        ("/gaps/-1", 422, "web.invalid"),
    ],
)
def test_what_is_not_there_is_refused_and_the_trace_stays_open(
    server: LiveServer, what: str, status: int, code: str
) -> None:
    trace = opened(server)
    answer = ask(server, trace, what)
    assert (answer.status, answer.json["code"]) == (status, code)
    assert ask(server, trace, "/gaps/0").status == 200


@pytest.mark.parametrize(
    ("name", "body", "code"),
    [
        ("empty.json", b"", "empty"),
        ("words.json", b"hello", "no_json"),
        ("list.json", b'{"a": 1}', "no_events"),
        ("quiet.json", b'{"traceEvents": []}', "nothing_happens"),
        ("packed.json.gz", b"\x1f\x8bnothing", "no_gzip"),
        ("run.nsys-rep", b"\x00\x01\x02", "nsys_report"),
        ("run.sqlite", b"SQLite format 3\x00" + b"\x07" * 4000, "nsys_damaged"),
    ],
)
def test_a_file_that_is_no_trace_has_its_sentence_in_both_languages_and_is_removed(
    server: LiveServer, name: str, body: bytes, code: str
) -> None:
    said = {}
    for lang in ("en", "zh"):
        path = f"/api/doctor/traces?name={name}"
        headers = BYTES | {"Accept-Language": lang}
        trace = server.ask("POST", path, body, headers=headers).json["trace"]
        answer = ask(server, trace, lang=lang)
        assert (answer.status, answer.json["code"]) == (400, f"doctor.refusal.{code}")
        # The folder of the copy means nothing to its owner.
        assert answer.json["message"].startswith(name)
        said[lang] = answer.json["message"]
        assert ask(server, trace).json["code"] == "app.doctor.closed"
    assert said["en"] != said["zh"]
    assert kept(server) == []


def test_a_trace_that_is_cut_is_diagnosed_with_a_note(server: LiveServer) -> None:
    whole = slow_loader(8)
    trace = send(server, whole[: len(whole) * 3 // 4]).json["trace"]
    assert ask(server, trace).status == 200
    report = ask(server, trace, "/report").json["report"]
    assert report["verdict"] == "TS-D001"
    assert any("ends in the middle" in note for note in report["quality"]["notes"])


def test_the_files_of_several_ranks_are_one_run(server: LiveServer) -> None:
    first = send(server, slow_loader(), is_last="false").json["trace"]
    # Nothing is read before the last of them has come.
    assert ask(server, first).json["code"] == "app.doctor.closed"
    # Of the same name, as the profiler of each rank may write it.
    assert send(server, slow_loader(), trace=first).json["trace"] == first
    source = ask(server, first).json["source"]
    assert source["ranks"] == 2
    assert source["files"] == ["trace.json", "1.trace.json"]
    late = send(server, slow_loader(), trace=first)
    assert late.json["code"] == "app.doctor.no_more_files"


@pytest.mark.parametrize("name", ["../../escape.json", "/etc/passwd", "..", "a\nb.json", "x" * 500])
def test_a_name_leads_nowhere_else(server: LiveServer, name: str) -> None:
    trace = send(server, slow_loader(), name).json["trace"]
    (file,) = ask(server, trace).json["source"]["files"]
    assert "/" not in file
    assert len(file) <= 120
    assert not (server.folder / "data" / "escape.json").exists()


@pytest.mark.full
def test_a_closed_trace_is_gone_with_its_program(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    trace = opened(own_server)
    assert len(programs(own_server)) == 1
    assert own_server.ask("DELETE", f"/api/doctor/traces/{trace}").status == 204
    assert programs(own_server) == []
    answer = ask(own_server, trace, "/report")
    assert (answer.status, answer.json["code"]) == (404, "app.doctor.closed")
    # To close it again changes nothing.
    assert own_server.ask("DELETE", f"/api/doctor/traces/{trace}").status == 204


@pytest.mark.full
def test_the_longest_unused_trace_makes_room(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    traces = [opened(own_server) for _ in range(doctor_traces.MOST_OPEN)]
    assert ask(own_server, traces[0], "/gaps/0").status == 200
    opened(own_server)
    assert [ask(own_server, each, "/gaps/0").status for each in traces] == [200, 404, 200]
    assert len(programs(own_server)) == doctor_traces.MOST_OPEN


@pytest.mark.full
def test_a_sender_that_goes_away_leaves_nothing(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    head = own_server.page_headers("POST", has_body=True) | BYTES | {"Content-Length": "100000"}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items() if value)
    with own_server.connect() as sock:
        request = f"POST /api/doctor/traces?name=half.json HTTP/1.1\r\n{lines}\r\n".encode()
        sock.sendall(request + slow_loader()[:1000])
        until(lambda: len(programs(own_server)) == 1)
    until(lambda: programs(own_server) == [])
    until(lambda: kept(own_server) == [])


@pytest.mark.full
def test_what_an_earlier_server_has_left_is_removed(own_server: LiveServer) -> None:
    left = own_server.folder / "data" / "traces" / "0123456789abcdef"
    left.mkdir(parents=True)
    (left / "huge.json").write_bytes(b"x")
    own_server.start()
    own_server.enter()
    opened(own_server)
    assert kept(own_server) == []
    assert not left.exists()


@pytest.mark.full
def test_a_program_that_dies_is_said_and_its_trace_is_closed(own_server: LiveServer) -> None:
    own_server.start()
    own_server.enter()
    trace = opened(own_server)
    (number,) = programs(own_server)
    os.kill(number, 9)
    answer = ask(own_server, trace, "/report")
    assert (answer.status, answer.json["code"]) == (500, "app.doctor.died")
    assert ask(own_server, trace, "/report").json["code"] == "app.doctor.closed"


def test_questions_at_the_same_time_have_their_own_answers(server: LiveServer) -> None:
    trace = opened(server)
    found: dict[int, Any] = {}

    def look(at: int) -> None:
        found[at] = ask(server, trace, f"/picture?begin=0&end={1000 + at}&columns=50").json["end"]

    threads = [threading.Thread(target=look, args=(at,)) for at in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {at: 1000 + at for at in range(12)}


def programs(server: LiveServer) -> list[int]:
    """List the programs that hold a trace of a server and still run."""
    assert server.process is not None
    number = server.process.pid
    children = Path(f"/proc/{number}/task/{number}/children").read_text().split()
    return [int(each) for each in children if b"torchstone.doctor" in _words(each)]


def _words(process: str) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except FileNotFoundError:
        return b""


def until(is_so: Any) -> None:
    """Wait until something is so."""
    deadline = time.monotonic() + 60
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.05)
