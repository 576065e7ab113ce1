# verdict: WA property
# group: hazard
# en: A batch that is kept for one step longer is overwritten one step later: no event says that
#     the kernels have ended.
# zh: 多留一步只是晚一步被覆盖：没有任何事件说明核函数已经结束。
from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from torch import Tensor


class PrefetchLoader:
    """Copy the next batches on a stream of their own while the consumer computes."""

    def __init__(self, loader: Iterable, device: Any, *, depth: int = 1, pin: bool = True):
        if depth < 1:
            raise ValueError(f"depth must be at least 1; got {depth}")
        self.loader, self.device, self.depth, self.pin = loader, device, depth, pin

    def __len__(self) -> int:
        return len(self.loader)

    def __iter__(self) -> Iterator:
        return prefetched(iter(self.loader), self.device, self.depth, self.pin)


def prefetched(batches: Iterator, device: Any, depth: int, pin: bool) -> Iterator:
    stream = device.stream()
    ready, error, is_over = deque(), None, False

    def to_device(tensor: Tensor) -> Tensor:
        return device.copy_async(device.pin(tensor) if pin else tensor, stream)

    while True:
        # Batch k itself and the depth batches after it.
        while len(ready) <= depth and not is_over:
            try:
                batch = next(batches)
            except StopIteration:
                is_over = True
            except Exception as raised:  # noqa: BLE001
                # The batches before it come first.
                error, is_over = raised, True
            else:
                # The event covers what the stream holds now: all copies of this batch.
                ready.append((map_tensors(to_device, batch), stream.record_event()))
        if not ready:
            break
        kept = handed_over(*ready.popleft(), device)
        yield kept
    if error is not None:
        raise error


def handed_over(batch: Any, copied: Any, device: Any) -> Any:
    """Tie a batch to the stream on which the consumer computes now."""
    compute = device.current_stream()
    compute.wait_event(copied)
    return batch


def map_tensors(function: Callable[[Tensor], Any], tree: Any) -> Any:
    if isinstance(tree, Tensor):
        return function(tree)
    if isinstance(tree, dict):
        return {key: map_tensors(function, item) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(map_tensors(function, item) for item in tree))
    if isinstance(tree, (list, tuple)):
        return type(tree)(map_tensors(function, item) for item in tree)
    return tree
