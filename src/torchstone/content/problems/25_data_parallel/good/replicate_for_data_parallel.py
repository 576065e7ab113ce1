"""torch's own shells, an executor that ends with the call, results by type from one walk."""

import contextlib
from concurrent.futures import ThreadPoolExecutor

import torch
from torch import nn


def scatter(inputs, devices, dim=0):
    def walk(item):
        if isinstance(item, torch.Tensor):
            if item.size(dim) == 0:
                return [devices[0].put(item)]
            return [
                d.put(part)
                for d, part in zip(devices, torch.chunk(item, len(devices), dim), strict=False)
            ]
        if isinstance(item, tuple) and hasattr(item, "_fields"):
            return [type(item)(*values) for values in zip(*map(walk, item), strict=False)]
        if isinstance(item, (tuple, list)) and item:
            return [type(item)(values) for values in zip(*map(walk, item), strict=False)]
        if isinstance(item, dict) and item:
            return [type(item)(values) for values in zip(*map(walk, item.items()), strict=False)]
        return [item] * len(devices)

    def has_tensor(item):
        if isinstance(item, torch.Tensor):
            return True
        if isinstance(item, dict):
            item = list(item.values())
        return isinstance(item, (tuple, list)) and any(map(has_tensor, item))

    return walk(inputs) if has_tensor(inputs) else [inputs]


def replicate(module, devices):
    params = {p: [d.put(p) for d in devices] for p in module.parameters()}
    others = devices[1:]
    buffers = {b: [b, *(d.put(b) for d in others)] for b in module.buffers()}
    modules = list(module.modules())
    shells = {m: [m._replicate_for_data_parallel() for _ in devices] for m in modules}
    for number in range(len(devices)):
        for m in modules:
            shell = shells[m][number]
            for name, child in m._modules.items():
                shell._modules[name] = None if child is None else shells[child][number]
            for name, p in m._parameters.items():
                if p is None:
                    shell._parameters[name] = None
                else:
                    # A plain attribute: what is put there is no leaf.
                    setattr(shell, name, params[p][number])
            for name, b in m._buffers.items():
                shell._buffers[name] = None if b is None else buffers[b][number]
    return shells[module]


def parallel_apply(replicas, inputs, kwargs_list=None, devices=None):
    mode = torch.is_grad_enabled()
    kwargs_list = [{} for _ in replicas] if kwargs_list is None else kwargs_list
    scopes = [contextlib.nullcontext() for _ in replicas]
    if devices is not None:
        scopes = [device.scope() for _, device in zip(replicas, devices, strict=False)]

    def job(replica, args, kwargs, scope):
        with scope, torch.set_grad_enabled(mode):
            return replica(*args, **kwargs)

    with ThreadPoolExecutor(len(replicas)) as pool:
        futures = [
            pool.submit(job, *each)
            for each in zip(replicas, inputs, kwargs_list, scopes, strict=False)
        ]
    # The pool has ended; the first result that is asked for raises first.
    return [future.result() for future in futures]


def gather(outputs, device, dim=0):
    sample = outputs[0]
    if isinstance(sample, torch.Tensor):
        parts = [device.put(o.reshape(1) if o.ndim == 0 else o) for o in outputs]
        return torch.cat(parts, 0 if sample.ndim == 0 else dim)
    if isinstance(sample, dict):
        if len({frozenset(o) for o in outputs}) != 1:
            raise ValueError("gather: the dicts have different keys")
        return type(sample)((k, gather([o[k] for o in outputs], device, dim)) for k in sample)
    if isinstance(sample, (tuple, list)):
        columns = [gather(list(column), device, dim) for column in zip(*outputs, strict=False)]
        return sample._make(columns) if hasattr(sample, "_make") else type(sample)(columns)
    return sample


class DataParallel(nn.Module):
    def __init__(self, module, devices, *, output_device=None, dim=0):
        super().__init__()
        if len(devices) == 0:
            raise ValueError("no devices")
        self.module = module
        self.devices = devices
        self.out = output_device or devices[0]
        self.dim = dim

    def forward(self, *inputs, **kwargs):
        shards = scatter((inputs, kwargs), self.devices, self.dim)
        args, named = [list(column) for column in zip(*shards, strict=False)]
        devices = self.devices[: len(shards)]
        if len(self.devices) == 1:
            with devices[0].scope():
                return self.module(*args[0], **named[0])
        outputs = parallel_apply(replicate(self.module, devices), args, named, devices)
        return gather(outputs, self.out, self.dim)
