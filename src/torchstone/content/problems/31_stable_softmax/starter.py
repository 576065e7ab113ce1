import torch
from torch import Tensor


def log_sum_exp(
    x: Tensor, dim: int = -1, keepdim: bool = False, mask: Tensor | None = None
) -> Tensor:
    """Return log(sum(exp(x))) along a dimension.

    Args:
        x: Floating scores of any shape; not changed.
        dim: The dimension that is summed.
        keepdim: Keep it with size 1.
        mask: bool, broadcasts to ``x.shape``; True takes part.

    Raises:
        TypeError: ``x`` is not floating, or ``mask`` is not bool.
        IndexError: ``dim`` is out of range.
        ValueError: ``mask`` does not broadcast to ``x.shape``.
    """
    raise NotImplementedError


def stable_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return exp(x) / sum(exp(x)) along a dimension; 0 where nothing takes part.

    Args:
        x: Scores of any shape; not changed.
        dim: The dimension along which the result sums to 1.
        mask: bool, broadcasts to ``x.shape``; True takes part.
        dtype: If given, ``x`` is cast to it before anything is computed.

    Raises:
        TypeError: The result would not be floating, or ``mask`` is not bool.
        IndexError: ``dim`` is out of range.
        ValueError: ``mask`` does not broadcast to ``x.shape``.
    """
    raise NotImplementedError


def stable_log_softmax(
    x: Tensor, dim: int = -1, mask: Tensor | None = None, dtype: torch.dtype | None = None
) -> Tensor:
    """Return the logarithm of the softmax; -inf where nothing takes part.

    Arguments and exceptions are those of ``stable_softmax``.
    """
    raise NotImplementedError
