"""Which optimisers keep their meaning when they see ranges of parameters."""

from __future__ import annotations

from torch.optim import LBFGS, Adafactor, Muon, Optimizer, SparseAdam

# They use the shape or the norm of a parameter, all parameters together, or the gradient's layout.
_UNLIKE = (Adafactor, LBFGS, Muon, SparseAdam)


def require_elementwise(optimizer: object) -> Optimizer:
    """Return an optimiser that treats each element alike, as far as its class says.

    Raises:
        TypeError: It is no optimiser.
        ValueError: It updates an element by others that another rank may have.
    """
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"Zero: optimizer made {type(optimizer).__name__}; make a torch.optim.Optimizer of "
            "the parameters that it is given."
        )
    if isinstance(optimizer, _UNLIKE):
        raise ValueError(
            f"Zero: {type(optimizer).__name__} does not treat each element alike, and ranks have "
            "ranges of parameters; use SGD, Adam, AdamW or another one that does, or DataParallel."
        )
    return optimizer
