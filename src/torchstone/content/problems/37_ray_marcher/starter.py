from collections.abc import Callable
from typing import NamedTuple

from torch import Tensor

# Maps points (R, S, 3) and unit directions (R, S, 3) to sigma (R, S) >= 0 and rgb (R, S, C).
Field = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


class RenderResult(NamedTuple):
    """Hold what rays see, and how."""

    color: Tensor
    depth: Tensor
    opacity: Tensor
    weights: Tensor
    transmittance: Tensor
    t: Tensor


def bin_edges(near: Tensor, far: Tensor, num_samples: int) -> Tensor:
    """Return the edges (R, S + 1) of equal bins from near (R,) to far (R,)."""
    raise NotImplementedError


def stratified_samples(
    near: Tensor, far: Tensor, num_samples: int, u: Tensor | None = None
) -> Tensor:
    """Return one sample in each bin (R, S): at the share u of its width, or in its middle."""
    raise NotImplementedError


def composite(
    sigma: Tensor, rgb: Tensor, t: Tensor, far: Tensor, background: Tensor | None = None
) -> RenderResult:
    """Add up the light of the samples of each ray."""
    raise NotImplementedError


def importance_samples(edges: Tensor, weights: Tensor, u: Tensor, eps: float = 1e-5) -> Tensor:
    """Return samples (R, M): the inverse of the distribution of the weights at u (R, M)."""
    raise NotImplementedError


def march_rays(
    field: Field,
    origins: Tensor,
    dirs: Tensor,
    near: float | Tensor,
    far: float | Tensor,
    num_coarse: int,
    num_fine: int = 0,
    u_coarse: Tensor | None = None,
    u_fine: Tensor | None = None,
    background: Tensor | None = None,
) -> RenderResult:
    """Render rays through a field, with coarse samples or with coarse and fine ones."""
    raise NotImplementedError
