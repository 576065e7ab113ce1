from collections.abc import Callable, Iterator


class MiniDataLoader:
    """Load batches in worker processes, in the order of the sampler."""

    def __init__(
        self,
        dataset,
        batch_size: int = 1,
        *,
        shuffle: bool = False,
        num_workers: int = 0,
        collate_fn: Callable | None = None,
        drop_last: bool = False,
        prefetch_factor: int = 2,
        seed: int = 0,
        timeout: float = 0.0,
        worker_init_fn: Callable | None = None,
    ):
        raise NotImplementedError

    def set_epoch(self, epoch: int) -> None:
        """Choose the order and the random numbers of later passes."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return the number of batches."""
        raise NotImplementedError

    def __iter__(self) -> Iterator:
        """Begin a new pass."""
        raise NotImplementedError
