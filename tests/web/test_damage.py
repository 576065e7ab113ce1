"""The server reports stored rows that changed on the disk."""

import pytest

from tests.store.test_damage import flip
from tests.store.test_damaged_facts import write
from tests.web.live import LiveServer
from torchstone.store import open_store

pytestmark = [pytest.mark.web, pytest.mark.full]


@pytest.fixture
def damaged(own_server: LiveServer) -> tuple[LiveServer, str]:
    """Return a server whose database has a damaged row in each table."""
    return own_server, damage(own_server)


def damage(server: LiveServer) -> str:
    """Store a submission and two activities, and damage one of each; return the submission."""
    path = server.folder / "data" / "torchstone.db"
    with open_store(path) as store:
        added = store.add_submission("01", "pass\n", client_key="k")
        assert store.claim(added, "host")
        assert store.record_verdict(added, {"verdict": "WA", "time_ms": 1}, {})
        store.start_problem("01")
        store.open_hint("01", 1)
    flip(path, added, "source")
    write(path, "activities", "kind", b"start"[:4] + b"u", number=1)
    return added


def test_the_damaged_rows_are_listed(damaged: tuple[LiveServer, str]) -> None:
    server, added = damaged
    server.start().enter()
    assert server.ask("GET", "/api/damage").json == {
        "submissions": [{"id": added, "problem_id": "01", "parts": ["source"]}],
        "facts": [{"table": "activities", "number": 1, "about": "01"}],
        "files": [],
    }


def test_an_intact_database_has_no_damage(server: LiveServer) -> None:
    nothing: dict[str, list[object]] = {"submissions": [], "facts": [], "files": []}
    assert server.ask("GET", "/api/damage").json == nothing
