"""Linear layer and cross entropy in one module: LinearCrossEntropyLoss."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.modules.linear import Linear
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.tensor import Tensor


@dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """Options of PyTorch's chunked computation; ignored here."""

    allow_retain_graph: bool = False
    batch_chunk_size: int | None = None
    chunking_method: str | None = "auto"
    acc_policy: str = "auto"
    acc_dtype: Any = None


class LinearCrossEntropyLoss(Module):
    """Cross entropy of the logits of a linear layer, computed from its input features."""

    def __init__(
        self,
        in_features: int,
        num_classes: int,
        *,
        out_features: tuple[int, ...] = (),
        bias: bool = False,
        device: Any = None,
        dtype: Any = None,
        reduction: str = "mean",
        weight: Tensor | None = None,
        ignore_index: int | None = None,
        label_smoothing: float = 0.0,
        options: LinearCrossEntropyOptions | None = None,
    ) -> None:
        super().__init__()
        if weight is not None and weight.array.shape != (num_classes,):
            raise RuntimeError(
                f"expected weight shape to be {(num_classes,)}, got {tuple(weight.shape)}"
            )
        if not 0 <= label_smoothing <= 1:
            raise RuntimeError(
                f"expected label_smoothing to be in range [0, 1], got {label_smoothing}"
            )
        self.register_buffer("weight", weight)
        self.num_classes, self.out_features = num_classes, out_features
        self.reduction, self.ignore_index = reduction, ignore_index
        self.label_smoothing, self.options = label_smoothing, options
        rows = math.prod(out_features, start=num_classes)
        self.linear = Linear(in_features, rows, bias, dtype=dtype)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        """Compute the logits and their cross entropy."""
        shape, bias = (self.num_classes, *self.out_features), self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*shape, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(shape),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )

    def extra_repr(self) -> str:
        """Return the arguments."""
        names = ("num_classes", "out_features", "reduction", "ignore_index", "label_smoothing")
        own = {name: getattr(self, name) for name in (*names, "options")}
        parts = {"in_features": self.linear.in_features, "bias": self.linear.bias is not None} | own
        order = ("in_features", *names[:2], "bias", *names[2:], "options")
        return ", ".join(f"{name}={parts[name]}" for name in order)
