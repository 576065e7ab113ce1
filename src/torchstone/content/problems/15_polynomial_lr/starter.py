import torch


class PolynomialLR:
    """Warm up linearly, then follow a power of the remaining share of training.

    ``last_epoch`` is t, the number of complete steps.
    """

    def __init__(
        self,
        optimizer: torch.optim.Optimizer,
        total_iters: int,
        power: float = 1.0,
        end_lr: float = 0.0,
        warmup_iters: int = 0,
        last_epoch: int = -1,
    ) -> None:
        raise NotImplementedError

    def step(self) -> None:
        """Go on by one step and write the new rate into every group."""
        raise NotImplementedError

    def get_last_lr(self) -> list[float]:
        """Return the rates that were written last, one per group."""
        raise NotImplementedError

    def state_dict(self) -> dict:
        """Return what is needed to go on later, as plain data without the optimizer."""
        raise NotImplementedError

    def load_state_dict(self, state: dict) -> None:
        """Go on where the scheduler stood that gave this state."""
        raise NotImplementedError
