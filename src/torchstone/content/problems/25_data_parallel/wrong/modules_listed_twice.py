# verdict: WA property
# group: tied
# en: A module that is listed twice is one module in the replica, too.
# zh: 注册了两次的模块，在副本里仍是同一个模块。
import threading

import torch
from torch import nn


def scatter(inputs, devices, dim=0):
    """Split every tensor of a structure; return one structure for each device that gets a part."""
    parts = split(inputs, devices, dim)
    return [inputs] if parts is None else parts


def split(item, devices, dim):
    """Return a structure for each part, or None if there is no tensor."""
    if isinstance(item, torch.Tensor):
        # chunk gives empty tensors to all devices when there is nothing to split.
        shards = item.chunk(len(devices), dim) if item.shape[dim] else (item,)
        return [device.put(shard) for device, shard in zip(devices, shards, strict=False)]
    if isinstance(item, dict):
        columns = [split(value, devices, dim) for value in item.values()]
    elif isinstance(item, (tuple, list)):
        columns = [split(value, devices, dim) for value in item]
    else:
        return None
    count = max((len(column) for column in columns if column is not None), default=None)
    if count is None:
        return None
    originals = item.values() if isinstance(item, dict) else item
    full = [
        [original] * count if column is None else column
        for original, column in zip(originals, columns, strict=False)
    ]
    return [rebuild(item, values) for values in zip(*full, strict=False)]


def rebuild(like, values):
    """Put values into a container of the same type."""
    if isinstance(like, dict):
        return type(like)(zip(like, values, strict=False))
    return type(like)(*values) if hasattr(like, "_fields") else type(like)(values)


def replicate(module, devices):
    """Return a shell of the module for each device, with copies of its parameters."""
    replicas = []
    for number, device in enumerate(devices):
        copies = {p: device.put(p) for p in module.parameters()}
        if number == 0:
            copies |= {b: b for b in module.buffers()}
        else:
            copies |= {b: device.put(b) for b in module.buffers()}
        replicas.append(shell_of(module, copies))
    return replicas


def shell_of(part, copies):
    """Return a shell of a module and of all below it."""
    shell = part.__new__(type(part))
    shell.__dict__ = part.__dict__.copy()
    for table in ("_parameters", "_buffers"):
        items = getattr(part, table).items()
        shell.__dict__[table] = {n: None if item is None else copies[item] for n, item in items}
    shell.__dict__["_modules"] = {
        name: None if child is None else shell_of(child, copies)
        for name, child in part._modules.items()
    }
    return shell


def parallel_apply(replicas, inputs, kwargs_list=None, devices=None):
    """Run all replicas at once; raise the exception of the first that failed."""
    kwargs_list = kwargs_list or [{}] * len(replicas)
    results, errors = [None] * len(replicas), {}
    grad_enabled = torch.is_grad_enabled()

    def work(number):
        try:
            with torch.set_grad_enabled(grad_enabled):
                if devices is None:
                    results[number] = replicas[number](*inputs[number], **kwargs_list[number])
                else:
                    with devices[number].scope():
                        results[number] = replicas[number](*inputs[number], **kwargs_list[number])
        except Exception as error:  # noqa: BLE001
            errors[number] = error

    threads = [threading.Thread(target=work, args=(number,)) for number in range(len(replicas))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[min(errors)]
    return results


def gather(outputs, device, dim=0):
    """Bring results to one device and join them along a dimension."""
    first = outputs[0]
    if first is None:
        return None
    if isinstance(first, torch.Tensor):
        moved = [device.put(output) for output in outputs]
        return torch.stack(moved) if first.dim() == 0 else torch.cat(moved, dim)
    if isinstance(first, dict):
        if any(output.keys() != first.keys() for output in outputs):
            raise ValueError("the replicas returned dicts with different keys")
        values = [gather([output[key] for output in outputs], device, dim) for key in first]
    else:
        values = [gather(list(column), device, dim) for column in zip(*outputs, strict=False)]
    return rebuild(first, values)


class DataParallel(nn.Module):
    """Split a batch over devices, run a replica on each, and join the results."""

    def __init__(self, module, devices, *, output_device=None, dim=0):
        super().__init__()
        if not devices:
            raise ValueError("DataParallel: devices is empty; give at least one")
        self.module, self.devices, self.dim = module, list(devices), dim
        self.output_device = self.devices[0] if output_device is None else output_device

    def forward(self, *inputs, **kwargs):
        if len(self.devices) == 1:
            return self.module(*inputs, **kwargs)
        parts = scatter((inputs, kwargs), self.devices, self.dim)
        used = self.devices[: len(parts)]
        replicas = replicate(self.module, used)
        inputs, kwargs = zip(*parts, strict=False)
        outputs = parallel_apply(replicas, inputs, kwargs, used)
        return gather(outputs, self.output_device, self.dim)
