"""Noise schedules of diffusion: linear and cosine.

Steps are counted from 0 to T - 1: after step t an image is
``sqrt(alpha_bar[t]) * image + sqrt(1 - alpha_bar[t]) * noise``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor

# Maximum beta of a step.
MAX_BETA = 0.999

Step = Tensor | int


@dataclass(frozen=True, eq=False)
class Schedule:
    """Noise schedule: the variances of the steps, and values derived from them, in float64.

    Attributes:
        betas: Shape ``(T,)``, float64, between 0 and 1: the variance that each step adds.

    Raises:
        ValueError: The betas are invalid.

    Source:
        Ho, Jain, Abbeel, "Denoising Diffusion Probabilistic Models", 2020, section 2.
    """

    betas: Tensor

    def __post_init__(self) -> None:
        if self.betas.dtype != torch.float64 or self.betas.dim() != 1 or not len(self.betas):
            raise ValueError(
                f"Schedule: betas is {self.betas.dtype} of shape {tuple(self.betas.shape)}; "
                f"expected torch.float64 of shape (steps,), at least one step"
            )
        # Written so that NaN is rejected as well.
        if not bool(((self.betas > 0) & (self.betas < 1)).all()):
            raise ValueError("Schedule: a beta is not between 0 and 1")

    def __len__(self) -> int:
        """Return the number of steps."""
        return len(self.betas)

    @cached_property
    def alphas_cumprod(self) -> Tensor:
        """Return alpha-bar, shape ``(T,)``: the fraction of the variance due to the image."""
        return (1 - self.betas).cumprod(0)

    @cached_property
    def posterior_variances(self) -> Tensor:
        """Return the variance of the previous step given the image: DDPM, equation 7.

        The first one is 0, because the image itself precedes step 0.
        """
        alphas_cumprod = self.alphas_cumprod
        before = torch.cat([alphas_cumprod.new_ones(1), alphas_cumprod[:-1]])
        return (1 - before) / (1 - alphas_cumprod) * self.betas

    def share(self, step: int) -> float:
        """Return alpha-bar, the share of the image in the variance, at a step.

        Raises:
            ValueError: The step is out of range.
        """
        # A negative index would silently count from the end.
        if not 0 <= step < len(self):
            raise ValueError(f"Schedule: step is {step}; expected 0 ... {len(self) - 1}")
        return self.alphas_cumprod[step].item()

    def scales(self, step: Step, like: Tensor) -> tuple[Tensor, Tensor]:
        """Return the coefficients of image and noise at a step.

        Args:
            step: One step for all, or a step per batch entry: shape ``(batch,)``, int64.
            like: Shape ``(batch, ...)``: the tensor to be multiplied.

        Returns:
            The square roots of alpha-bar and of 1 - alpha-bar, with the dtype and device of
            ``like`` and a shape that broadcasts with it.

        Raises:
            TypeError: Steps are not integers.
            ValueError: A step is out of range, or their number is not the batch size.
        """
        steps = torch.as_tensor(step, device="cpu")
        if steps.dtype != torch.int64:
            raise TypeError(f"Schedule: step is {steps.dtype}; expected torch.int64")
        if steps.dim() and steps.shape != like.shape[:1]:
            raise ValueError(
                f"Schedule: step has shape {tuple(steps.shape)}; expected {tuple(like.shape[:1])}"
            )
        if bool(((steps < 0) | (steps >= len(self))).any()):
            raise ValueError(f"Schedule: one of step is not in 0 ... {len(self) - 1}")
        share = self.alphas_cumprod[steps].reshape(-1, *(1,) * (like.dim() - 1))
        return share.sqrt().to(like), (1 - share).sqrt().to(like)


def linear(num_steps: int) -> Schedule:
    """Create the linear schedule: betas from 0.0001 to 0.02 for 1000 steps.

    With fewer steps the betas are scaled up in proportion, up to 0.999, so that about the same
    amount of the image remains after the last one.

    Source:
        Ho et al., 2020, section 4; Nichol, Dhariwal, 2021, whose code has the scaling.
    """
    _require_steps("linear", num_steps)
    scale = 1000 / num_steps
    betas = torch.linspace(0.0001 * scale, 0.02 * scale, num_steps, dtype=torch.float64)
    return Schedule(betas.clamp(max=MAX_BETA))


def cosine(num_steps: int, offset: float = 0.008) -> Schedule:
    """Create the cosine schedule: alpha-bar is a squared cosine.

    Args:
        num_steps: The number of steps.
        offset: Keeps the first betas from being too small.

    Source:
        Nichol, Dhariwal, "Improved Denoising Diffusion Probabilistic Models", 2021, equation 17.
    """
    _require_steps("cosine", num_steps)
    times = torch.arange(num_steps + 1, dtype=torch.float64) / num_steps
    shares = ((times + offset) / (1 + offset) * math.pi / 2).cos().square()
    return Schedule((1 - shares[1:] / shares[:-1]).clamp(max=MAX_BETA))


SCHEDULES: dict[str, Callable[[int], Schedule]] = {"linear": linear, "cosine": cosine}


def find_schedule(name: str, num_steps: int) -> Schedule:
    """Create a schedule by name.

    Raises:
        ValueError: The name is unknown, or the number of steps is below 1.
    """
    if name not in SCHEDULES:
        raise ValueError(f"schedule is {name!r}; expected {', '.join(SCHEDULES)}")
    return SCHEDULES[name](num_steps)


def _require_steps(name: str, num_steps: int) -> None:
    if num_steps < 1:
        raise ValueError(f"{name}: num_steps is {num_steps}; expected 1 or more")
