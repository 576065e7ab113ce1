"""A worker pool with the problem of these tests, at each level that has namespaces."""

from collections.abc import Iterator

import pytest

from tests.judge.restarts.arena import BANK
from torchstone.core import paths
from torchstone.core.isolation import Isolation
from torchstone.judge.pool.worker_pool import WorkerPool

# The gate tries the strongest level.
LEVELS = (Isolation.FULL, pytest.param(Isolation.NAMESPACES, marks=pytest.mark.full))


@pytest.fixture(scope="package", params=LEVELS, ids=str)
def pool(request: pytest.FixtureRequest) -> Iterator[WorkerPool]:
    made = WorkerPool(bank_root=BANK, cache=paths.cache_dir(), capacity=2, at_most=request.param)
    with made.running():
        assert made.isolation.is_at_least(Isolation.NAMESPACES)
        yield made
