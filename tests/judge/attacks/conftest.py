from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.judge.attacks.arena import Arena, Setting, open_arena


@pytest.fixture(scope="session")
def arena_at() -> Iterator[Callable[[Setting], Arena]]:
    """Open an arena when it is first asked for, and keep it for the session.

    Not a parameter of the fixture: tests run in random order, and each change of the parameter
    would end one arena and start another.
    """
    opened: dict[Setting, Arena] = {}
    with ExitStack() as stack:

        def arena_at(setting: Setting) -> Arena:
            if setting not in opened:
                opened[setting] = stack.enter_context(open_arena(setting))
            return opened[setting]

        yield arena_at
