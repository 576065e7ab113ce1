from torch import Tensor


def train_linear(
    x: Tensor,
    y: Tensor,
    *,
    lr: float = 0.1,
    num_steps: int = 100,
    momentum: float = 0.0,
    l2: float = 0.0,
    weight: Tensor | None = None,
    bias: Tensor | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Fit ``x @ weight + bias`` to ``y`` by full-batch gradient descent.

    Returns:
        The weight, the bias, and the loss before each step.
    """
    raise NotImplementedError
