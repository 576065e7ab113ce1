"""Settings of the simulator as a new user has them, and the programs of a file run at once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cudasim.programs import Runner, wanted_runs


@pytest.fixture(scope="session", autouse=True)
def cusim_settings() -> Iterator[None]:
    """Run without the settings of whoever runs the tests, in the same cache: to build takes long.

    Products are named by hashes, made atomically, and bounded in number; see `products`.
    """
    with pytest.MonkeyPatch.context() as patch:
        for name in ("ORDER", "SEED", "WORKERS", "WATCHDOG_MS"):
            patch.delenv(f"CUSIM_{name}", raising=False)
        yield


@pytest.fixture(scope="module")
def programs(request: pytest.FixtureRequest, cusim_settings: None) -> Runner:
    """Run the programs of all tests of a file that were chosen."""
    runner = Runner()
    for item in request.session.items:
        if item.path != request.path or not isinstance(item, pytest.Function):
            continue
        path = item.callspec.params.get("path") if hasattr(item, "callspec") else None
        if isinstance(path, Path) and path.suffix == ".cu" and "programs" in item.fixturenames:
            runner.expect(path, wanted_runs(path))
    runner.finish()
    return runner
