"""Seeding of the default generator: manual_seed, get_rng_state, set_rng_state, fork_rng."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from torchstone.microtorch.generator import Generator, default_generator
from torchstone.microtorch.ops.namespace import op
from torchstone.microtorch.tensor import Tensor


@op(method=False)
def manual_seed(seed: int) -> Generator:
    """Seed the default generator."""
    return default_generator.manual_seed(int(seed))


@op(method=False)
def seed() -> int:
    """Seed the default generator from the system; return the seed."""
    return default_generator.seed()


@op(method=False)
def initial_seed() -> int:
    """Return the seed of the default generator."""
    return default_generator.initial_seed()


@op(method=False)
def get_rng_state() -> Tensor:
    """Return the state of the default generator."""
    return default_generator.get_state()


@op(method=False)
def set_rng_state(new_state: Tensor) -> None:
    """Set the state of the default generator."""
    default_generator.set_state(new_state)


@contextmanager
def fork_rng(devices: Any = (), enabled: bool = True) -> Iterator[None]:
    """Restore the state of the default generator after a block. A context manager."""
    state = get_rng_state()
    try:
        yield
    finally:
        if enabled:
            set_rng_state(state)
