import torch


def softmax(x: torch.Tensor, dim: int = -1, dtype: torch.dtype | None = None) -> torch.Tensor:
    """Turn scores into probabilities along one dimension.

    Args:
        x: Scores of any shape; not changed.
        dim: The dimension along which the result sums to 1.
        dtype: If given, ``x`` is cast to it before anything is computed, and the result has it.

    Raises:
        IndexError: ``dim`` is out of range.
        TypeError: The result would not be floating.
    """
    raise NotImplementedError
