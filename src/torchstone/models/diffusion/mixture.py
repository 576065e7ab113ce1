"""Gaussian mixture, whose exact denoiser is known in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from torchstone.models.diffusion.process import Denoiser, Parts, target
from torchstone.models.diffusion.schedules import Schedule

# K components, D numbers of a point


@dataclass(frozen=True, eq=False)
class Mixture:
    """Points around centres, round about each; or a mixture for each of a batch.

    Attributes:
        weights: Shape ``(K,)``: how likely each centre is; positive, in sum 1.
        means: Shape ``(*, K, D)``: the centres.
        stds: Shape ``(*, K)``: how far points lie from each, in each direction; positive.

    Raises:
        ValueError: They are no such numbers.
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
        """Draw points of the one mixture: shape ``(count, D)``."""
        chosen = torch.multinomial(self.weights, count, replacement=True, generator=generator)
        means = self.means[chosen]
        noise = torch.randn(means.shape, generator=generator, dtype=means.dtype)
        return means + self.stds[chosen, None] * noise

    def noised(self, signal: Tensor, noise: Tensor) -> Mixture:
        """Return the mixture of ``signal * x0 + noise * epsilon``, which is one again.

        Args:
            signal: Shape ``(batch, 1)``, as ``Schedule.scales`` gives it.
            noise: The same.
        """
        stds = ((signal * self.stds).square() + noise.square()).sqrt()
        return Mixture(self.weights, signal[..., None] * self.means, stds)

    def log_density(self, x: Tensor) -> Tensor:
        """Return the logarithm of the density at points: ``(batch, D)`` -> ``(batch,)``."""
        return self._log_joint(x).logsumexp(-1)

    def responsibilities(self, x: Tensor) -> Tensor:
        """Return the probability of each centre given a point: ``(batch, D)`` -> ``(batch, K)``."""
        return self._log_joint(x).softmax(-1)

    def score(self, x: Tensor) -> Tensor:
        """Return the gradient of the log-density: ``(batch, D)`` -> ``(batch, D)``."""
        pulls = (self.means - x[:, None]) / self.stds.square()[..., None]
        return (self.responsibilities(x)[..., None] * pulls).sum(-2)

    def posterior_mean(self, x: Tensor, signal: Tensor, noise: Tensor) -> Tensor:
        """Return E[x0 | x] of ``x = signal * x0 + noise * epsilon``: what the loss asks for.

        Of each centre it is that of a Gaussian; and they are weighted by how likely they are.

        Args:
            x: Shape ``(batch, D)``.
            signal: Shape ``(batch, 1)``.
            noise: The same.
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
    """Make the denoiser that has learned all there is to learn of a mixture."""

    def denoiser(x: Tensor, step: Tensor) -> Tensor:
        a, s = schedule.scales(step, x)
        x0 = mixture.posterior_mean(x, a, s)
        return target(Parts(x0, (x - a * x0) / s), step, schedule, prediction)

    return denoiser
