from collections.abc import Iterable

from torch import Tensor


def clip_grad_norm(
    parameters: Tensor | Iterable[Tensor],
    max_norm: float,
    norm_type: float = 2.0,
    error_if_nonfinite: bool = False,
) -> Tensor:
    """Scale the gradients of parameters in place, so that their norm is at most max_norm.

    Returns:
        The norm of all gradients before clipping, a 0-d tensor.
    """
    raise NotImplementedError
