from collections.abc import Iterator

import pytest

from tests.judge.attacks.arena import Arena, Setting, open_arena, settings_here


@pytest.fixture(scope="session", params=settings_here(), ids=str)
def arena(request: pytest.FixtureRequest) -> Iterator[Arena]:
    """A workshop at each level, run by each kind of user, for the whole session."""
    setting: Setting = request.param
    with open_arena(setting) as opened:
        yield opened
