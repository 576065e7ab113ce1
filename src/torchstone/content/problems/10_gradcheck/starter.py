from collections.abc import Callable

import torch


class GradcheckError(RuntimeError):
    """Say that a gradient is wrong."""


def gradcheck(
    fn: Callable,
    inputs: torch.Tensor | tuple,
    *,
    eps: float = 1e-6,
    atol: float = 1e-5,
    rtol: float = 1e-3,
    raise_exception: bool = True,
    nondet_tol: float = 0.0,
) -> bool:
    """Compare the gradients of ``fn`` with central differences; return True if they agree.

    Args:
        fn: Maps ``inputs`` to a tensor or to a tuple or list of tensors.
        inputs: The arguments; tensors that require grad are checked, others are passed through.
        eps: The step of the differences.
        atol: Absolute tolerance for each entry.
        rtol: Tolerance for each entry relative to the numerical value.
        raise_exception: False: return False instead of raising GradcheckError.
        nondet_tol: How far two runs of one backward may differ.

    Raises:
        GradcheckError: A gradient is wrong.
        ValueError: Nothing requires grad, or what does is not float64 or overlaps itself.
    """
    raise NotImplementedError
