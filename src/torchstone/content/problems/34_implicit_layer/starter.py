from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor, nn


class SolveInfo(NamedTuple):
    """Tell what a solver reached."""

    converged: bool
    num_iterations: int
    residual: float


def anderson(
    f: Callable[[Tensor], Tensor],
    z0: Tensor,
    m: int = 5,
    max_iter: int = 50,
    tol: float = 1e-6,
    beta: float = 1.0,
) -> tuple[Tensor, SolveInfo]:
    """Solve f(z) = z by Anderson acceleration.

    Args:
        f: Maps (B, *) to (B, *), each sample by itself.
        z0: The first point; it is not changed.
        m: How many previous differences are mixed.
        max_iter: The most calls of f.
        tol: The residual at which the solver stops.
        beta: The part of f in each mixed point.

    Returns:
        The evaluated point with the smallest residual, and a report.
    """
    raise NotImplementedError


class DEQ(nn.Module):
    """Return the fixed point of a cell.

    Attributes:
        last_info: The report of the last forward solve, or None.
        last_backward_info: The report of the last adjoint solve, or None.
    """

    def __init__(
        self,
        cell: nn.Module,
        *,
        solver: Callable = anderson,
        tol: float = 1e-6,
        max_iter: int = 50,
        backward_tol: float | None = None,
        backward_max_iter: int | None = None,
    ):
        super().__init__()
        raise NotImplementedError

    def forward(self, x: Tensor, z0: Tensor | None = None) -> Tensor:
        """Return z with cell(z, x) = z; the gradient comes from the adjoint equation.

        Args:
            x: The input of the cell.
            z0: Where the solver starts; zeros like x if None.
        """
        raise NotImplementedError
