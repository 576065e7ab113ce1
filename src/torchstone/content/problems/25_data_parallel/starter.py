"""Run a module on several devices at once, from one process."""

from torch import nn


def scatter(inputs, devices, dim=0) -> list:
    """Split every tensor of a structure; return one structure for each device that gets a part."""
    raise NotImplementedError


def replicate(module, devices) -> list[nn.Module]:
    """Return a replica of the module for each device; gradients of all reach the module."""
    raise NotImplementedError


def parallel_apply(replicas, inputs, kwargs_list=None, devices=None) -> list:
    """Run all replicas at the same time; return the results in the order of the inputs."""
    raise NotImplementedError


def gather(outputs, device, dim=0):
    """Bring the results to one device and join them along a dimension."""
    raise NotImplementedError


class DataParallel(nn.Module):
    """Scatter the batch, replicate the module, apply the replicas, gather the results."""

    def __init__(self, module, devices, *, output_device=None, dim=0):
        super().__init__()
        raise NotImplementedError

    def forward(self, *inputs, **kwargs):
        raise NotImplementedError
