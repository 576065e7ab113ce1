from collections.abc import Iterable, Iterator
from typing import Any, Protocol

from torch import Tensor


class Event(Protocol):
    """A place in a stream."""

    def query(self) -> bool:
        """Return whether everything before it has run; the host does not wait."""

    def synchronize(self) -> None:
        """Wait, on the host, until everything before it has run."""


class Stream(Protocol):
    """A queue of operations, which run one after the other."""

    def record_event(self) -> Event:
        """Mark what has been queued so far."""

    def wait_event(self, event: Event) -> None:
        """Let later work of this stream wait; the host does not."""

    def synchronize(self) -> None:
        """Wait, on the host, until everything in it has run."""


class Device(Protocol):
    """An accelerator; the judge simulates one."""

    def stream(self) -> Stream:
        """Make a new stream for copies."""

    def current_stream(self) -> Stream:
        """Return the stream on which the caller computes now."""

    def pin(self, tensor: Tensor) -> Tensor:
        """Return a page-locked copy, made at once."""

    def copy_async(self, tensor: Tensor, stream: Stream) -> Tensor:
        """Queue a copy to the device; the result is valid only after that point of the stream."""

    def record_stream(self, tensor: Tensor, stream: Stream) -> None:
        """Say that the memory of a device tensor is in use on this stream, too."""


class PrefetchLoader:
    """Copy the next batches on a stream of their own while the consumer computes."""

    def __init__(self, loader: Iterable[Any], device: Device, *, depth: int = 1, pin: bool = True):
        raise NotImplementedError

    def __iter__(self) -> Iterator[Any]:
        """Begin a new pass."""
        raise NotImplementedError

    def __len__(self) -> int:
        """Return the number of batches of the loader; TypeError if it has no length."""
        raise NotImplementedError
