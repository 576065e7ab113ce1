"""Servers for the tests of the web: started once for those that only ask."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.web.live import LiveServer


@contextmanager
def left_as_it_was(live: LiveServer) -> Iterator[LiveServer]:
    """Lend a shared server, and fail whoever leaves a history that others would meet."""
    before = _history(live)
    yield live
    assert _history(live) == before, "a test that submits takes used_server or own_server"


def _history(live: LiveServer) -> list[object]:
    overview = live.ask("GET", "/api/overview").json
    return [overview[name] for name in ("num_proven", "num_tried", "recent")]


@pytest.fixture(scope="session")
def entered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Yield a server that a browser has entered, through server alone."""
    live = LiveServer(folder=tmp_path_factory.mktemp("server")).start()
    live.enter()
    yield live
    assert live.stop() == 0


@pytest.fixture
def server(entered: LiveServer) -> Iterator[LiveServer]:
    """Yield a server whose learner has done nothing yet; it is shared, so nobody submits to it."""
    with left_as_it_was(entered) as live:
        yield live


@pytest.fixture(scope="session")
def used_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Yield a server to submit to; it is shared, so no test counts on what it finds."""
    live = LiveServer(folder=tmp_path_factory.mktemp("used")).start()
    live.enter()
    yield live
    assert live.stop() == 0


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[LiveServer]:
    """Yield a server to one test alone, to do with as it likes."""
    live = LiveServer(folder=tmp_path)
    yield live
    if live.process is not None:
        live.stop()
