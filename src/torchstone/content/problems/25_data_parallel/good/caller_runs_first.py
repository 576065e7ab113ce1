"""The caller runs replica 0, the others report through a queue; device 0 needs no copies."""

import queue
import threading
from contextlib import ExitStack

import torch
from torch import nn


def is_namedtuple(item):
    return isinstance(item, tuple) and hasattr(item, "_fields")


def sizes(item, dim):
    if isinstance(item, torch.Tensor):
        yield item.shape[dim]
    elif isinstance(item, dict):
        for value in item.values():
            yield from sizes(value, dim)
    elif isinstance(item, (list, tuple)):
        for value in item:
            yield from sizes(value, dim)


def cut(item, begin, step, device, dim):
    """Return the part of a structure from one index on."""
    if isinstance(item, torch.Tensor):
        length = min(step, item.shape[dim] - begin)
        return device.put(item.narrow(dim, begin, length))
    if isinstance(item, dict):
        return type(item)((k, cut(v, begin, step, device, dim)) for k, v in item.items())
    if is_namedtuple(item):
        return item._make(cut(v, begin, step, device, dim) for v in item)
    if isinstance(item, (list, tuple)):
        return type(item)(cut(v, begin, step, device, dim) for v in item)
    return item


def scatter(inputs, devices, dim=0):
    found = list(sizes(inputs, dim))
    if not found:
        return [inputs]
    size = found[0]
    step = max(1, (size + len(devices) - 1) // len(devices))
    begins = range(0, size, step) if size else [0]
    return [
        cut(inputs, begin, step, device, dim)
        for begin, device in zip(begins, devices, strict=False)
    ]


def replicate(module, devices):
    """Copy the tree of modules once for each device but the first, which has the module itself."""
    return [module, *(clone(module, device, {}) for device in devices[1:])]


def clone(item, device, memo):
    if item is None:
        return None
    if id(item) not in memo:
        if isinstance(item, torch.Tensor):
            memo[id(item)] = device.put(item)
        else:
            memo[id(item)] = other = object.__new__(type(item))
            other.__dict__.update(item.__dict__)
            for table in ("_parameters", "_buffers", "_modules"):
                items = item.__dict__[table].items()
                other.__dict__[table] = {k: clone(v, device, memo) for k, v in items}
    return memo[id(item)]


def parallel_apply(replicas, inputs, kwargs_list=None, devices=None):
    done = queue.SimpleQueue()
    grad = torch.is_grad_enabled()

    def run(number):
        try:
            with ExitStack() as stack:
                stack.enter_context(torch.set_grad_enabled(grad))
                if devices is not None:
                    stack.enter_context(devices[number].scope())
                kwargs = {} if kwargs_list is None else kwargs_list[number]
                done.put((number, replicas[number](*inputs[number], **kwargs), None))
        except Exception as error:  # noqa: BLE001
            done.put((number, None, error))

    others = [threading.Thread(target=run, args=(number,)) for number in range(1, len(replicas))]
    for thread in others:
        thread.start()
    run(0)
    for thread in others:
        thread.join()
    outcomes = sorted((done.get() for _ in replicas), key=lambda outcome: outcome[0])
    for number, _, error in outcomes:
        if error is not None:
            # The text is extended, the type stays.
            raise type(error)(f"in replica {number}: {error}") from error
    return [value for _, value, _ in outcomes]


def gather(outputs, device, dim=0):
    head = outputs[0]
    if head is None:
        return None
    if isinstance(head, torch.Tensor):
        moved = [device.put(output) for output in outputs]
        return (
            torch.cat([m.unsqueeze(0) for m in moved]) if not head.dim() else torch.cat(moved, dim)
        )
    if isinstance(head, dict):
        for output in outputs[1:]:
            if set(output) != set(head):
                raise ValueError(f"dicts with keys {list(head)} and {list(output)}")
        return type(head)((k, gather([o[k] for o in outputs], device, dim)) for k in head)
    columns = (gather(list(column), device, dim) for column in zip(*outputs, strict=False))
    return head._make(columns) if is_namedtuple(head) else type(head)(columns)


class DataParallel(nn.Module):
    def __init__(self, module, devices, *, output_device=None, dim=0):
        if not devices:
            raise ValueError("an empty list of devices")
        super().__init__()
        self.module = module
        self._devices = tuple(devices)
        self._output = devices[0] if output_device is None else output_device
        self._dim = dim

    def forward(self, *args, **kwargs):
        parts = scatter((args, kwargs), self._devices, self._dim)
        if len(parts) == 1 and len(self._devices) == 1:
            return self.module(*parts[0][0], **parts[0][1])
        used = self._devices[: len(parts)]
        outputs = parallel_apply(
            replicate(self.module, used), [a for a, _ in parts], [k for _, k in parts], used
        )
        return gather(outputs, self._output, self._dim)
