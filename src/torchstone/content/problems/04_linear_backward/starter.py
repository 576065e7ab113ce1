import torch
from torch import Tensor


class Linear:
    """Compute x W^T + b, and carry gradients back by hand."""

    weight: Tensor
    bias: Tensor | None
    weight_grad: Tensor | None
    bias_grad: Tensor | None

    def __init__(
        self,
        in_features: int,
        out_features: int,
        bias: bool = True,
        *,
        dtype: torch.dtype = torch.float32,
        generator: torch.Generator | None = None,
    ) -> None:
        """Draw weight and bias uniformly from (-1/sqrt(in_features), 1/sqrt(in_features))."""
        raise NotImplementedError

    def forward(self, x: Tensor) -> Tensor:
        """Return x W^T + b and keep what backward will need.

        Shapes:
            x: (*, in_features) -> (*, out_features).
        """
        raise NotImplementedError

    def backward(self, grad_output: Tensor) -> Tensor:
        """Add to weight_grad and bias_grad; return the gradient with respect to x.

        Shapes:
            grad_output: (*, out_features) -> (*, in_features).
        """
        raise NotImplementedError

    def zero_grad(self) -> None:
        """Forget the gradients: both become None."""
        raise NotImplementedError

    def step(self, lr: float) -> None:
        """Subtract lr times the gradients from the parameters, in place."""
        raise NotImplementedError
