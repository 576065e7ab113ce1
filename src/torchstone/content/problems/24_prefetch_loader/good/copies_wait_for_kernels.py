import collections
import functools

import torch


class PrefetchLoader:
    """Memory is safe because the copy stream waits for the kernels of the batch before."""

    def __init__(self, loader, device, *, depth=1, pin=True):
        if depth < 1:
            raise ValueError("depth counts the batches in flight")
        self.loader, self.device, self.depth, self.pin = loader, device, depth, pin

    def __iter__(self):
        return self._batches(self.device.stream(), collections.deque())

    def __len__(self):
        return len(self.loader)

    def _batches(self, stream, flying):
        fetch = functools.partial(self._fetch, stream=stream)
        batches, error = iter(self.loader), None
        compute = None
        more = True
        while more or flying:
            if compute is not None:
                # What was queued on the batch that is dropped now runs before later copies.
                stream.wait_event(compute.record_event())
            while more and len(flying) <= self.depth:
                try:
                    batch = next(batches)
                except StopIteration:
                    more = False
                except Exception as caught:  # noqa: BLE001
                    more, error = False, caught
                else:
                    flying.append(fetch(batch))
            if flying:
                tree, event = flying.popleft()
                compute = self.device.current_stream()
                compute.wait_event(event)
                yield tree
                del tree
        if error is not None:
            raise error

    def _fetch(self, batch, stream):
        tree = self._tree(batch, stream)
        return tree, stream.record_event()

    def _tree(self, item, stream):
        again = functools.partial(self._tree, stream=stream)
        if isinstance(item, torch.Tensor):
            return self.device.copy_async(self.device.pin(item) if self.pin else item, stream)
        if isinstance(item, dict):
            return {key: again(value) for key, value in item.items()}
        if isinstance(item, (list, tuple)):
            made = map(again, item)
            return type(item)(*made) if hasattr(item, "_fields") else type(item)(made)
        return item
