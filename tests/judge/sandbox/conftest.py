"""Zygotes for the tests of the sandbox, one a level, shared by a module."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.judge.sandbox.demo_host import DemoHost, Setting, demo_host, settings_of_tests
from torchstone.core.isolation import Isolation


@pytest.fixture(scope="session")
def visible_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("visible")


@pytest.fixture(scope="module", params=settings_of_tests(), ids=str)
def host(request: pytest.FixtureRequest, visible_cache: Path) -> Iterator[DemoHost]:
    """A zygote without torch at each level, started by each kind of user."""
    setting: Setting = request.param
    with demo_host(setting, cache=visible_cache) as demo:
        yield demo


@pytest.fixture(
    scope="module",
    params=settings_of_tests(Isolation.NAMESPACES),
    ids=str,
)
def walled_host(request: pytest.FixtureRequest, visible_cache: Path) -> Iterator[DemoHost]:
    """The same, only where jobs get namespaces of their own."""
    setting: Setting = request.param
    with demo_host(setting, cache=visible_cache) as demo:
        yield demo
