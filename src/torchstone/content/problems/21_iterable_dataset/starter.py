from collections.abc import Callable, Iterable, Iterator

from torch.utils.data import IterableDataset


class StreamDataset(IterableDataset):
    """A stream that shards itself over ranks and workers, and shuffles through a buffer."""

    def __init__(
        self,
        source: Callable[[], Iterable],
        *,
        shuffle_buffer: int = 0,
        seed: int = 0,
        rank: int = 0,
        world_size: int = 1,
    ):
        raise NotImplementedError

    def set_epoch(self, epoch: int) -> None:
        """Choose the order of the passes that begin from now on."""
        raise NotImplementedError

    def __iter__(self) -> Iterator:
        """Begin a new pass over the own shard."""
        raise NotImplementedError
