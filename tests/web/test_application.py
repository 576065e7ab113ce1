from urllib.parse import urlsplit

import pytest

from tests.shipped import shipped_bank
from tests.web.live import LiveServer
from torchstone.web.address import Address
from torchstone.web.application import hosts_of


@pytest.mark.pure
@pytest.mark.parametrize(
    ("host", "port", "hosts"),
    [
        ("127.0.0.1", 8417, {"127.0.0.1:8417", "localhost:8417"}),
        ("localhost", 8417, {"127.0.0.1:8417", "localhost:8417"}),
        ("::1", 8417, {"[::1]:8417"}),
        # Browsers leave this port out.
        ("127.0.0.1", 80, {"127.0.0.1:80", "localhost:80", "127.0.0.1", "localhost"}),
        ("::1", 80, {"[::1]:80", "[::1]"}),
    ],
)
def test_a_server_answers_to_its_names_and_to_no_other(
    host: str, port: int, hosts: set[str]
) -> None:
    assert hosts_of(Address(pid=1, host=host, port=port, key="k")) == hosts


@pytest.mark.web
@pytest.mark.parametrize(
    "path", ["/", "/en/", "/zh/problems/01", "/icon.svg", "/nowhere", "/api/status", "/api/nowhere"]
)
def test_a_head_is_that_of_the_whole_answer_without_a_body(server: LiveServer, path: str) -> None:
    head, whole = server.ask("HEAD", path), server.ask("GET", path)
    assert head.body == b""
    assert head.status == whole.status
    for name in ("Content-Type", "Content-Length", "Cache-Control", "Content-Language", "Location"):
        assert head.headers[name] == whole.headers[name]


@pytest.mark.web
def test_asking_for_a_head_changes_nothing_and_uses_no_link_up(server: LiveServer) -> None:
    assert server.ask("HEAD", "/api/problems/01/hints").status in (404, 405)
    link = urlsplit(server.new_link())
    assert server.ask("HEAD", f"{link.path}?{link.query}").status == 405
    assert server.ask("GET", f"{link.path}?{link.query}").status == 200


@pytest.mark.web
def test_whoever_was_not_let_in_gets_no_head_either(server: LiveServer) -> None:
    answer = server.ask("HEAD", "/api/overview", headers={"Cookie": None})
    assert (answer.status, answer.body) == (401, b"")


@pytest.mark.web
def test_a_problem_of_every_kind_is_shown(server: LiveServer) -> None:
    kinds = {problem.spec.entry.kind: problem.id for problem in shipped_bank()}
    for problem in kinds.values():
        answer = server.ask("GET", f"/api/problems/{problem}")
        assert answer.status == 200, answer.body
        assert answer.json["id"] == problem
