"""A worker pool with the installed bank for the tests of this folder; it starts in seconds."""

from collections.abc import Iterator

import pytest

from torchstone.bank.loader import CONTENT
from torchstone.core import paths
from torchstone.judge.pool.worker_pool import WorkerPool


@pytest.fixture(scope="package")
def worker_pool() -> Iterator[WorkerPool]:
    made = WorkerPool(bank_root=CONTENT, cache=paths.cache_dir())
    with made.running():
        yield made
