"""One cache for the whole session, so that the runtime is built once, and apart from the user's."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="session", autouse=True)
def cusim_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    base = tmp_path_factory.getbasetemp()
    # Several processes of one session share what they build.
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "cusim"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CUSIM_CACHE", str(folder))
        for name in ("CUSIM_ORDER", "CUSIM_SEED", "CUSIM_WORKERS", "CUSIM_WATCHDOG_MS"):
            patch.delenv(name, raising=False)
        yield folder
