"""The editorial of a problem on the page, with the lines of the library that do its work."""

import pytest

from tests.web.live import LiveServer

pytestmark = pytest.mark.web


def test_an_editorial_shows_the_lines_of_the_library_once_it_is_open(
    own_server: LiveServer,
) -> None:
    server = own_server.start()
    server.enter()
    address = "/api/problems/26"
    closed = server.ask("GET", f"{address}/editorial")
    assert closed.status == 400
    assert "DataParallel" not in str(closed.json)
    server.ask("POST", f"{address}/solutions", {"give_up": True})
    lines = server.ask("GET", f"{address}/editorial").json["code"][0]
    assert lines["name"] == "torchstone.distributed.data_parallel:DataParallel"
    assert lines["file"] == "torchstone/distributed/data_parallel.py"
    assert "all_reduce" in lines["html"] or "Reducer" in lines["html"]
