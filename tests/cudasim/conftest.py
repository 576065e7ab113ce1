"""One cache for all sessions and apart from the user's: what has not changed is built once."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cudasim.programs import Runner, wanted_runs
from tests.run_folder import run_folder


@pytest.fixture(scope="session", autouse=True)
def cusim_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    # Its entries are named by hashes, made atomically, and bounded in number; see `products`.
    folder = run_folder("cudasim", tmp_path_factory)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUSIM_CACHE", str(folder))
        for name in ("CUSIM_ORDER", "CUSIM_SEED", "CUSIM_WORKERS", "CUSIM_WATCHDOG_MS"):
            patch.delenv(name, raising=False)
        yield folder


@pytest.fixture(scope="module")
def programs(request: pytest.FixtureRequest, cusim_cache: Path) -> Runner:
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
