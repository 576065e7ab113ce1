"""Batch fetchers of map-style and iterable data sets."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

from torchstone.microtorch.utils.data.dataset import several


class Fetch:
    """Fetcher of samples by index."""

    def __init__(self, dataset: Any, collate: Callable[[Any], Any], is_batched: bool) -> None:
        self.dataset, self.collate, self.is_batched = dataset, collate, is_batched

    def __call__(self, numbers: Any) -> Any:
        """Fetch the samples and collate them."""
        if not self.is_batched:
            return self.collate(self.dataset[numbers])
        return self.collate(several(self.dataset, numbers))

    def reset(self) -> None:
        """Do nothing: a map-style data set has no position."""


class Stream:
    """Fetcher of the next samples of an iterable data set."""

    def __init__(self, dataset: Any, collate: Callable[[Any], Any], drop_last: bool) -> None:
        self.dataset, self.collate, self.drop_last = dataset, collate, drop_last
        self._rest: Iterator[Any] | None = None

    def reset(self) -> None:
        """Start a new epoch."""
        self._rest = None

    def __call__(self, size: int | None) -> Any:
        """Fetch a batch; raise StopIteration if there are no more samples."""
        # Started in the process that reads it, because the data set may call get_worker_info.
        rest = self._rest = iter(self.dataset) if self._rest is None else self._rest
        if size is None:
            return self.collate(next(rest))
        samples = list(itertools.islice(rest, size))
        if not samples or (self.drop_last and len(samples) < size):
            raise StopIteration
        return self.collate(samples)
