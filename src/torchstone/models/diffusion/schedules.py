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

# No step takes more of the variance than this.
MAX_BETA = 0.999

Step = Tensor | int


@dataclass(frozen=True, eq=False)
class Schedule:
    """The variances of a noise schedule and the values derived from them, in float64.

    Attributes:
        betas: Shape ``(T,)``, float64, between 0 and 1: the variance that each step adds.

    Raises:
        ValueError: They are no such numbers.

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
        # Written so that NaN, which lies between no numbers, is refused.
        if not bool(((self.betas > 0) & (self.betas < 1)).all()):
            raise ValueError("Schedule: a beta is not between 0 and 1")

    def __len__(self) -> int:
        """Count the steps."""
        return len(self.betas)

    @cached_property
    def alphas_cumprod(self) -> Tensor:
        """Return alpha-bar, shape ``(T,)``: the share of the variance that is the image's."""
        return (1 - self.betas).cumprod(0)

    @cached_property
    def posterior_variances(self) -> Tensor:
        """Return the variance of the step before, given the image as well: DDPM, equation 7.

        The first one is 0: before step 0 there is the image itself.
        """
        alphas_cumprod = self.alphas_cumprod
        before = torch.cat([alphas_cumprod.new_ones(1), alphas_cumprod[:-1]])
        return (1 - before) / (1 - alphas_cumprod) * self.betas

    def share(self, step: int) -> float:
        """Return alpha-bar at a step.

        Raises:
            ValueError: There is no such step.
        """
        # A negative index would silently count from the end.
        if not 0 <= step < len(self):
            raise ValueError(f"Schedule: step is {step}; expected 0 ... {len(self) - 1}")
        return self.alphas_cumprod[step].item()

    def scales(self, step: Step, like: Tensor) -> tuple[Tensor, Tensor]:
        """Return the coefficients of image and noise at a step.

        Args:
            step: One for all, or a step for each of a batch: shape ``(batch,)``, int64.
            like: Shape ``(batch, ...)``: what is to be multiplied.

        Returns:
            The square roots of alpha-bar and of 1 - alpha-bar, of ``like``'s dtype, on its device,
            in a shape that broadcasts over it.

        Raises:
            TypeError: Steps are no whole numbers.
            ValueError: There is no such step, or there are not as many as the batch has places.
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
    """Make the linear schedule: betas from 0.0001 to 0.02 for 1000 steps.

    Fewer steps are larger in proportion, up to 0.999, so that about as little of the image is left
    behind the last one.

    Source:
        Ho et al., 2020, section 4; Nichol, Dhariwal, 2021, whose program has the proportion.
    """
    _require_steps("linear", num_steps)
    scale = 1000 / num_steps
    betas = torch.linspace(0.0001 * scale, 0.02 * scale, num_steps, dtype=torch.float64)
    return Schedule(betas.clamp(max=MAX_BETA))


def cosine(num_steps: int, offset: float = 0.008) -> Schedule:
    """Make the cosine schedule: alpha-bar falls like the square of a cosine.

    Args:
        num_steps: How many steps there are.
        offset: Keeps the first betas from being all too small.

    Source:
        Nichol, Dhariwal, "Improved Denoising Diffusion Probabilistic Models", 2021, equation 17.
    """
    _require_steps("cosine", num_steps)
    times = torch.arange(num_steps + 1, dtype=torch.float64) / num_steps
    shares = ((times + offset) / (1 + offset) * math.pi / 2).cos().square()
    return Schedule((1 - shares[1:] / shares[:-1]).clamp(max=MAX_BETA))


SCHEDULES: dict[str, Callable[[int], Schedule]] = {"linear": linear, "cosine": cosine}


def find_schedule(name: str, num_steps: int) -> Schedule:
    """Make a schedule by its name.

    Raises:
        ValueError: There is none of the name, or there are no steps.
    """
    if name not in SCHEDULES:
        raise ValueError(f"schedule is {name!r}; expected {', '.join(SCHEDULES)}")
    return SCHEDULES[name](num_steps)


def _require_steps(name: str, num_steps: int) -> None:
    if num_steps < 1:
        raise ValueError(f"{name}: num_steps is {num_steps}; expected 1 or more")
