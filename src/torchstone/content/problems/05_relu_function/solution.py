import torch


class ReLU(torch.autograd.Function):
    """The rectifier max(x, 0) with a backward written by hand; used as ``ReLU.apply(x)``."""

    @staticmethod
    def forward(ctx, x: torch.Tensor) -> torch.Tensor:
        """Compute the result; it is also all that backward needs."""
        # Selecting, not multiplying: -inf * 0 would be NaN. And x <= 0 is False for NaN, so NaN
        # stays NaN.
        y = torch.where(x <= 0, 0, x)
        # y <= 0 exactly where x <= 0. The next layer keeps y anyway, so saving it costs nothing.
        ctx.save_for_backward(y)
        return y

    @staticmethod
    def backward(ctx, grad_output: torch.Tensor) -> torch.Tensor:
        """Pass the gradient where the input was not <= 0; at 0 the convention says 0."""
        (y,) = ctx.saved_tensors
        # Written with a differentiable operator of grad_output, so that it has a derivative itself.
        return torch.where(y <= 0, 0, grad_output)
