"""Gaussian mixture, whose exact denoiser is known in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from torchstone.models.diffusion.process import Denoiser, Parts, target
from torchstone.models.diffusion.schedules import Schedule

# K components, D features of a point


@dataclass(frozen=True, eq=False)
class Mixture:
    """Mixture of isotropic Gaussians; or one mixture per batch entry.

    Attributes:
        weights: Shape ``(K,)``: the probability of each component; positive, with sum 1.
        means: Shape ``(*, K, D)``: the mean of each component.
        stds: Shape ``(*, K)``: the standard deviation of each component; positive.

    Raises:
        ValueError: Shapes or values are invalid.
    """

    weights: Tensor
    means: Tensor
    stds: Tensor

    def __post_init__(self) -> None:
        if self.means.dim() < 2 or self.means.shape[:-1] != self.stds.shape:
            raise ValueError(
                f"Mixture: means has shape {tuple(self.means.shape)} and stds "
                f"{tuple(self.stds.shape)}; expected (*, K, D) and (*, K)"
            )
        if self.weights.shape != self.stds.shape[-1:]:
            raise ValueError(
                f"Mixture: weights has shape {tuple(self.weights.shape)}; expected "
                f"{tuple(self.stds.shape[-1:])}"
            )
        if not bool((self.weights > 0).all()) or abs(self.weights.sum().item() - 1) > 1e-5:
            raise ValueError("Mixture: weights are not positive, or in sum not 1")
        if not bool((self.stds > 0).all()):
            raise ValueError("Mixture: one of stds is not positive")

    def sample(self, count: int, *, generator: torch.Generator | None = None) -> Tensor:
        """Sample points of a single mixture: shape ``(count, D)``."""
        chosen = torch.multinomial(self.weights, count, replacement=True, generator=generator)
        means = self.means[chosen]
        noise = torch.randn(means.shape, generator=generator, dtype=means.dtype)
        return means + self.stds[chosen, None] * noise

    def noised(self, signal: Tensor, noise: Tensor) -> Mixture:
        """Return the distribution of ``signal * x0 + noise * epsilon``, which is again a mixture.

        Args:
            signal: Shape ``(batch, 1)``, as ``Schedule.scales`` returns it.
            noise: Likewise.
        """
        stds = ((signal * self.stds).square() + noise.square()).sqrt()
        return Mixture(self.weights, signal[..., None] * self.means, stds)

    def log_density(self, x: Tensor) -> Tensor:
        """Compute the log-density of points: ``(batch, D)`` -> ``(batch,)``."""
        return self._log_joint(x).logsumexp(-1)

    def responsibilities(self, x: Tensor) -> Tensor:
        """Compute the posterior of the components: ``(batch, D)`` -> ``(batch, K)``."""
        return self._log_joint(x).softmax(-1)

    def score(self, x: Tensor) -> Tensor:
        """Compute the score, the gradient of the log-density: ``(batch, D)`` -> ``(batch, D)``."""
        pulls = (self.means - x[:, None]) / self.stds.square()[..., None]
        return (self.responsibilities(x)[..., None] * pulls).sum(-2)

    def posterior_mean(self, x: Tensor, signal: Tensor, noise: Tensor) -> Tensor:
        """Compute E[x0 | x] for ``x = signal * x0 + noise * epsilon``, the minimizer of the loss.

        It is the average of the Gaussian posterior means, weighted by the responsibilities.

        Args:
            x: Shape ``(batch, D)``.
            signal: Shape ``(batch, 1)``.
            noise: Likewise.
        """
        noised = self.noised(signal, noise)
        gains = signal * self.stds.square() / noised.stds.square()
        each = self.means + gains[..., None] * (x[:, None] - noised.means)
        return (noised.responsibilities(x)[..., None] * each).sum(-2)

    def _log_joint(self, x: Tensor) -> Tensor:
        distances = ((x[:, None] - self.means) / self.stds[..., None]).square().sum(-1)
        logs = self.stds.log() + 0.5 * math.log(2 * math.pi)
        return self.weights.log() - 0.5 * distances - x.shape[-1] * logs


def exact_denoiser(mixture: Mixture, schedule: Schedule, prediction: str) -> Denoiser:
    """Return the optimal denoiser of a mixture."""

    def denoiser(x: Tensor, step: Tensor) -> Tensor:
        a, s = schedule.scales(step, x)
        x0 = mixture.posterior_mean(x, a, s)
        return target(Parts(x0, (x - a * x0) / s), step, schedule, prediction)

    return denoiser
