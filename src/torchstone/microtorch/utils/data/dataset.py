"""Data sets: Dataset, IterableDataset, TensorDataset, ConcatDataset, Subset, random_split."""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import Any, Generic, TypeVar

from torchstone.microtorch.generator import Generator
from torchstone.microtorch.ops.random import randperm
from torchstone.microtorch.tensor import Tensor

T = TypeVar("T")


class Dataset(Generic[T]):
    """Map-style data set: ``dataset[3]`` and ``len(dataset)``."""

    def __getitem__(self, index: Any) -> T:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[T]) -> Dataset[T]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T], ABC):
    """Iterable data set: ``iter(dataset)``."""

    @abstractmethod
    def __iter__(self) -> Iterator[T]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset[T]) -> Dataset[T]:
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple[Tensor, ...]]):
    """Data set of tensors with equal length; a sample is one row of each."""

    def __init__(self, *tensors: Tensor) -> None:
        if any(len(each) != len(tensors[0]) for each in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(each[index] for each in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class ConcatDataset(Dataset[T]):
    """Concatenation of several data sets."""

    def __init__(self, datasets: Iterable[Dataset[T]]) -> None:
        self.datasets: list[Any] = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(each, IterableDataset) for each in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = list(accumulate(len(each) for each in self.datasets))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index: int) -> T:
        if index < 0:
            if -index > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            index += len(self)
        number = bisect_right(self.cumulative_sizes, index)
        return self.datasets[number][index - ([0, *self.cumulative_sizes])[number]]


class ChainDataset(IterableDataset[T]):
    """Concatenation of several iterable data sets."""

    def __init__(self, datasets: Iterable[Dataset[T]]) -> None:
        self.datasets: list[Any] = list(datasets)

    def __iter__(self) -> Iterator[T]:
        for each in self.datasets:
            yield from _iterable(each)

    def __len__(self) -> int:
        return sum(len(_iterable(each)) for each in self.datasets)


def _iterable(dataset: Any) -> Any:
    if not isinstance(dataset, IterableDataset):
        raise AssertionError("ChainDataset only supports IterableDataset")
    return dataset


def several(dataset: Any, indices: list[Any]) -> list[Any]:
    """Return several samples, using ``__getitems__`` if the data set has it."""
    fetch = getattr(dataset, "__getitems__", None)
    if fetch is None:
        return [dataset[index] for index in indices]
    found: list[Any] = fetch(indices)
    return found


class StackDataset(Dataset[Any]):
    """Several data sets in parallel: a sample is a tuple, or a dictionary, of their samples."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                "input/output, but both types are given."
            )
        self.datasets: Any = args or kwargs
        if not self.datasets:
            raise ValueError("At least one dataset should be passed")
        lengths = {len(each) for each in (args or kwargs.values())}
        if len(lengths) > 1:
            raise ValueError("Size mismatch between datasets")
        self._length = lengths.pop()

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: each[index] for name, each in self.datasets.items()}
        return tuple(each[index] for each in self.datasets)

    def __getitems__(self, indices: list[Any]) -> list[Any]:
        is_named = isinstance(self.datasets, dict)
        columns = []
        for each in self.datasets.values() if is_named else self.datasets:
            columns.append(several(each, indices))
            if len(columns[-1]) != len(indices):
                raise ValueError(
                    f"Nested dataset's output size mismatch. Expected {len(indices)}, got "
                    f"{len(columns[-1])}"
                )
        rows = zip(*columns, strict=True)
        return [dict(zip(self.datasets, row, strict=True)) if is_named else row for row in rows]

    def __len__(self) -> int:
        return self._length


class Subset(Dataset[T]):
    """Subset of a data set, by indices."""

    def __init__(self, dataset: Dataset[T], indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index: Any) -> T:
        if isinstance(index, list):
            return self.dataset[[self.indices[each] for each in index]]
        return self.dataset[self.indices[index]]

    def __getitems__(self, indices: list[int]) -> list[T]:
        return several(self.dataset, [self.indices[index] for index in indices])

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[float], generator: Generator | None = None
) -> list[Subset[Any]]:
    """Split a data set randomly into parts of given lengths or fractions."""
    total = len(dataset)
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        for number, share in enumerate(lengths):
            if not 0 <= share <= 1:
                raise ValueError(f"Fraction at index {number} is not between 0 and 1")
        counts = [math.floor(total * share) for share in lengths]
        for place in range(total - sum(counts)):
            counts[place % len(counts)] += 1
        for number, count in enumerate(counts):
            if count == 0:
                warnings.warn(
                    f"Length of split at index {number} is 0. This might result in an empty "
                    "dataset.",
                    stacklevel=2,
                )
    else:
        counts = [int(each) for each in lengths]
    if sum(counts) != total:
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    order = randperm(total, generator=generator).tolist()
    ends = accumulate(counts, initial=0)
    return [Subset(dataset, order[first:last]) for first, last in pairwise(ends)]
