"""All parameters travel to a device as one flat tensor, of which the replica gets views."""

import copy
import threading

import torch
from torch import nn


def scatter(inputs, devices, dim=0):
    """Cut by an iterator of parts: every tensor of the structure in turn."""
    if isinstance(inputs, torch.Tensor):
        pieces = inputs.split(max(1, -(-inputs.shape[dim] // len(devices))), dim)
        return [device.put(piece) for device, piece in zip(devices, pieces, strict=False)]
    if not isinstance(inputs, (dict, list, tuple)):
        return [inputs]
    pairs = list(inputs.items() if isinstance(inputs, dict) else enumerate(inputs))
    parts = [(key, scatter(value, devices, dim), value) for key, value in pairs]
    most = max((len(part) for _, part, _ in parts), default=1)
    rows = [
        {key: part[row] if len(part) > row else value for key, part, value in parts}
        for row in range(most)
    ]
    if isinstance(inputs, dict):
        return [type(inputs)(row) for row in rows]
    if hasattr(inputs, "_make"):
        return [inputs._make(row.values()) for row in rows]
    return [type(inputs)(row.values()) for row in rows]


def copies_of(tensors, device):
    """Copy tensors of one dtype in one go; gradients are cut and joined by autograd."""
    if not tensors:
        return {}
    groups = {}
    for tensor in tensors:
        groups.setdefault((tensor.dtype, tensor.requires_grad), []).append(tensor)
    found = {}
    for group in groups.values():
        flat = device.put(torch.cat([tensor.reshape(-1) for tensor in group]))
        pieces = flat.split([tensor.numel() for tensor in group])
        found |= {t: piece.view(t.shape) for t, piece in zip(group, pieces, strict=False)}
    return found


def replicate(module, devices):
    replicas = []
    for device in devices:
        images = copies_of(list(module.parameters()), device)
        buffers = list(module.buffers())
        images |= copies_of(buffers, device) if replicas else zip(buffers, buffers, strict=False)
        shells = {part: copy.copy(part) for part in module.modules()}
        images |= shells
        for part, shell in shells.items():
            for table in ("_parameters", "_buffers", "_modules"):
                entries = getattr(part, table)
                shell.__dict__[table] = {k: images.get(v, v) for k, v in entries.items()}
        replicas.append(shells[module])
    return replicas


class Worker(threading.Thread):
    """Run one replica and keep what came of it."""

    def __init__(self, replica, args, kwargs, device):
        super().__init__(name=f"replica on {device}")
        self.work = replica, args, kwargs, device
        self.grad_enabled = torch.is_grad_enabled()
        self.value = self.error = None

    def run(self):
        replica, args, kwargs, device = self.work
        torch.set_grad_enabled(self.grad_enabled)
        try:
            if device is None:
                self.value = replica(*args, **kwargs)
                return
            with device.scope():
                self.value = replica(*args, **kwargs)
        except Exception as error:  # noqa: BLE001
            self.error = error


def parallel_apply(replicas, inputs, kwargs_list=None, devices=None):
    count = len(replicas)
    columns = (replicas, inputs, kwargs_list or [{}] * count, devices or [None] * count)
    workers = [Worker(*each) for each in zip(*columns, strict=False)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    for worker in workers:
        if worker.error:
            raise worker.error
    return [worker.value for worker in workers]


def gather(outputs, device, dim=0):
    if all(output is None for output in outputs):
        return None
    first = outputs[0]
    if isinstance(first, torch.Tensor):
        if first.dim() == 0:
            outputs, dim = [output[None] for output in outputs], 0
        return torch.cat([device.put(output) for output in outputs], dim)
    if isinstance(first, dict):
        for output in outputs:
            if output.keys() ^ first.keys():
                raise ValueError("not the same keys")
        return type(first)({k: gather([o[k] for o in outputs], device, dim) for k in first})
    joined = [gather(list(each), device, dim) for each in zip(*outputs, strict=False)]
    return type(first)(*joined) if hasattr(first, "_fields") else type(first)(joined)


class DataParallel(nn.Module):
    def __init__(self, module, devices, *, output_device=None, dim=0):
        super().__init__()
        if not list(devices):
            raise ValueError("DataParallel: no device")
        self.module = module
        self.plan = (list(devices), output_device, dim)

    def forward(self, *inputs, **kwargs):
        devices, output_device, dim = self.plan
        if not devices[1:]:
            return self.module(*inputs, **kwargs)
        parts = scatter((inputs, kwargs), devices, dim)
        devices = devices[: len(parts)]
        replicas = replicate(self.module, devices)
        results = parallel_apply(replicas, *zip(*parts, strict=False), devices)
        return gather(results, output_device or devices[0], dim)
