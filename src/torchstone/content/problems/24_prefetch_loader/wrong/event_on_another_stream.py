# verdict: WA property
# group: switch
# en: When the next batch is asked for, the consumer may compute on another stream already; its
#     event says nothing about the last batch.
# zh: 取下一批时消费者可能已经换了流；在新流上记录的事件说明不了上一批是否算完。
from collections import deque

import torch


def moved(tree, move):
    if torch.is_tensor(tree):
        return move(tree)
    if isinstance(tree, dict):
        return {key: moved(item, move) for key, item in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_make"):
        return tree._make(moved(item, move) for item in tree)
    if isinstance(tree, (tuple, list)):
        return type(tree)([moved(item, move) for item in tree])
    return tree


class PrefetchLoader:
    """Without record_stream: a batch is held until an event of its stream has passed."""

    def __init__(self, loader, device, *, depth=1, pin=True):
        if depth < 1:
            raise ValueError("depth >= 1")
        self.loader, self.device, self.depth, self.pin = loader, device, depth, pin

    def __len__(self):
        return len(self.loader)

    def __iter__(self):
        device, stream = self.device, self.device.stream()
        source, queued, held = iter(self.loader), deque(), deque()
        failure = None

        def move(tensor):
            return device.copy_async(device.pin(tensor) if self.pin else tensor, stream)

        while True:
            while source is not None and len(queued) < self.depth + 1:
                try:
                    queued.append(moved(next(source), move))
                except StopIteration:
                    source = None
                except Exception as error:  # noqa: BLE001
                    source, failure = None, error
                else:
                    queued.append((queued.pop(), stream.record_event()))
            if not queued:
                break
            batch, copied = queued.popleft()
            compute = device.current_stream()
            compute.wait_event(copied)
            yield batch
            # The consumer has queued its work on the stream that it had then.
            held.append((batch, device.current_stream().record_event()))
            while held and held[0][1].query():
                held.popleft()
        if failure is not None:
            raise failure
