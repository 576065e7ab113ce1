"""``Bucket``: parameters whose gradients are exchanged together, as views of one flat buffer.

One exchange per parameter pays the latency for each of them, and takes two to three times the step
time of a small Transformer. A single exchange for all parameters cannot begin before the end of the
backward pass.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import torch
from torch import Tensor
from torch.nn import Parameter

MIB = 2**20


def make_buckets(
    parameters: Iterable[Parameter], *, cap_mb: float, first_mb: float = math.inf
) -> list[list[Parameter]]:
    """Divide parameters into buckets, in reverse order, because the last gradients are ready first.

    Buckets contain a single dtype and device. A bucket takes parameters until the next one would
    exceed the cap; a parameter larger than the cap has a bucket to itself.

    Args:
        parameters: The parameters in the order of ``module.parameters()``.
        cap_mb: The maximum size of a bucket, in MiB.
        first_mb: The size at which the first bucket is full, in MiB, so that communication starts
            early. The bucket may be larger: a bias alone transfers in no time, and the weight that
            belongs to it would wait for the layer before.

    Returns:
        Buckets in the order of their first parameters.

    Source:
        Li et al., PyTorch Distributed (2020), section 3.2.3.
    """
    buckets: list[list[Parameter]] = []
    filling: dict[tuple[torch.dtype, torch.device], list[Parameter]] = {}
    num_bytes: dict[tuple[torch.dtype, torch.device], int] = {}
    for parameter in reversed(list(parameters)):
        kind = parameter.dtype, parameter.device
        bucket = filling.get(kind)
        # Keep a running sum, because a bucket may contain thousands of small parameters.
        held = num_bytes.get(kind, 0)
        is_full = held + parameter.nbytes > cap_mb * MIB
        if buckets and bucket is buckets[0]:
            is_full |= held >= first_mb * MIB
        if bucket is None or is_full:
            held = 0
            bucket = filling[kind] = []
            buckets.append(bucket)
        bucket.append(parameter)
        num_bytes[kind] = held + parameter.nbytes
    return buckets


class Bucket:
    """Gradients of some parameters as one flat tensor.

    Attributes:
        parameters: The parameters, of one dtype and device.
        flat: All gradients, concatenated.
        missing: The number of gradients that the backward pass has not written yet.
    """

    def __init__(self, parameters: list[Parameter]) -> None:
        self.parameters = parameters
        self.flat = torch.zeros(
            sum(each.numel() for each in parameters),
            dtype=parameters[0].dtype,
            device=parameters[0].device,
        )
        sizes = [each.numel() for each in parameters]
        self._views = dict(zip(parameters, self.flat.split(sizes), strict=True))
        self.missing = len(parameters)

    def holds(self, parameter: Parameter) -> bool:
        """Return whether the dtype and device of a parameter still match the buffer."""
        return parameter.dtype == self.flat.dtype and parameter.device == self.flat.device

    def require_held(self, parameter: Parameter) -> None:
        """Raise an error if the dtype or device of a parameter no longer matches the buffer."""
        if not self.holds(parameter):
            raise RuntimeError(
                f"DataParallel: a parameter is {parameter.dtype} on {parameter.device}, but "
                f"was {self.flat.dtype} on {self.flat.device} when the module was "
                "wrapped; convert it before."
            )

    def take(self, parameter: Parameter) -> None:
        """Copy the gradient of a parameter to the buffer, unless it is there; zeros for none.

        Raises:
            RuntimeError: The gradient is sparse.
        """
        view = self._views[parameter].view(parameter.shape)
        if parameter.grad is not None and parameter.grad.layout != torch.strided:
            raise RuntimeError(
                f"a gradient has the layout {parameter.grad.layout}, and a bucket holds dense "
                "ones; use Embedding(sparse=False)."
            )
        if parameter.grad is None:
            view.zero_()
        elif not is_same(parameter.grad, view):
            view.copy_(parameter.grad)

    def views(self) -> Iterator[tuple[Parameter, Tensor]]:
        """Yield each parameter with its view of the buffer."""
        for parameter, part in self._views.items():
            yield parameter, part.view(parameter.shape)


def is_same(tensor: Tensor, other: Tensor) -> bool:
    """Return whether two tensors have the same address and strides."""
    return tensor.data_ptr() == other.data_ptr() and tensor.stride() == other.stride()
