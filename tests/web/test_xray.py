"""The x-ray and the map over real sockets: scenes, refusals in both languages, a warm sandbox."""

from __future__ import annotations

import json
import subprocess
import time
from typing import Any

import pytest

from tests.web.live import LiveServer, parse_events
from torchstone.core.i18n import LANGS

pytestmark = [pytest.mark.web, pytest.mark.torch, pytest.mark.sandbox]

NET = """\
import torch
x = torch.randn(3, 4, requires_grad=True)
torch.relu(x.t()).sum().backward()
"""
EXAMINE = "/api/xray/examine"
LOOPS = "while True:\n    pass\n"
# What the page says of a program that goes wrong, in each language, and the line that it names.
WRONG = {
    "x = = 1\n": ({"en": "is not valid Python", "zh": "不是合法的 Python"}, 1),
    LOOPS: ({"en": "has not ended after", "zh": "还没有结束"}, None),
    "import os\n\nos.fork()\n": ({"en": "starts another process", "zh": "启动了另一个进程"}, 3),
    "while True:\n    print('x' * 65536)\n": ({"en": "prints more than", "zh": "打印超过"}, None),
}


def examine(
    server: LiveServer, text: str, *scenes: str, lang: str = "en", **more: object
) -> list[dict[str, Any]]:
    body = {"text": text, "scenes": scenes or ["dispatch"], **more}
    answer = server.ask("POST", EXAMINE, body, headers={"Accept-Language": lang})
    assert answer.status == 200, answer.body
    events = parse_events(answer.body.decode())
    # The program of the test before may still end.
    return [each for each in events if each["type"] != "queued"]


def sandboxes(server: LiveServer) -> list[str]:
    """List the sandboxes that a server holds."""
    assert server.process is not None
    command = ["ps", "-ww", "--ppid", str(server.process.pid), "-o", "pid=,args="]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    return [line.split()[0] for line in found.stdout.splitlines() if "judge.observing" in line]


def test_scenes_come_one_by_one_as_the_terminal_prints_them(server: LiveServer) -> None:
    asked = ("graph", "storage", "dispatch")
    *events, end = examine(server, NET, *asked, under=["inference_mode"])
    assert end["type"] == "end"
    graph, storage, dispatch = (each["scene"] for each in events)
    assert (graph["scene"], graph["schema"]) == ("graph", 1)
    assert [node["line"] for node in graph["nodes"]][:2] == [3, 3]
    assert storage["fidelity"]["equal"] == storage["fidelity"]["compared"] > 0
    assert dispatch["modes"]["inference_mode"]["stops"] < dispatch["stops"]


@pytest.mark.full
def test_a_missing_module_is_a_sentence_in_the_language_of_the_page(server: LiveServer) -> None:
    (told,) = examine(server, "import torch\nimport no_such\n", lang="zh")
    assert (told["type"], told["line"]) == ("error", 2)
    assert "导入了 `no_such`" in told["message"]


@pytest.mark.full
@pytest.mark.parametrize("lang", LANGS)
def test_a_program_that_goes_wrong_is_a_sentence(server: LiveServer, lang: str) -> None:
    for text, (words, line) in WRONG.items():
        (told,) = examine(server, text, lang=lang)
        assert told["type"] == "error"
        assert words[lang] in told["message"]
        assert told["hint"]
        assert told["line"] == line, told


def test_what_is_too_long_is_refused(server: LiveServer) -> None:
    most = server.ask("GET", "/api/xray/choices").json["most_chars"]
    (told,) = examine(server, "#" * (most + 1))
    assert told["code"] == "app.xray.too_long"


def test_choices_name_what_belongs_to_a_scene(server: LiveServer) -> None:
    found = server.ask("GET", "/api/xray/choices").json
    assert found["related"].keys() == {"dispatch", "graph", "storage", "compile", "memory"}
    titles = {
        each["id"]: each["name"] for each in server.ask("GET", "/api/questions").json["topics"]
    }
    for scene, related in found["related"].items():
        assert related["topics"], scene
        for topic in related["topics"]:
            assert titles[topic["id"]] == topic["title"]


def test_a_call_is_played_over_the_map(server: LiveServer) -> None:
    found = server.ask("GET", "/api/explain/map").json
    parts = {each["id"] for each in found["components"]}
    assert len(parts) >= 45
    assert len(found["edges"]) >= 70
    assert {end for each in found["edges"] for end in (each["source"], each["target"])} <= parts
    played = server.ask("POST", "/api/explain/play", {"expression": "x @ x"}).json
    assert set(played["path"]) <= parts
    assert played["path"][0] == "functions"
    assert "variable_type" in played["path"]
    assert played["path"][-1] == "cpu_kernel"


@pytest.mark.full
def test_what_cannot_be_played_is_refused(server: LiveServer) -> None:
    for expression, code in (("x = 1\ny", "one_line"), ("3", "no_call"), ("nothing", "raised")):
        refused = server.ask("POST", "/api/explain/play", {"expression": expression})
        assert (refused.status, refused.json["code"]) == (400, f"app.xray.{code}")


@pytest.mark.full
def test_every_example_has_something_to_see_in_each_of_its_scenes(server: LiveServer) -> None:
    for example in server.ask("GET", "/api/xray/choices").json["examples"]:
        *events, end = examine(server, example["text"], *example["scenes"])
        assert end["type"] == "end", example["id"]
        for event in events:
            scene = event["scene"]
            shown = {
                "dispatch": "calls",
                "graph": "nodes",
                "storage": "storages",
                "memory": "events",
                "compile": "map",
            }
            assert scene[shown[scene["scene"]]], example["id"]
            assert (scene["raised"] is None) == (example["id"] != "spoiled"), scene["raised"]


@pytest.mark.full
def test_a_reader_who_leaves_ends_the_program_and_the_next_one_has_a_sandbox(
    own_server: LiveServer,
) -> None:
    own_server.start()
    own_server.enter()
    own_server.ask("GET", "/api/xray/choices")
    (spare,) = until(lambda: sandboxes(own_server))
    body = json.dumps({"text": LOOPS, "scenes": ["dispatch"]}).encode()
    head = own_server.page_headers("POST", has_body=True) | {"Content-Length": str(len(body))}
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items() if value)
    with own_server.connect() as sock:
        sock.sendall(f"POST {EXAMINE} HTTP/1.1\r\n{lines}\r\n".encode() + body)
        assert sock.recv(64)
    until(lambda: spare not in sandboxes(own_server))
    assert examine(own_server, NET)[0]["type"] == "scene"
    # Each program had one of its own, and one waits.
    assert len(until(lambda: sandboxes(own_server))) == 1
    own_server.stop()


def until(what: Any) -> Any:
    """Wait until something is so, and return it."""
    deadline = time.monotonic() + 120
    while not (found := what()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return found
