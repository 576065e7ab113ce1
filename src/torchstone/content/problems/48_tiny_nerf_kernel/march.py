"""March rays through a lattice in float64: what problem 48 computes, and its adjoint.

R rays, S samples of each, G nodes along an edge of the lattice.
"""

from dataclasses import dataclass, fields, replace

import torch
from torch.nn import functional


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Hold what the kernels are given, float32, and the same numbers in float64 where they count.

    Attributes:
        rays_o: (R, 3)
        rays_d: (R, 3)
        field: (G, G, G, 4), by z, y, x; raw density and colour.
        bg: (3,)
    """

    rays_o: torch.Tensor
    rays_d: torch.Tensor
    field: torch.Tensor
    bg: torch.Tensor
    t_near: float
    dt: float
    S: int
    T_min: float

    @property
    def G(self) -> int:
        """Return the number of nodes along an edge."""
        return self.field.shape[0]

    @property
    def t_far(self) -> float:
        """Return the largest distance of a sample, never below 0."""
        return max(abs(self.t_near), abs(self.t_near + self.S * self.dt))

    def take(self, rays: torch.Tensor) -> "Scene":
        """Keep some rays."""
        return replace(self, rays_o=self.rays_o[rays], rays_d=self.rays_d[rays])


@dataclass(frozen=True, slots=True, kw_only=True)
class March:
    """Hold every sample of every ray; those that were not looked at have weight 0.

    Attributes:
        points: (R, S, 3)
        inside: (R, S)
        raw: (R, S, 4), 0 outside.
        after: (R, S), transmittance behind each sample, as if nothing stopped.
        weight: (R, S)
        steps: (R,)
        rgb: (R, 3)
        depth: (R,)
        left: (R,), transmittance where the march ended.
    """

    points: torch.Tensor
    inside: torch.Tensor
    raw: torch.Tensor
    after: torch.Tensor
    weight: torch.Tensor
    steps: torch.Tensor
    rgb: torch.Tensor
    depth: torch.Tensor
    left: torch.Tensor

    def take(self, rays: torch.Tensor) -> "March":
        """Keep some rays."""
        return March(**{each.name: getattr(self, each.name)[rays] for each in fields(self)})

    @property
    def used(self) -> torch.Tensor:
        """Tell which samples were looked at and lie in the cube, (R, S)."""
        return self.inside & (torch.arange(self.inside.shape[1]) < self.steps[:, None])


def distances(scene: Scene) -> torch.Tensor:
    """Return t of every sample, (S,)."""
    return scene.t_near + (torch.arange(scene.S, dtype=torch.float64) + 0.5) * scene.dt


def interpolate(nodes: torch.Tensor, points: torch.Tensor) -> torch.Tensor:
    """Interpolate between nodes by z, y, x; a lattice with nodes on the faces of the cube.

    Shapes:
        nodes: (G, G, G, C)
        points: (N, 3), by x, y, z -> (N, C)
    """
    volume = nodes.permute(3, 0, 1, 2)[None]
    values = functional.grid_sample(volume, points[None, None, None], align_corners=True)
    return values[0, :, 0, 0].T


def march(scene: Scene) -> March:
    """Look at every sample of every ray."""
    t = distances(scene)
    points = scene.rays_o.double()[:, None] + t[:, None] * scene.rays_d.double()[:, None]
    inside = points.abs().amax(-1) <= 1
    raw = torch.zeros(*inside.shape, 4, dtype=torch.float64)
    raw[inside] = interpolate(scene.field.double(), points[inside])
    sigma = torch.where(inside, functional.softplus(raw[..., 0], threshold=100.0), 0.0)
    optical = torch.cumsum(sigma * scene.dt, 1)
    after = torch.exp(-optical)
    # It never grows, so the first sample below T_min has as many before it as are not below.
    steps = ((after >= scene.T_min).sum(1) + 1).clamp(max=scene.S)
    along = torch.cat([torch.ones(len(after), 1, dtype=torch.float64), after], 1)
    is_used = torch.arange(scene.S) < steps[:, None]
    weight = along[:, :-1] * -torch.expm1(-sigma * scene.dt) * is_used
    left = along.gather(1, steps[:, None])[:, 0]
    colour = torch.sigmoid(raw[..., 1:])
    return March(
        points=points,
        inside=inside,
        raw=raw,
        after=after,
        weight=weight,
        steps=steps,
        rgb=(weight[..., None] * colour).sum(1) + left[:, None] * scene.bg.double(),
        depth=(weight * t).sum(1),
        left=left,
    )


def gradient_of_raw(
    scene: Scene,
    marched: March,
    grad_rgb: torch.Tensor,
    grad_depth: torch.Tensor,
    grad_opacity: torch.Tensor,
) -> torch.Tensor:
    """Return the gradient with respect to the raw values of the samples that count, (N, 4)."""
    colour = torch.sigmoid(marched.raw[..., 1:])
    # What a sample adds to the loss per unit of weight; that of the background is `last`.
    worth = (colour * grad_rgb[:, None]).sum(-1) + grad_depth[:, None] * distances(scene)
    last = grad_rgb @ scene.bg.double() - grad_opacity
    terms = marched.weight * worth
    behind = terms.flip(1).cumsum(1).flip(1) - terms + (marched.left * last)[:, None]
    slope = torch.sigmoid(marched.raw[..., 0])
    of_density = slope * scene.dt * (marched.after * worth - behind)
    of_colour = marched.weight[..., None] * colour * (1 - colour) * grad_rgb[:, None]
    used = marched.used
    return torch.cat([of_density[used][:, None], of_colour[used]], 1)


def scatter(values: torch.Tensor, points: torch.Tensor, G: int) -> torch.Tensor:
    """Add to the nodes what belongs to points: the adjoint of :func:`interpolate`.

    Shapes:
        values: (N, C)
        points: (N, 3) -> (G, G, G, C)
    """
    empty = torch.zeros(1, values.shape[1], G, G, G, dtype=torch.float64)
    if not len(points):
        return empty[0].permute(1, 2, 3, 0)
    # 0, 0: interpolation is linear, and what lies outside is 0.
    nodes, _ = torch.ops.aten.grid_sampler_3d_backward(
        values.T[None, :, None, None].contiguous(), empty, points[None, None, None], 0, 0, True,
        [True, False],
    )  # fmt: skip
    return nodes[0].permute(1, 2, 3, 0)


def hits(points: torch.Tensor, G: int) -> torch.Tensor:
    """Count the samples in the cells around each node, (G, G, G).

    A node next to those has at least one: rounding may put a point into the neighbouring cell.
    """
    cell = ((points + 1) / 2 * (G - 1)).floor().long().clamp(0, G - 2)
    place = (cell[:, 2] * (G - 1) + cell[:, 1]) * (G - 1) + cell[:, 0]
    cells = torch.bincount(place, minlength=(G - 1) ** 3).reshape(1, 1, *[G - 1] * 3).double()
    around = 8 * functional.avg_pool3d(functional.pad(cells, [1] * 6), 2, 1)
    beside = functional.max_pool3d(around, 3, 1, padding=1).clamp(max=1)
    return torch.maximum(around, beside)[0, 0]


def gaps(scene: Scene, marched: March) -> tuple[torch.Tensor, torch.Tensor]:
    """Return how near each ray comes to a decision: (R,) to a face, (R,) to T_min, relative.

    A coordinate that is exactly 1 is no matter of rounding.
    """
    from_face = (marched.points.abs() - 1).abs()
    from_face = torch.where(from_face == 0, 1.0, from_face).flatten(1)
    far = torch.ones(len(from_face), dtype=torch.float64)
    if not scene.S:
        return far, far
    from_stop = (marched.after / scene.T_min - 1).abs().amin(1) if scene.T_min else far
    return from_face.amin(1), from_stop
