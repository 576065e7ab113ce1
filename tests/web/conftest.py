"""Servers for the tests of the web: started once for those that only ask."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.live import LiveServer


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveServer]:
    """Give a server that a browser has entered; it is shared, so a test leaves it as it was."""
    live = LiveServer(folder=tmp_path_factory.mktemp("server")).start()
    live.enter()
    yield live
    assert live.stop() == 0


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[LiveServer]:
    """Give a server to one test alone, to do with as it likes."""
    live = LiveServer(folder=tmp_path)
    yield live
    if live.process is not None:
        live.stop()
