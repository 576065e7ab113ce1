"""Normalization modules: BatchNorm, InstanceNorm, LayerNorm, RMSNorm, GroupNorm.

Source:
    Ioffe and Szegedy, Batch normalization (2015).
    Ba et al., Layer normalization (2016). Ulyanov et al., Instance normalization (2016).
    Wu and He, Group normalization (2018). Zhang and Sennrich, RMS normalization (2019).
"""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import ones_, unset, zeros_
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.ops.creation import numpy_dtype
from torchstone.microtorch.tensor import Tensor, wrap


class _Affine(Module):
    """Base class with an affine weight and bias, initialized to ones and zeros."""

    def _add_parameters(self, shape: tuple[int, ...], weight: bool, bias: bool, dtype: Any) -> None:
        self.register_parameter("weight", unset(*shape, dtype=dtype) if weight else None)
        self.register_parameter("bias", unset(*shape, dtype=dtype) if weight and bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones and the bias to zeros."""
        if self.weight is not None:
            ones_(self.weight)
        if self.bias is not None:
            zeros_(self.bias)


class _NormBase(_Affine):
    """Base class with a running mean and variance of each channel.

    Attributes:
        momentum: The weight of the latest batch; None weights all batches equally.
        _dims: The supported numbers of input dimensions.
    """

    _dims: ClassVar[tuple[int, ...]]
    _version = 2

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        kind = numpy_dtype(dtype)
        statistics = {
            "running_mean": np.zeros(num_features, kind),
            "running_var": np.ones(num_features, kind),
            "num_batches_tracked": np.zeros((), np.int64),
        }
        for name, values in statistics.items():
            self.register_buffer(name, wrap(values) if track_running_stats else None)
        self._add_parameters((num_features,), affine, bias, dtype)

    def _load_from_state_dict(
        self, state_dict: Any, prefix: str, local_metadata: Any, *rest: Any
    ) -> None:
        # Version 1 did not count the batches.
        key = f"{prefix}num_batches_tracked"
        if local_metadata.get("version", 1) < 2 and self.num_batches_tracked is not None:
            state_dict.setdefault(key, self.num_batches_tracked)
        super()._load_from_state_dict(state_dict, prefix, local_metadata, *rest)

    def reset_running_stats(self) -> None:
        """Reset the running statistics."""
        if self.track_running_stats:
            self.running_mean.zero_()
            self.running_var.fill_(1)
            self.num_batches_tracked.zero_()

    def reset_parameters(self) -> None:
        """Reset the running statistics and the parameters."""
        self.reset_running_stats()
        super().reset_parameters()

    def _check_input_dim(self, input: Tensor) -> None:
        if input.array.ndim not in self._dims:
            wanted = " or ".join(f"{dims}D" for dims in self._dims)
            raise ValueError(f"expected {wanted} input (got {input.array.ndim}D input)")

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


class _BatchNorm(_NormBase):
    def forward(self, input: Tensor) -> Tensor:
        """Normalize by batch statistics in training, by running statistics in evaluation."""
        self._check_input_dim(input)
        factor = 0.0 if self.momentum is None else self.momentum
        if self.training and self.num_batches_tracked is not None:
            self.num_batches_tracked.add_(1)
            if self.momentum is None:
                factor = 1.0 / float(self.num_batches_tracked)
        mean, variance = self.running_mean, self.running_var
        by_batch = self.training or (mean is None and variance is None)
        if self.training and not self.track_running_stats:
            mean = variance = None
        return F.batch_norm(
            input, mean, variance, self.weight, self.bias, by_batch, factor, self.eps
        )


class BatchNorm1d(_BatchNorm):
    """Batch normalization of channels of shape () or (length,)."""

    _dims = (2, 3)


class BatchNorm2d(_BatchNorm):
    """Batch normalization of channels of shape (height, width)."""

    _dims = (4,)


class BatchNorm3d(_BatchNorm):
    """Batch normalization of channels of shape (depth, height, width)."""

    _dims = (5,)


class SyncBatchNorm(_BatchNorm):
    """Batch normalization over the batches of all processes; here there is one process."""

    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = True,
        track_running_stats: bool = True,
        process_group: Any = None,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )
        self.process_group = process_group

    def _check_input_dim(self, input: Tensor) -> None:
        if input.array.ndim < 2:
            raise ValueError(f"expected at least 2D input (got {input.array.ndim}D input)")

    @classmethod
    def convert_sync_batchnorm(cls, module: Module, process_group: Any = None) -> Module:
        """Replace all BatchNorm modules of a network by SyncBatchNorm."""
        for name, child in module.named_children():
            module.add_module(name, cls.convert_sync_batchnorm(child, process_group))
        if not isinstance(module, _BatchNorm):
            return module
        made = cls(
            module.num_features,
            module.eps,
            module.momentum,
            module.affine,
            module.track_running_stats,
            process_group,
        )
        made._parameters, made._buffers = dict(module._parameters), dict(module._buffers)
        return made.train(module.training)


class _InstanceNorm(_NormBase):
    def __init__(
        self,
        num_features: int,
        eps: float = 1e-5,
        momentum: float | None = 0.1,
        affine: bool = False,
        track_running_stats: bool = False,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__(
            num_features, eps, momentum, affine, track_running_stats, device, dtype, bias=bias
        )

    def forward(self, input: Tensor) -> Tensor:
        """Normalize each channel of each sample."""
        self._check_input_dim(input)
        is_batched = input.array.ndim == self._dims[1]
        self._check_features(input, 1 if is_batched else 0)
        result = F.instance_norm(
            input if is_batched else input.unsqueeze(0),
            self.running_mean,
            self.running_var,
            self.weight,
            self.bias,
            self.training or not self.track_running_stats,
            self.momentum if self.momentum is not None else 0.0,
            self.eps,
        )
        return result if is_batched else result.squeeze(0)

    def _check_features(self, input: Tensor, dim: int) -> None:
        size = input.array.shape[dim]
        if size == self.num_features:
            return
        if self.affine:
            raise ValueError(
                f"expected input's size at dim={dim} to match num_features "
                f"({self.num_features}), but got: {size}."
            )
        warnings.warn(
            f"input's size at dim={dim} does not match num_features. You can silence this warning "
            "by not passing in num_features, which is not used because affine=False",
            stacklevel=4,
        )


class InstanceNorm1d(_InstanceNorm):
    """Instance normalization of channels of shape (length,)."""

    _dims = (2, 3)


class InstanceNorm2d(_InstanceNorm):
    """Instance normalization of channels of shape (height, width)."""

    _dims = (3, 4)


class InstanceNorm3d(_InstanceNorm):
    """Instance normalization of channels of shape (depth, height, width)."""

    _dims = (4, 5)


class LayerNorm(_Affine):
    """Layer normalization over the last dimensions."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float = 1e-5,
        elementwise_affine: bool = True,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        self._add_parameters(self.normalized_shape, elementwise_affine, bias, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the normalization."""
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, "
            f"elementwise_affine={self.elementwise_affine}, bias={self.bias is not None}"
        )


def _shape(size: Any) -> tuple[int, ...]:
    return (size,) if isinstance(size, int) else tuple(size)


class RMSNorm(Module):
    """RMS normalization: division by the root mean square over the last dimensions."""

    def __init__(
        self,
        normalized_shape: Any,
        eps: float | None = None,
        elementwise_affine: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.normalized_shape = _shape(normalized_shape)
        self.eps, self.elementwise_affine = eps, elementwise_affine
        weight = unset(*self.normalized_shape, dtype=dtype) if elementwise_affine else None
        self.register_parameter("weight", weight)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Set the weight to ones."""
        if self.weight is not None:
            ones_(self.weight)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the normalization."""
        return F.rms_norm(input, self.normalized_shape, self.weight, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine={self.elementwise_affine}"
        )


class GroupNorm(_Affine):
    """Group normalization: normalizes groups of channels of each sample."""

    def __init__(
        self,
        num_groups: int,
        num_channels: int,
        eps: float = 1e-5,
        affine: bool = True,
        device: Any = None,
        dtype: Any = None,
        *,
        bias: bool = True,
    ) -> None:
        super().__init__()
        if num_channels % num_groups:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups ({num_groups})"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.eps, self.affine = eps, affine
        self._add_parameters((num_channels,), affine, bias, dtype)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the normalization."""
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)

    def extra_repr(self) -> str:
        """Return the arguments."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine={self.affine}, "
            f"bias={self.bias is not None}"
        )
