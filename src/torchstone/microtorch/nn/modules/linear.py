"""Linear and reshaping modules: Linear, Bilinear, Identity, Flatten, Unflatten."""

from __future__ import annotations

import math
from typing import Any

from torchstone.microtorch.nn import functional as F
from torchstone.microtorch.nn.init import kaiming_uniform_, uniform_, unset
from torchstone.microtorch.nn.modules.functional_module import REQUIRED, Functional
from torchstone.microtorch.nn.modules.module import Module
from torchstone.microtorch.tensor import Tensor


class Identity(Module):
    """Identity: returns its input; all constructor arguments are ignored."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__()

    def forward(self, input: Tensor) -> Tensor:
        """Return the input."""
        return input


class Linear(Module):
    """Linear layer: ``x @ weight.T + bias``."""

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = unset(out_features, in_features, dtype=dtype)
        self.register_parameter("bias", unset(out_features, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize from the uniform distribution on +-1 / sqrt(in_features)."""
        # With a=sqrt(5) the bound is the same, rounded as in PyTorch.
        kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
            uniform_(self.bias, -bound, bound)

    def forward(self, input: Tensor) -> Tensor:
        """Apply the layer along the last dimension."""
        return F.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )


class Bilinear(Module):
    """Bilinear layer: ``x1 @ weight @ x2 + bias``."""

    def __init__(
        self,
        in1_features: int,
        in2_features: int,
        out_features: int,
        bias: bool = True,
        device: Any = None,
        dtype: Any = None,
    ) -> None:
        super().__init__()
        if in1_features <= 0:
            raise ValueError(f"in1_features must be > 0, but got (in1_features={in1_features})")
        self.in1_features, self.in2_features = in1_features, in2_features
        self.out_features = out_features
        self.weight = unset(out_features, in1_features, in2_features, dtype=dtype)
        self.register_parameter("bias", unset(out_features, dtype=dtype) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Initialize from the uniform distribution on +-1 / sqrt(in1_features)."""
        bound = 1 / math.sqrt(self.in1_features)
        for parameter in self.parameters():
            uniform_(parameter, -bound, bound)

    def forward(self, input1: Tensor, input2: Tensor) -> Tensor:
        """Apply the layer along the last dimensions."""
        return F.bilinear(input1, input2, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Return the sizes."""
        return (
            f"in1_features={self.in1_features}, in2_features={self.in2_features}, "
            f"out_features={self.out_features}, bias={self.bias is not None}"
        )


class Flatten(Functional, call="", start_dim=1, end_dim=-1):
    """Layer that merges a range of dimensions into one."""

    def forward(self, input: Tensor) -> Tensor:
        """Merge the dimensions."""
        return input.flatten(self.start_dim, self.end_dim)


class Unflatten(Functional, call="", dim=REQUIRED, unflattened_size=REQUIRED):
    """Layer that splits one dimension into several."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not isinstance(self.unflattened_size, tuple | list):
            raise TypeError(
                "unflattened_size must be a tuple of ints, but found type "
                f"{type(self.unflattened_size).__name__}"
            )
        for place, size in enumerate(self.unflattened_size):
            if not isinstance(size, int):
                raise TypeError(
                    "unflattened_size must be tuple of ints, but found element of type "
                    f"{type(size).__name__} at pos {place}"
                )

    def forward(self, input: Tensor) -> Tensor:
        """Split the dimension."""
        return input.unflatten(self.dim, self.unflattened_size)
