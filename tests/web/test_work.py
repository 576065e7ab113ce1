"""The page sends the work on a problem."""

import pytest

from tests.web.live import LiveServer

pytestmark = pytest.mark.web

SPAN = {"seconds": 60, "until": "2026-03-01T09:00:00Z"}


@pytest.mark.full
def test_work_is_counted_once(own_server: LiveServer) -> None:
    own_server.start().enter()
    for _ in range(2):
        answer = own_server.ask("POST", "/api/problems/01/work", {"spans": [SPAN]})
        assert (answer.status, answer.json) == (200, {"seconds": 60})
    page = own_server.ask("GET", "/api/problems/01").json
    assert (page["worked_s"], page["status"]) == (60, "untouched")


@pytest.mark.full
def test_two_windows_count_the_same_minute_once(own_server: LiveServer) -> None:
    own_server.start().enter()
    counted = []
    for until in ("09:01:00", "09:01:02", "09:02:00", "09:02:02"):
        span = {"seconds": 60, "until": f"2026-03-01T{until}Z"}
        answer = own_server.ask("POST", "/api/problems/01/work", {"spans": [span]})
        counted.append(answer.json["seconds"])
    assert counted == [60, 62, 120, 122]


@pytest.mark.parametrize(
    "span",
    [
        {"seconds": 0, "until": "2026-03-01T09:00:00Z"},
        {"seconds": 3601, "until": "2026-03-01T09:00:00Z"},
        {"seconds": 60, "until": "2026-03-01T09:00:00"},
        {"seconds": 60, "until": "yesterday"},
    ],
)
def test_what_is_no_span_is_refused(server: LiveServer, span: dict[str, object]) -> None:
    assert server.ask("POST", "/api/problems/01/work", {"spans": [span]}).status == 422
    assert server.ask("POST", "/api/problems/01/work", {"spans": [SPAN] * 201}).status == 422
    assert server.ask("POST", "/api/problems/99/work", {"spans": []}).status == 404
