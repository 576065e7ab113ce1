"""Programs of the content that are simulated are built in the cache of the simulator's tests."""

from tests.cudasim.conftest import cusim_cache

__all__ = ["cusim_cache"]
