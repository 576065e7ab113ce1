from collections.abc import Callable

from torch import Tensor


def hvp(
    f: Callable,
    inputs: Tensor | tuple[Tensor, ...],
    v: Tensor | tuple[Tensor, ...],
    create_graph: bool = False,
) -> Tensor | tuple[Tensor, ...]:
    """Multiply the Hessian of ``f`` at ``inputs`` by ``v``, without building it.

    Args:
        f: Is called with as many tensors as there are inputs, exactly once; returns one number.
        inputs: The point, as a tensor or a tuple.
        v: The direction, with the structure and the shapes of ``inputs``.
        create_graph: True: the result can be differentiated again.

    Raises:
        ValueError: ``f`` returns several numbers, or ``v`` does not fit ``inputs``.
    """
    raise NotImplementedError


def hessian(f: Callable, x: Tensor, create_graph: bool = False) -> Tensor:
    """Return all second derivatives of ``f`` at ``x``, of shape ``x.shape + x.shape``."""
    raise NotImplementedError


def laplacian(f: Callable, x: Tensor, create_graph: bool = True) -> Tensor:
    """Sum the unmixed second derivatives of each row: (N, D) -> (N,).

    Args:
        f: Maps (N, D) to (N,) or (N, 1), row by row; is called exactly once.
        x: The points, one in each row.
        create_graph: True: the result can be differentiated again.

    Raises:
        ValueError: ``f`` returns another size.
    """
    raise NotImplementedError


def gradient_penalty(
    critic: Callable, real: Tensor, fake: Tensor, alpha: Tensor, target: float = 1.0
) -> Tensor:
    """Return the mean over samples of (norm of the critic's gradient - target) squared.

    Args:
        critic: Maps (B, ...) to one number for each sample; is called exactly once.
        real: Samples, of shape (B, ...).
        fake: Samples of the same shape.
        alpha: The share of ``real`` in each sample's point, of shape (B,) or (B, 1, ..., 1).
        target: The norm that costs nothing.

    Raises:
        ValueError: The shapes do not fit.
    """
    raise NotImplementedError
