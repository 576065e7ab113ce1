"""Batch fetchers of map-style and iterable data sets."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from torchstone.microtorch.utils.data.dataset import several


class Fetch:
    """Makes a batch of the samples that have certain numbers."""

    def __init__(self, dataset: Any, collate: Callable[[Any], Any], is_batched: bool) -> None:
        self.dataset, self.collate, self.is_batched = dataset, collate, is_batched

    def __call__(self, numbers: Any) -> Any:
        """Fetch them."""
        if not self.is_batched:
            return self.collate(self.dataset[numbers])
        return self.collate(several(self.dataset, numbers))

    def reset(self) -> None:
        """Do nothing: a map-style data set has no position."""


class Stream:
    """Makes a batch of the next samples of an iterable data set."""

    def __init__(self, dataset: Any, collate: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset, self.collate, self.drop_last = dataset, collate, drop_last
        self._rest: Iterator[Any] | None = None

    def reset(self) -> None:
        """Start a new epoch."""
        self._rest = None

    def __call__(self, size: int | None) -> Any:
        """Fetch so many; StopIteration when there are no more."""
        # Begun in the process that reads it, which may ask which worker it is.
        rest = self._rest = iter(self.dataset) if self._rest is None else self._rest
        if size is None:
            return self.collate(next(rest))
        samples = list(itertools.islice(rest, size))
        if not samples or (self.drop_last and len(samples) < size):
            raise StopIteration
        return self.collate(samples)
