import itertools

from torch import Tensor
from torch.utils import _pytree as pytree


class Pending:
    """A tensor on its way, with the event after its copy."""

    def __init__(self, tensor, device, stream, pin):
        self.value = device.copy_async(device.pin(tensor) if pin else tensor, stream)
        self.event = stream.record_event()


class PrefetchLoader:
    def __init__(self, loader, device, *, depth=1, pin=True):
        if depth < 1:
            raise ValueError(f"depth={depth}")
        self.loader = loader
        self.device = device
        self.depth = depth
        self.pin = pin

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        stream = self.device.stream()
        failures = []

        def send(leaf):
            return (
                Pending(leaf, self.device, stream, self.pin) if isinstance(leaf, Tensor) else leaf
            )

        def sent():
            try:
                for batch in self.loader:
                    yield pytree.tree_map(send, batch)
            except Exception as error:  # noqa: BLE001
                failures.append(error)

        ahead = sent()
        window = list(itertools.islice(ahead, self.depth))
        while window:
            window.extend(itertools.islice(ahead, 1))
            yield pytree.tree_map(self._arrived, window.pop(0))
        for error in failures:
            raise error

    def _arrived(self, leaf):
        if not isinstance(leaf, Pending):
            return leaf
        stream = self.device.current_stream()
        stream.wait_event(leaf.event)
        self.device.record_stream(leaf.value, stream)
        return leaf.value
