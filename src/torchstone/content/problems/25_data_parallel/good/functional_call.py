"""Shells keep the module's own parameters; functional_call puts the copies in their place."""

import copy
import threading

import torch
from torch import nn
from torch.func import functional_call
from torch.utils import _pytree as pytree


def scatter(inputs, devices, dim=0):
    leaves, spec = pytree.tree_flatten(inputs)
    counts = {
        len(torch.chunk(leaf, len(devices), dim)) if leaf.size(dim) else 1
        for leaf in leaves
        if isinstance(leaf, torch.Tensor)
    }
    if not counts:
        return [inputs]
    count = max(counts)
    shards = [[] for _ in range(count)]
    for leaf in leaves:
        parts = [leaf] * count
        if isinstance(leaf, torch.Tensor):
            parts = torch.chunk(leaf, len(devices), dim)[:count]
            parts = [device.put(part) for device, part in zip(devices, parts, strict=False)]
        for shard, part in zip(shards, parts, strict=False):
            shard.append(part)
    return [pytree.tree_unflatten(shard, spec) for shard in shards]


class Shell(nn.Module):
    """Run a shallow copy of a module with other tensors."""

    def __init__(self, module, tensors):
        super().__init__()
        object.__setattr__(self, "inner", module)
        object.__setattr__(self, "tensors", tensors)

    def forward(self, *args, **kwargs):
        return functional_call(self.inner, self.tensors, args, kwargs)


def shallow(module, memo):
    if module in memo:
        return memo[module]
    other = memo[module] = module.__new__(type(module))
    vars(other).update(vars(module))
    for table in ("_parameters", "_buffers"):
        vars(other)[table] = copy.copy(vars(module)[table])
    vars(other)["_modules"] = {
        name: None if child is None else shallow(child, memo)
        for name, child in module._modules.items()
    }
    return other


def replicate(module, devices):
    replicas = []
    for device in devices:
        tensors = {name: device.put(p) for name, p in module.named_parameters()}
        if replicas:
            tensors |= {name: device.put(b) for name, b in module.named_buffers()}
        replicas.append(Shell(shallow(module, {}), tensors))
    return replicas


def parallel_apply(replicas, inputs, kwargs_list=None, devices=None):
    enabled, lock = torch.is_grad_enabled(), threading.Lock()
    outcomes = {}

    def run(number):
        kwargs = kwargs_list[number] if kwargs_list is not None else {}
        try:
            with torch.set_grad_enabled(enabled):
                if devices is None:
                    value = replicas[number](*inputs[number], **kwargs)
                else:
                    with devices[number].scope():
                        value = replicas[number](*inputs[number], **kwargs)
            outcome = (value, None)
        except BaseException as error:  # noqa: BLE001
            outcome = (None, error)
        with lock:
            outcomes[number] = outcome

    threads = [threading.Thread(target=run, args=(n,), daemon=True) for n in range(len(replicas))]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    for number in range(len(replicas)):
        error = outcomes[number][1]
        if error is not None:
            raise error
    return [outcomes[number][0] for number in range(len(replicas))]


def gather(outputs, device, dim=0):
    flattened = [pytree.tree_flatten(output) for output in outputs]
    specs = [spec for _, spec in flattened]
    if any(isinstance(output, dict) and set(output) != set(outputs[0]) for output in outputs):
        raise ValueError("the replicas return different keys")
    joined = []
    for column in zip(*(leaves for leaves, _ in flattened), strict=False):
        if column[0] is None:
            joined.append(None)
        elif column[0].dim() == 0:
            joined.append(torch.stack([device.put(leaf) for leaf in column]))
        else:
            joined.append(torch.cat([device.put(leaf) for leaf in column], dim=dim))
    return pytree.tree_unflatten(joined, specs[0])


class DataParallel(nn.Module):
    def __init__(self, module, devices, *, output_device=None, dim=0):
        super().__init__()
        if not devices:
            raise ValueError("DataParallel needs a device")
        self.module = module
        self.devices, self.dim = devices, dim
        self.output_device = devices[0] if output_device is None else output_device

    def forward(self, *inputs, **kwargs):
        if len(self.devices) == 1:
            return self.module(*inputs, **kwargs)
        shards = scatter([inputs, kwargs], self.devices, self.dim)
        devices = self.devices[: len(shards)]
        replicas = replicate(self.module, devices)
        results = parallel_apply(
            replicas, [args for args, _ in shards], [named for _, named in shards], devices
        )
        return gather(results, self.output_device, self.dim)
