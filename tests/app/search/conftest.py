"""The search over the bank that ships."""

from collections.abc import Iterator

import pytest

from torchstone.app.home import Home
from torchstone.app.search.search import Searcher


@pytest.fixture(scope="session")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Searcher]:
    """Return a search with an index of its own, which is built once for all files of tests."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TORCHSTONE_CACHE", str(tmp_path_factory.mktemp("cache")))
        made = Searcher(Home())
        made.find("softmax")
        yield made
        made.close()
