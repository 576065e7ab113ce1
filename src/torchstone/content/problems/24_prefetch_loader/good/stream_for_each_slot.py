import torch


class Slot:
    """A place for one batch in flight, with a stream of its own."""

    def __init__(self, device, pin):
        self.device, self.pin = device, pin
        self.stream, self.tree, self.event = device.stream(), None, None

    def load(self, batch):
        self.tree = self._moved(batch)
        self.event = self.stream.record_event()

    def take(self):
        compute = self.device.current_stream()
        compute.wait_event(self.event)
        tree, self.tree = self.tree, None
        for tensor in tensors(tree):
            self.device.record_stream(tensor, compute)
        return tree

    def _moved(self, tree):
        match tree:
            case torch.Tensor():
                return self.device.copy_async(
                    self.device.pin(tree) if self.pin else tree, self.stream
                )
            case dict():
                return dict(zip(tree, map(self._moved, tree.values()), strict=True))
            case tuple() if type(tree) is not tuple:
                return type(tree)._make(map(self._moved, tree))
            case list() | tuple():
                return type(tree)(map(self._moved, tree))
        return tree


def tensors(tree):
    if isinstance(tree, torch.Tensor):
        yield tree
    elif isinstance(tree, (dict, list, tuple)):
        for item in tree.values() if isinstance(tree, dict) else tree:
            yield from tensors(item)


class Preloader:
    """One pass: slots in a ring, each of them loaded again as soon as it is empty."""

    def __init__(self, loader, device, depth, pin):
        self.batches, self.error = iter(loader), None
        self.ring = [Slot(device, pin) for _ in range(depth + 1)]
        self.full = []
        for slot in self.ring:
            self._preload(slot)

    def _preload(self, slot):
        if self.batches is None:
            return
        try:
            batch = next(self.batches)
        except StopIteration:
            self.batches = None
        except Exception as error:  # noqa: BLE001
            self.batches, self.error = None, error
        else:
            slot.load(batch)
            self.full.append(slot)

    def __iter__(self):
        return self

    def __next__(self):
        if not self.full:
            error, self.error = self.error, None
            raise error or StopIteration
        slot = self.full.pop(0)
        tree = slot.take()
        self._preload(slot)
        return tree


class PrefetchLoader:
    def __init__(self, loader, device, *, depth=1, pin=True):
        if not depth >= 1:
            raise ValueError(depth)
        self.arguments = loader, device, depth, pin

    def __iter__(self):
        return Preloader(*self.arguments)

    def __len__(self):
        return len(self.arguments[0])
