"""Check that an optimizer treats each element independently, so that it can update shards."""

from __future__ import annotations

from torch.optim import LBFGS, Adafactor, Muon, Optimizer, SparseAdam

# They use the shape or norm of a parameter, all parameters together, or the layout of gradients.
_UNLIKE = (Adafactor, LBFGS, Muon, SparseAdam)


def require_elementwise(optimizer: object) -> Optimizer:
    """Return an optimizer after checking that its class updates each element independently.

    Raises:
        TypeError: It is not an optimizer.
        ValueError: Its update of an element depends on others, which may be on another rank.
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
